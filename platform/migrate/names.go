package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// platformTables are the prefixes of the platform's own tables. A platform package that gets tables
// enters its name here.
var platformTables = []string{"identity_", "events_", "audit_", "state_", "secret_", "link_", "idempotency_", "numbering_", "resource_", "features_", "inbound_", "database_", "collection_", "onetimecode_", "settings_", "ledger_", "limit_", "share_"}

// PlatformOwns reports whether a table is one of the platform's, even where an area's id begins like it.
func PlatformOwns(table string) bool {
	return slices.ContainsFunc(platformTables, func(prefix string) bool { return strings.HasPrefix(table, prefix) })
}

// identityKeys are the tables that a foreign key of any area may point to.
var identityKeys = []string{"identity_companies", "identity_users"}

// CheckTableNames reports every table, view, index, sequence, trigger, function and type that a
// migration of the area names and that does not begin with "<area>_". It reads what follows
// CREATE, ALTER, DROP, ON, REFERENCES, FROM, JOIN, INTO and UPDATE, in function bodies too. A
// foreign key may point to identity's companies and users. A name with a schema in front is
// refused: the search path of the connection decides. Up runs this check on each file it applies.
func CheckTableNames(area, sql string) error {
	var problems []error
	for _, s := range statements(tokenize(sql)) {
		for _, n := range s.tableNames() {
			if err := n.check(area); err != nil {
				problems = append(problems, fmt.Errorf("%w: %s", err, s))
			}
		}
		for _, t := range s {
			if t.kind == body {
				problems = append(problems, CheckTableNames(area, t.inside()))
			}
		}
	}

	return errors.Join(problems...)
}

// tableName is a name that a statement gives to, or uses for, something in the schema.
type tableName struct {
	name string
	// key says that it is the target of a foreign key.
	key bool
	// qualified says that a schema stands in front.
	qualified bool
}

func (n tableName) check(area string) error {
	prefixes := []string{area + "_"}
	if area == platformArea {
		prefixes = platformTables
	}
	switch {
	case n.qualified:
		return fmt.Errorf("%s.… names a schema", n.name)
	case n.key && slices.Contains(identityKeys, n.name):
		return nil
	case !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(n.name, p) }):
		return fmt.Errorf("%s does not begin with %s", n.name, strings.Join(prefixes, " or "))
	}

	return nil
}

// tableNames returns what the statement names.
func (s statement) tableNames() []tableName {
	names := s.objects()
	local := s.local()
	on := s.creates("INDEX") || s.creates("TRIGGER")
	for i := range s {
		switch {
		case s.has(i, "REFERENCES"):
			names = append(names, s.named(i+1, true)...)
		case s.hasAny(i, "FROM", "JOIN", "INTO") && !s.has(i-1, "DISTINCT"), s.has(0, "DELETE") && s.has(i, "USING"):
			names = append(names, s.sources(i+1, local)...)
		case s.has(i, "UPDATE") && s.isCommand(i):
			names = append(names, s.named(s.skip(i+1, "ONLY"), false)...)
		case on && s.has(i, "ON"):
			names = append(names, s.named(s.skip(i+1, "ONLY"), false)...)
			on = false
		case s.has(0, "ALTER") && s.has(i, "RENAME", "TO"):
			names = append(names, s.named(i+2, false)...)
		}
	}

	return names
}

// objects returns what CREATE, ALTER, DROP, TRUNCATE, LOCK and COMMENT ON are about.
func (s statement) objects() []tableName {
	if !s.hasAny(0, "CREATE", "ALTER", "DROP", "TRUNCATE", "LOCK", "COMMENT") {
		return nil
	}
	i := 1
	for !s.hasAny(i, "TABLE", "VIEW", "INDEX", "SEQUENCE", "TRIGGER", "FUNCTION", "PROCEDURE", "TYPE", "DOMAIN") {
		if _, isName := s.name(i); !isName || i > 5 {
			return nil
		}
		i++
	}
	i = s.skip(i+1, "CONCURRENTLY", "IF", "NOT", "EXISTS", "ONLY")
	if s.has(i, "ON") { // an index without a name: PostgreSQL makes one from the table's
		return nil
	}
	names := s.named(i, false)
	for ; i+1 < len(s) && s.has(i+1, ","); i += 2 {
		names = append(names, s.named(i+2, false)...)
	}

	return names
}

// sources returns the tables of a list after FROM, JOIN or INTO that begins at i.
func (s statement) sources(i int, local []string) []tableName {
	var names []tableName
	for {
		i = s.skip(i, "ONLY", "LATERAL")
		for _, n := range s.named(i, false) {
			if !slices.Contains(local, n.name) && !s.isCall(i) {
				names = append(names, n)
			}
		}
		if i = s.endOfSource(i); !s.has(i, ",") {
			return names
		}
		i++
	}
}

// endOfSource returns the index after the table, call or subquery at i and its alias.
func (s statement) endOfSource(i int) int {
	if _, isName := s.name(i); isName {
		i++
	}
	if s.has(i, "(") {
		i = s.closing(i) + 1
	}
	i = s.skip(i, "AS")
	if _, isName := s.name(i); isName {
		i++
	}

	return i
}

// isCall reports whether the name at i is that of a function, as in FROM jsonb_each(data). In
// INSERT INTO a parenthesis with columns stands there.
func (s statement) isCall(i int) bool { return s.has(i+1, "(") && !s.has(i-1, "INTO") }

// isCommand reports whether UPDATE at i begins a command; it also stands in ON UPDATE, FOR UPDATE,
// DO UPDATE and in the events of a trigger.
func (s statement) isCommand(i int) bool {
	return !s.hasAny(i-1, "ON", "FOR", "KEY", "DO", "OR", "OF", "AFTER", "BEFORE")
}

// local returns the names that WITH gives to queries in the statement.
func (s statement) local() []string {
	var names []string
	for i := range s {
		if name, isName := s.name(i); isName && s.has(i+1, "AS", "(") {
			names = append(names, name)
		}
	}

	return names
}

// named returns the name at i, if one stands there.
func (s statement) named(i int, key bool) []tableName {
	name, isName := s.name(i)
	if !isName {
		return nil
	}

	return []tableName{{name: name, key: key, qualified: s.has(i+1, ".")}}
}
