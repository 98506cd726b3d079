package moduletest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

// declaresOperations checks what an area says of its operations against what it should.
func declaresOperations(_ context.Context, s subject) error {
	a, err := s.built(s.alone())
	if err != nil {
		return err
	}
	generated, err := s.certified(a).calls()
	problems := []error{err}
	calls := slices.Concat(s.fixture.Calls, generated)
	for _, o := range a.API.Operations() {
		if o.Area != s.id {
			continue
		}
		if o.Access == "" {
			problems = append(problems, fmt.Errorf("operation %q: it does not declare its access", o.ID))
		}
		if len(o.Errors) == 0 {
			problems = append(problems, fmt.Errorf("operation %q: no error is documented", o.ID))
		}
		if o.Summary == "" {
			problems = append(problems, fmt.Errorf("operation %q: no summary", o.ID))
		}
		if !slices.ContainsFunc(calls, func(c FixtureCall) bool { return c.Operation == o.ID }) {
			problems = append(problems, fmt.Errorf("operation %q: no call in testdata/certify.yaml", o.ID))
		}
	}

	return errors.Join(append(problems, grantsScopes(a, s.id))...)
}

// grantsScopes looks for the scopes that the area grants to built-in roles among those that it has.
func grantsScopes(a *App, id string) error {
	known := map[string]bool{id + ":*": true}
	for _, scope := range a.API.Scopes() {
		known[scope.Name] = true
	}
	var problems []error
	for _, role := range identity.BuiltInNames {
		for _, scope := range a.Identity.BuiltInRoles()[role] {
			if strings.HasPrefix(scope, id+":") && !known[scope] {
				problems = append(problems, fmt.Errorf("the role %q is granted %q, which no operation asks for", role, scope))
			}
		}
	}

	return errors.Join(problems...)
}

// goneWhenOff builds everything but the area (and what needs it) and looks for traces.
func goneWhenOff(_ context.Context, s subject) error {
	var off []string
	for _, id := range s.dependants() {
		off = append(off, "modules."+id+".enabled=false")
	}
	a, err := s.built(s.modules, Set(off...))
	if err != nil {
		return err
	}
	for _, o := range a.API.Operations() { // what the OpenAPI document is made of
		if o.Area == s.id || o.Area == o.Prefix && strings.HasPrefix(o.Path, "/"+s.id+"/") {
			return fmt.Errorf("operation %q is served at %s although the area is off", o.ID, o.Path)
		}
	}

	return nil
}

// migratesBackAndForth takes all migrations of the area back and applies them again.
func migratesBackAndForth(ctx context.Context, s subject) error {
	log := slog.New(slog.DiscardHandler)
	sources, err := migrate.Sources(migrations.FS, s.alone())
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(sources, func(source migrate.Source) bool { return source.Area == s.id }) {
		return nil
	}

	return onDatabase(ctx, s.url, func(db *database.DB) error {
		if err := migrate.Up(ctx, db, sources, log); err != nil {
			return err
		}
		steps, err := countMigrations(ctx, db, sources, s.id)
		if err != nil {
			return err
		}
		if err := migrate.Down(ctx, db, sources, s.id, steps); err != nil {
			return err
		}
		if err := s.noTables(ctx, db); err != nil {
			return fmt.Errorf("after reverting all migrations: %w", err)
		}

		return migrate.Up(ctx, db, sources, log)
	})
}

func countMigrations(ctx context.Context, db *database.DB, sources []migrate.Source, area string) (int, error) {
	list, err := migrate.Status(ctx, db, sources)
	list = slices.DeleteFunc(list, func(m migrate.Applied) bool { return m.Area != area })

	return len(list), err
}

// noTables reports a table of the area.
func (s subject) noTables(ctx context.Context, db *database.DB) (err error) {
	query := `SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()`
	if db.Dialect() == database.SQLite {
		query = `SELECT name FROM sqlite_master WHERE type = 'table'`
	}
	rows, err := db.SQL().QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return err
		}
		if s.owns(table) {
			return fmt.Errorf("table %q is there", table)
		}
	}

	return rows.Err()
}

// owns reports whether a table is the area's, and not the platform's or of another whose id begins
// alike.
func (s subject) owns(table string) bool {
	if migrate.PlatformOwns(table) {
		return false
	}
	owner := ""
	for _, m := range s.modules {
		if strings.HasPrefix(table, m.ID()+"_") && len(m.ID()) > len(owner) {
			owner = m.ID()
		}
	}

	return owner == s.id
}
