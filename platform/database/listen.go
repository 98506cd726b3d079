package database

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Listen opens a connection of its own to PostgreSQL, outside the pool, and subscribes it to a
// channel. The caller closes it. The error is ErrUnavailable where the server does not answer.
func (db *DB) Listen(ctx context.Context, channel string) (*pgx.Conn, error) {
	conn, err := db.Connect(ctx, nil)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return nil, Translate(errors.Join(err, conn.Close(context.WithoutCancel(ctx))))
	}

	return conn, nil
}

// Connect opens a connection of its own to PostgreSQL, outside the pool, with parameters of the session that
// the URL does not set. The caller closes it. The error is ErrUnavailable where the server does not answer.
func (db *DB) Connect(ctx context.Context, parameters map[string]string) (*pgx.Conn, error) {
	if db.dialect != Postgres {
		return nil, errors.New("database: SQLite has no separate connections for notifications")
	}
	cfg, err := pgx.ParseConfig(cmp.Or(db.sessionPlace, db.place))
	if err != nil {
		return nil, errors.New("database.url is not a PostgreSQL URL") // the error of pgx would quote it
	}
	cfg.ConnectTimeout = connectTimeout
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "dispatchd"
	}

	return connectSession(ctx, cfg, parameters)
}

// Beside returns the name of a file beside that of SQLite, and false where the database is no file.
func (db *DB) Beside(suffix string) (path string, ok bool) {
	if db.dialect != SQLite || inMemory(db.place) {
		return "", false
	}

	return filePath(db.place) + suffix, true
}
