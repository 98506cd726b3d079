package migrate

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Taken is a migration that Down would take back.
type Taken struct {
	// File is its name, Statements are what takes it back, and Rows how many rows each table has that goes with it.
	File       string
	Statements []string
	Rows       map[string]int64
}

// DownPlan returns what Down would do, newest first, and changes nothing. Its errors are those of Down.
func DownPlan(ctx context.Context, db *database.DB, sources []Source, name string, steps int) ([]Taken, error) {
	a, err := findArea(db, sources, name, steps)
	if err != nil {
		return nil, err
	}
	applied, err := appliedVersions(ctx, db, []area{a})
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(a.status(applied[a.Area]), func(m Applied) bool { return m.AppliedAt.IsZero() })
	slices.SortFunc(list, func(x, y Applied) int { return int(y.Version - x.Version) })
	if len(list) == 0 {
		return nil, fmt.Errorf("area %q: no migration is applied", a.Area)
	}
	var plan []Taken
	for _, m := range list[:min(steps, len(list))] {
		i := slices.IndexFunc(a.files, func(f file) bool { return f.version == m.Version })
		if i < 0 {
			return nil, fmt.Errorf("area %q: a newer version of the service migrated the database: use that one to go back", a.Area)
		}
		t, err := a.plan(ctx, db, a.files[i])
		if err != nil {
			return nil, err
		}
		plan = append(plan, t)
	}

	return plan, nil
}

func (a area) plan(ctx context.Context, db *database.DB, f file) (Taken, error) {
	written, err := fs.ReadFile(a.FS, f.name)
	if err != nil {
		return Taken{}, err
	}
	t := Taken{File: f.name, Rows: map[string]int64{}}
	_, down, _ := strings.Cut(string(written), "-- +goose Down")
	for _, s := range statements(tokenize(down)) {
		t.Statements = append(t.Statements, s.String())
		if !s.has(0, "DROP", "TABLE") {
			continue
		}
		for _, table := range s.objects() {
			var n int64
			err := db.SQL().QueryRowContext(ctx, "SELECT count(*) FROM "+strconv.Quote(table.name)).Scan(&n)
			if err != nil {
				return Taken{}, fmt.Errorf("%s: %s: %w", f.name, table.name, database.Translate(err))
			}
			t.Rows[table.name] = n
		}
	}

	return t, nil
}
