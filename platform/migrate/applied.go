package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Applied is a migration and when it was applied.
type Applied struct {
	// Area is the area's id, "platform" for the platform's own.
	Area string `json:"area"`
	// Version counts from 1 in each area.
	Version int64 `json:"version"`
	// Name is the file's name, "" for a version that is applied but that this binary does not have,
	// because a newer one migrated the database.
	Name string `json:"name"`
	// AppliedAt is in UTC, to the second; zero while the migration is pending.
	AppliedAt time.Time `json:"applied_at,omitzero"`
}

// Status lists the migrations of all sources that are for this database, by area and version, the
// platform's first. It changes nothing.
func Status(ctx context.Context, db *database.DB, sources []Source) ([]Applied, error) {
	all, err := listAreas(sources, db.Dialect())
	if err != nil {
		return nil, err
	}
	applied, err := appliedVersions(ctx, db, all)
	if err != nil {
		return nil, err
	}
	list := []Applied{}
	for _, a := range all {
		list = append(list, a.status(applied[a.Area])...)
	}

	return list, nil
}

// versions is when each version of an area was applied.
type versions map[int64]time.Time

func (a area) status(applied versions) []Applied {
	list := make([]Applied, 0, len(a.files))
	known := map[int64]bool{}
	for _, f := range a.files {
		known[f.version] = true
		list = append(list, Applied{Area: a.Area, Version: f.version, Name: f.name, AppliedAt: applied[f.version]})
	}
	for version, at := range applied {
		if !known[version] {
			list = append(list, Applied{Area: a.Area, Version: version, AppliedAt: at})
		}
	}
	slices.SortFunc(list, func(x, y Applied) int { return int(x.Version - y.Version) })

	return list
}

// appliedVersions reads the version tables of all areas in one go: a start on a database that is up
// to date costs two queries, whatever the number of areas.
func appliedVersions(ctx context.Context, db *database.DB, all []area) (map[string]versions, error) {
	existing, err := versionTables(ctx, db)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, a := range all {
		if slices.Contains(existing, a.table()) {
			parts = append(parts, fmt.Sprintf(
				`SELECT '%s', version_id, %s FROM %s WHERE version_id > 0`, a.Area, appliedAt(db.Dialect()), a.table()))
		}
	}
	found := map[string]versions{}
	if len(parts) == 0 {
		return found, nil
	}
	var row struct {
		area    string
		version int64
		seconds int64
	}
	err = eachRow(ctx, db.SQL(), strings.Join(parts, ` UNION ALL `), func(rows *sql.Rows) error {
		if err := rows.Scan(&row.area, &row.version, &row.seconds); err != nil {
			return err
		}
		if found[row.area] == nil {
			found[row.area] = versions{}
		}
		found[row.area][row.version] = time.Unix(row.seconds, 0).UTC()

		return nil
	})

	return found, err
}

// appliedAt is the Unix time at which a version was applied. Goose stores the local time of the
// session on PostgreSQL, and UTC on SQLite.
func appliedAt(on database.Dialect) string {
	if on == database.SQLite {
		return `CAST(strftime('%s', tstamp) AS integer)`
	}

	return `extract(epoch FROM tstamp AT TIME ZONE current_setting('TimeZone'))::bigint`
}

// versionTables lists the version tables that exist.
func versionTables(ctx context.Context, db *database.DB) ([]string, error) {
	query := `SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename LIKE 'goose\_%'`
	if db.Dialect() == database.SQLite {
		query = `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'goose\_%' ESCAPE '\'`
	}
	var names []string
	err := eachRow(ctx, db.SQL(), query, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)

		return err
	})

	return names, err
}

// eachRow runs the query and calls scan for each row.
func eachRow(ctx context.Context, db *sql.DB, query string, scan func(*sql.Rows) error) (err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("reading the version tables: %w", database.Translate(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return fmt.Errorf("reading the version tables: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading the version tables: %w", database.Translate(err))
	}

	return nil
}
