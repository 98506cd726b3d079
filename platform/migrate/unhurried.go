package migrate

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/dispatchd/dispatchd/platform/database"
)

// unhurried has the connection of goose, which knows it as its lock, not wait for the disk with each commit, of which a first start has 145.
// A crash takes back the last migrations, each of them whole, and none without all that was written since: the next start applies them again.
type unhurried struct{ on database.Dialect }

// SessionLock implements lock.SessionLocker.
func (u unhurried) SessionLock(ctx context.Context, conn *sql.Conn) error {
	if u.on == database.SQLite {
		return set(ctx, conn, "PRAGMA synchronous=NORMAL")
	}

	return set(ctx, conn, "SET synchronous_commit TO off")
}

// SessionUnlock implements lock.SessionLocker.
func (u unhurried) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	if u.on == database.SQLite {
		return set(ctx, conn, "PRAGMA synchronous=FULL")
	}

	return set(ctx, conn, "RESET synchronous_commit")
}

func set(ctx context.Context, conn *sql.Conn, statement string) error {
	if _, err := conn.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}

	return nil
}
