package database

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Listen opens a connection of its own to PostgreSQL, outside the pool, and subscribes it to a
// channel. The caller closes it. The error is ErrUnavailable where the server does not answer.
func (db *DB) Listen(ctx context.Context, channel string) (*pgx.Conn, error) {
	if db.dialect != Postgres {
		return nil, errors.New("database: SQLite has no notifications")
	}
	cfg, err := pgx.ParseConfig(db.place)
	if err != nil {
		return nil, errors.New("database.url is not a PostgreSQL URL") // the error of pgx would quote it
	}
	cfg.ConnectTimeout = connectTimeout
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "dispatchd"
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, Translate(err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return nil, Translate(errors.Join(err, conn.Close(context.WithoutCancel(ctx))))
	}

	return conn, nil
}
