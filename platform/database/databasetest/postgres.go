package databasetest

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// postgresServer makes databases on a server.
type postgresServer struct{ url string }

func (s postgresServer) empty(t testing.TB) string {
	t.Helper()

	return s.create(t, "template0")
}

// copied prepares the template under a lock, for all processes that test.
func (s postgresServer) copied(t testing.TB, key string, prepare func(context.Context, string) error) string {
	t.Helper()
	template := "dispatchd_template_" + strings.ToLower(key)
	require.NoError(t, s.connected(t.Context(), func(conn *pgx.Conn) error {
		return s.prepareOnce(t.Context(), conn, template, prepare)
	}))

	return s.create(t, template)
}

func (s postgresServer) prepareOnce(
	ctx context.Context, conn *pgx.Conn, template string, prepare func(context.Context, string) error,
) (err error) {
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", template); err != nil {
		return err
	}
	var done bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", template).Scan(&done); err != nil || done {
		return err
	}
	fresh := template + "_new"
	if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+fresh); err != nil {
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

// create makes a database and drops it when the test ends.
func (s postgresServer) create(t testing.TB, template string) string {
	t.Helper()
	name := "dispatchd_test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	require.NoError(t, s.exec(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+template))
	t.Cleanup(func() {
		require.NoError(t, s.exec(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)"))
	})

	return s.of(name)
}

// of returns the URL of a database of the server.
func (s postgresServer) of(name string) string {
	u, err := url.Parse(s.url)
	if err != nil {
		return s.url
	}
	u.Path = "/" + name

	return u.String()
}

func (s postgresServer) exec(ctx context.Context, statement string) error {
	return s.connected(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)

		return err
	})
}

func (s postgresServer) connected(ctx context.Context, work func(*pgx.Conn) error) (err error) {
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()

	return work(conn)
}
