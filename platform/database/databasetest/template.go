package databasetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

const (
	templatePrefix = "dispatchd_template_"
	// lockTemplate is held while a template is made; lockUse, shared, by each process that copies
	// it, so that nobody drops it.
	lockTemplate   = "SELECT pg_advisory_lock(hashtextextended($1, 0))"
	unlockTemplate = "SELECT pg_advisory_unlock(hashtextextended($1, 0))"
	lockUse        = "SELECT pg_advisory_lock_shared(hashtextextended($1, 1))"
	tryDrop        = "SELECT pg_try_advisory_lock(hashtextextended($1, 1))"
	unlockDrop     = "SELECT pg_advisory_unlock(hashtextextended($1, 1))"
	// staleTemplates are those made more than an hour ago, most likely by an older key.
	staleTemplates = `
		SELECT datname FROM pg_database
		WHERE datname LIKE 'dispatchd\_template\_%'
		AND (pg_stat_file('base/' || oid || '/PG_VERSION', true)).modification < now() - interval '1 hour'`
)

// copied prepares the template once, for all processes that test.
func (s postgresServer) copied(t testing.TB, key string, prepare func(context.Context, string) error) string {
	t.Helper()
	template := templatePrefix + strings.ToLower(key)
	require.NoError(t, shared.use(t.Context(), s.url, func(ctx context.Context, conn *pgx.Conn) error {
		if shared.templates[template] {
			return nil
		}
		if err := s.prepareOnce(ctx, conn, template, prepare); err != nil {
			return err
		}
		shared.templates[template] = true

		return nil
	}))

	return s.create(t, template)
}

func (s postgresServer) prepareOnce(
	ctx context.Context, conn *pgx.Conn, template string, prepare func(context.Context, string) error,
) (err error) {
	if _, err := conn.Exec(ctx, lockTemplate, template); err != nil {
		return err
	}
	defer func() {
		_, unlocked := conn.Exec(ctx, unlockTemplate, template)
		err = errors.Join(err, unlocked)
	}()
	if _, err := conn.Exec(ctx, lockUse, template); err != nil {
		return err
	}
	var done bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", template).Scan(&done); err != nil || done {
		return err
	}
	if err := dropStale(ctx, conn); err != nil {
		return err
	}
	fresh := template + "_new"
	if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+fresh+" WITH (FORCE)"); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+fresh+" TEMPLATE template0"); err != nil {
		return err
	}
	if err := prepare(ctx, s.of(fresh)); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+fresh+" RENAME TO "+template)

	return err
}

// dropStale drops old templates that no process copies.
func dropStale(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, staleTemplates)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := dropUnused(ctx, conn, name); err != nil {
			return err
		}
	}

	return nil
}

func dropUnused(ctx context.Context, conn *pgx.Conn, template string) (err error) {
	// One that was left half made goes by the name of what it was to become.
	lock := strings.TrimSuffix(template, "_new")
	var unused bool
	if err := conn.QueryRow(ctx, tryDrop, lock).Scan(&unused); err != nil || !unused {
		return err
	}
	defer func() {
		_, unlocked := conn.Exec(ctx, unlockDrop, lock)
		err = errors.Join(err, unlocked)
	}()
	_, err = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{template}.Sanitize())

	return err
}
