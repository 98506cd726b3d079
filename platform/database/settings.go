package database

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/internal/dialect"
)

// Settings are the keys under database.
type Settings struct {
	URL            config.Secret `config:"url" doc:"Database to use: postgres://user:password@host/database, sqlite:/path/to/file.db, or empty for SQLite in the data folder."`
	SessionURL     config.Secret `config:"session_url" doc:"Where url is a pooler that shares connections between transactions (PgBouncer with pool_mode = transaction): the same PostgreSQL database without that pooler. Locks, notifications, job workers and migrations connect here; empty for url."`
	Migrate        bool          `config:"migrate" doc:"Whether the service migrates its tables when it starts. With false, run 'dispatchd migrate up' first."`
	CheckEvery     time.Duration `config:"check_every" doc:"How often to check the SQLite file for damage while the service runs, in addition to the check at start; 0 is never. The service stops if the file is damaged."`
	MaxConnections int           `config:"max_connections" doc:"Maximum number of connections to PostgreSQL from this process, or of SQLite readers. 0 is four per processor, and at least 16 for PostgreSQL, of which jobs take a half at most."`
}

var errNotPostgres = errors.New("url: not a PostgreSQL URL, want postgres://user:password@host:port/database")

// Defaults are SQLite in the data folder, brought up to date on start.
func Defaults() Settings { return Settings{Migrate: true, CheckEvery: 24 * time.Hour} }

// Validate reports a URL of another database.
func (s Settings) Validate() error {
	if s.MaxConnections < 0 {
		return errors.New("max_connections: want 0 or more")
	}
	if s.CheckEvery < 0 {
		return errors.New("check_every: want 0s or more")
	}
	if err := s.validateSessionURL(); err != nil {
		return err
	}
	url := s.URL.Reveal()
	if url == "sqlite:" || url == "sqlite:///" || url == "sqlite::memory:" {
		return errors.New("url: want sqlite:/path/to/file.db")
	}
	for _, prefix := range []string{"sqlite:", "postgres://", "postgresql://", "file:"} {
		if url == "" || strings.HasPrefix(url, prefix) {
			return checkURL(url)
		}
	}

	return errors.New("url: want postgres://user:password@host/database or sqlite:/path/to/file.db")
}

func (s Settings) validateSessionURL() error {
	session := s.SessionURL.Reveal()
	if session == "" || strings.HasPrefix(session, "file:") {
		return nil
	}
	if dialect, _ := s.place(""); dialect != Postgres {
		return errors.New("session_url: only for PostgreSQL, and url is SQLite")
	}
	if !strings.HasPrefix(session, "postgres") || checkURL(session) != nil {
		return errors.New("session_url: want postgres://user:password@host:port/database")
	}

	return nil
}

// checkURL reports a URL that PostgreSQL's driver does not understand, without quoting it.
func checkURL(url string) error {
	if !strings.HasPrefix(url, "postgres") {
		return nil
	}
	if _, err := pgxpool.ParseConfig(url); err != nil {
		return errNotPostgres
	}

	return nil
}

// connections is the size of the pool. Readers of SQLite work on the processors of this process and each
// has a cache of its own, while PostgreSQL is waited for.
func (s Settings) connections(dialect Dialect) int {
	if s.MaxConnections > 0 {
		return s.MaxConnections
	}
	all := 4 * runtime.GOMAXPROCS(0)
	if dialect == Postgres {
		return max(16, all)
	}

	return all
}

// Dialect says which database it is, where SQL differs.
type Dialect string

// The databases.
const (
	SQLite   Dialect = dialect.SQLiteName
	Postgres Dialect = "postgres"
)

// place returns the dialect and where the database is: a file, or the URL of a server.
func (s Settings) place(dataDir string) (Dialect, string) {
	url := s.URL.Reveal()
	if url == "" {
		return SQLite, filepath.Join(dataDir, "dispatchd.db")
	}
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return SQLite, strings.TrimPrefix(path, "//")
	}

	return Postgres, url
}
