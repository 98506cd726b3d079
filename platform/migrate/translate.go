package migrate

import (
	"fmt"
	"slices"
	"strings"
)

// sqliteNow is now() on SQLite: the fixed-width text in which the database package stores times.
// SQLite knows milliseconds only.
const sqliteNow = `(strftime('%Y-%m-%d %H:%M:%f', 'now') || '000+00:00')`

// sqliteType returns the declared type of a column on SQLite; the package comment gives reasons.
func sqliteType(postgres string) (string, bool) {
	switch postgres {
	case "smallint", "integer", "int", "bigint":
		return "integer", true
	case "real", "double precision":
		return "real", true
	case "text", "uuid", "json", "jsonb", "numeric", "decimal":
		return "text", true
	case "bytea":
		return "blob", true
	case "timestamptz":
		return "datetime", true
	case "boolean", "date", "timestamp":
		return postgres, true
	default:
		return "", false
	}
}

// translate makes SQL for SQLite from SQL for PostgreSQL. It knows the short list in the package
// comment and leaves everything else as it is, but a column's type that is not on the list is an
// error, because SQLite would take any word for a type.
func translate(sql string) (string, error) {
	tokens := tokenize(sql)
	for _, s := range statements(tokens) {
		if err := s.translate(); err != nil {
			return "", fmt.Errorf("%s: %w", s, err)
		}
	}
	var out strings.Builder
	for _, t := range tokens {
		out.WriteString(t.text)
	}

	return out.String(), nil
}

func (s statement) translate() error {
	for _, column := range s.columns() {
		if err := column.translateType(); err != nil {
			return err
		}
		if err := column.translateIdentity(); err != nil {
			return err
		}
	}
	s.translateExpressions()

	return nil
}

// columns returns the definitions of columns in CREATE TABLE and ALTER TABLE … ADD.
func (s statement) columns() []statement {
	open := slices.IndexFunc(s, func(t *token) bool { return t.text == "(" })
	switch {
	case s.creates("TABLE") && open > 0:
		return s[open:].items()
	case s.has(0, "ALTER", "TABLE"):
		for i := range s {
			if s.has(i, "ADD") && !s.isConstraint(i+1) {
				return []statement{s[s.skip(i+1, "COLUMN"):]}
			}
		}
	}

	return nil
}

// creates reports whether the statement creates such an object.
func (s statement) creates(object string) bool {
	for i := range s {
		if s.has(i, object) {
			return s.has(0, "CREATE")
		}
		if i > 3 || s[i].kind != word {
			return false
		}
	}

	return false
}

// items returns the definitions of columns between the parenthesis that s begins with and its
// closing one.
func (s statement) items() []statement {
	var all []statement
	end := s.closing(0)
	for start := 1; start < end; {
		next := start
		for next < end && !s.has(next, ",") {
			if s.has(next, "(") {
				next = s.closing(next)
			}
			next++
		}
		if !s.isConstraint(start) {
			all = append(all, s[start:min(next, end)])
		}
		start = next + 1
	}

	return all
}

func (s statement) isConstraint(i int) bool {
	return s.hasAny(i, "CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "LIKE")
}

// translateType changes the type in a column's definition, which begins with the column's name.
func (s statement) translateType() error {
	if len(s) < 2 {
		return nil
	}
	end := 2
	name := strings.ToLower(s[1].text)
	if s.has(1, "double", "precision") {
		name, end = "double precision", 3
	}
	if s.has(end, "(") {
		end = s.closing(end) + 1
	}
	to, known := sqliteType(name)
	if !known || s.hasAny(end, "[", "WITH", "WITHOUT", "ARRAY") {
		return fmt.Errorf("column %s: the type is not one that is translated for SQLite", s[0].text)
	}
	s[:end].replace(1, to)

	return nil
}

// translateIdentity changes GENERATED … AS IDENTITY PRIMARY KEY in a column's definition.
func (s statement) translateIdentity() error {
	for i := range s {
		if !s.has(i, "GENERATED") {
			continue
		}
		end := s.skip(i+1, "ALWAYS", "BY", "DEFAULT")
		if !s.has(end, "AS", "IDENTITY") {
			return nil
		}
		if !s.has(end+2, "PRIMARY", "KEY") {
			return fmt.Errorf("column %s: on SQLite only a PRIMARY KEY is numbered", s[0].text)
		}
		s[:end+4].replace(i, "PRIMARY KEY AUTOINCREMENT")

		return nil
	}

	return nil
}

// translateExpressions changes what may stand anywhere.
func (s statement) translateExpressions() {
	for i := range s {
		switch {
		case s.has(i, "now", "(", ")"):
			s[:i+3].replace(i, sqliteNow)
		case s.has(i, "CURRENT_TIMESTAMP"):
			s[:i+1].replace(i, sqliteNow)
		case s.has(i, "COLLATE") && i+1 < len(s) && s[i+1].text == `"C"`:
			s[i+1].text = "BINARY"
		case s[i].kind == text && s.has(i+1, "::") && i+2 < len(s):
			s[:i+3].replace(i+1, "")
		}
	}
}

// replace puts to in the place of the tokens from i on.
func (s statement) replace(i int, to string) {
	for _, t := range s[i:] {
		t.text = ""
	}
	s[i].text = to
}
