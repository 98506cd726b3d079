package databasetest

import (
	"context"
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
	return shared.use(ctx, s.url, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)

		return err
	})
}
