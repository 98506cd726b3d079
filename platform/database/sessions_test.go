package database_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// poolers runs a test with the URL of a database, and those of it through a pooler in session mode and in transaction mode.
func poolers(t *testing.T, test func(t *testing.T, url, session, transaction string)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		if !strings.HasPrefix(url, "postgres") {
			return // no server, no pooler
		}
		test(t, url, databasetest.NewPooler(t, url, "session").URL, databasetest.NewPooler(t, url, "transaction").URL)
	})
}

func startOn(t *testing.T, url, session string) (*database.DB, error) {
	t.Helper()
	s := database.Defaults()
	s.URL, s.SessionURL = config.Secret(url), config.Secret(session)
	db, err := database.New(s, "", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	if err := db.Start(t.Context()); err != nil {
		return nil, err
	}
	t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })

	return db, nil
}

func TestStart_RefusesAPoolerThatSharesConnectionsBetweenTransactions(t *testing.T) {
	t.Parallel()
	poolers(t, func(t *testing.T, url, session, transaction string) {
		_, err := startOn(t, transaction, "")
		require.ErrorContains(t, err, "set database.session_url to the server itself")
		_, err = startOn(t, url, transaction)
		require.ErrorContains(t, err, "session_url: connections are shared")
		_, err = startOn(t, url, url[:strings.LastIndex(url, "/")]+"/postgres?sslmode=disable")
		require.ErrorContains(t, err, "session_url: not the database of database.url")
		_, err = startOn(t, session, "")
		require.NoError(t, err)
	})
}

func TestReady_FailsOnceThePoolerSharesConnections(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		if !strings.HasPrefix(url, "postgres") {
			return // no server, no pooler
		}
		pooler := databasetest.NewPooler(t, url, "session")
		db, err := startOn(t, pooler.URL, "")
		require.NoError(t, err)
		require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
			return db.Raw(ctx, "the test's").Exec("CREATE TABLE database_probes (id bigint PRIMARY KEY, probed_at timestamptz)").Error
		}))
		require.NoError(t, db.Ready(t.Context()))
		pooler.SetMode(t, "transaction")
		require.Eventually(t, func() bool {
			db.ForgetChecks()
			err = db.Ready(t.Context())

			return err != nil && strings.Contains(err.Error(), "set database.session_url")
		}, 10*time.Second, 50*time.Millisecond)
	})
}

func TestSessionURL_KeepsLocksAndListenersBehindATransactionPooler(t *testing.T) {
	t.Parallel()
	poolers(t, func(t *testing.T, url, session, transaction string) {
		for _, sessions := range []string{url, session} {
			db, err := startOn(t, transaction, sessions)
			require.NoError(t, err)
			conn, err := db.Connect(t.Context(), map[string]string{"tcp_keepalives_idle": "15"})
			require.NoError(t, err)
			defer func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
			var idle string
			require.NoError(t, conn.QueryRow(t.Context(), "SHOW tcp_keepalives_idle").Scan(&idle))
			require.Contains(t, []string{"15", "0"}, idle, "0 on a Unix socket")

			var all sync.WaitGroup
			problems := make([]error, 40)
			for i := range problems {
				all.Go(func() { problems[i] = writeTwice(t.Context(), db, "things_"+uuid.NewString()[:8]) })
			}
			all.Wait()
			require.NoError(t, errors.Join(problems...))
		}
	})
}

// writeTwice makes a table, and writes to it by a transaction and by statements that wait for no answer.
func writeTwice(ctx context.Context, db *database.DB, table string) error {
	return db.InTx(ctx, func(ctx context.Context) error {
		raw := func() *gorm.DB { return db.Raw(ctx, "a table of the test's") }
		if err := raw().Exec("CREATE TABLE " + table + " (n bigint)").Error; err != nil {
			return err
		}
		if err := raw().Exec("INSERT INTO "+table+" VALUES (?)", 1).Error; err != nil {
			return err
		}
		if err := db.Pipeline(ctx, "a table of the test's", "INSERT INTO "+table+" VALUES (?)", []any{2}, nil); err != nil {
			return err
		}
		var n int
		err := raw().Raw("SELECT sum(n) FROM " + table).Scan(&n).Error
		if err == nil && n != 3 {
			err = errors.New("a write is missing")
		}

		return err
	})
}

func TestTranslate_StatementsOfAnotherSessionNameTheSetting(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"26000", "08P01"} {
		err := database.Translate(&pgconn.PgError{Code: code})
		require.ErrorIs(t, err, database.ErrUnavailable)
		require.ErrorContains(t, errors.Unwrap(err), "database.session_url")
	}
	refused := &pgconn.PgError{Code: "08P01", Message: "unsupported startup parameter: geqo"}
	require.Equal(t, error(refused), database.Translate(refused))
}

func TestSettings_SessionURLIsOfPostgreSQL(t *testing.T) {
	t.Parallel()
	const server = "postgres://u:p@h/d"
	require.NoError(t, database.Settings{URL: server, SessionURL: server}.Validate())
	require.NoError(t, database.Settings{URL: server, SessionURL: "file:/run/secrets/url"}.Validate())
	require.ErrorContains(t, database.Settings{SessionURL: server}.Validate(), "only for PostgreSQL")
	require.ErrorContains(t, database.Settings{URL: server, SessionURL: "mysql://h"}.Validate(), "session_url: want postgres://")
}
