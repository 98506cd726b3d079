package migrate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/pressly/goose/v3"

	"github.com/dispatchd/dispatchd/platform/database"
)

// provider makes the goose provider of the area, which tells run what it does.
func (a area) provider(db *database.DB, run *recorder) (*goose.Provider, error) {
	dialect := goose.DialectPostgres
	if db.Dialect() == database.SQLite {
		dialect = goose.DialectSQLite3
	}
	texts, err := a.render(db.Dialect())
	if err != nil {
		return nil, fmt.Errorf("migrations of area %q: %w", a.Area, err)
	}
	provider, err := goose.NewProvider(dialect, db.SQL(), rendered{a.FS, texts},
		goose.WithTableName(a.table()),
		goose.WithSessionLocker(unhurried{db.Dialect()}),
		goose.WithExcludeNames(a.skipped),
		goose.WithDisableGlobalRegistry(true),
		goose.WithVerbose(true),
		goose.WithSlog(slog.New(run)),
	)
	if err != nil {
		return nil, fmt.Errorf("migrations of area %q: %w", a.Area, err)
	}

	return provider, nil
}

// explain adds to an error of goose where it happened.
func (a area) explain(err error, run *recorder) error {
	if err == nil {
		return nil
	}
	partial, ok := errors.AsType[*goose.PartialError](err)
	if !ok {
		return fmt.Errorf("migrations of area %q: %w", a.Area, err)
	}

	return fmt.Errorf("migrations of area %q: %s: %s: %w", a.Area, partial.Failed.Source.Path, run.last(), partial.Err)
}

// recorder is a log handler that remembers the statement that goose announced last: its errors do
// not name the one that failed.
type recorder struct{ statement string }

// Enabled implements slog.Handler.
func (*recorder) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (r *recorder) Handle(_ context.Context, record slog.Record) error {
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "statement" {
			r.statement = a.Value.String()
		}

		return true
	})

	return nil
}

// WithAttrs implements slog.Handler.
func (r *recorder) WithAttrs([]slog.Attr) slog.Handler { return r }

// WithGroup implements slog.Handler.
func (r *recorder) WithGroup(string) slog.Handler { return r }

// last returns the beginning of the statement on one line.
func (r *recorder) last() string {
	all := statements(tokenize(r.statement))
	if len(all) == 0 {
		return "no statement"
	}

	return all[0].String()
}
