package migrate

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

// newStore is the version table of an area.
func newStore(on goose.Dialect, table string) (database.Store, error) {
	store, err := database.NewStore(on, table)
	if extended, ok := store.(database.StoreExtender); ok && on == goose.DialectPostgres {
		return unhurried{extended}, err
	}

	return store, err
}

// unhurried commits without waiting for the disk, for which a first start waited more than a hundred times. A crash of the server takes
// back the last migrations, each of them whole, before it takes back anything that was written since: the next start applies them again.
type unhurried struct{ database.StoreExtender }

// CreateVersionTable implements database.Store.
func (u unhurried) CreateVersionTable(ctx context.Context, tx database.DBTxConn) error {
	if err := u.commit(ctx, tx); err != nil {
		return err
	}

	return u.StoreExtender.CreateVersionTable(ctx, tx)
}

// Insert implements database.Store. It is the last statement of a migration.
func (u unhurried) Insert(ctx context.Context, tx database.DBTxConn, version database.InsertRequest) error {
	if err := u.commit(ctx, tx); err != nil {
		return err
	}

	return u.StoreExtender.Insert(ctx, tx, version)
}

func (unhurried) commit(ctx context.Context, tx database.DBTxConn) error {
	if _, err := tx.ExecContext(ctx, "SET LOCAL synchronous_commit TO off"); err != nil {
		return fmt.Errorf("committing without waiting: %w", err)
	}

	return nil
}
