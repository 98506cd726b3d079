package secret

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Recognise makes sure that the database was used with one of these master keys before, or with
// none, and notes the one in use. A key that was lost and made anew, or is another on one replica,
// is found here, before anything is encrypted that others cannot read.
func (k *Keys) Recognise(ctx context.Context, db *database.DB) error {
	r := k.ring.Load()
	if r == nil {
		return errNotStarted
	}
	rows := repository{db: db}
	known, err := rows.known(ctx)
	if err != nil {
		return fmt.Errorf("reading the known master keys: %w", err)
	}
	if len(known) > 0 && !slices.ContainsFunc(known, func(row keyRow) bool { return r.hasMaster(row.ID) }) {
		last := known[len(known)-1]

		return fmt.Errorf("secret.key is not the master key of this database, whose id is %08x (since %s): "+
			"bring that key back, or see docs/secret.md if it is lost", last.ID, last.CreatedAt.Format(time.DateOnly))
	}
	k.fresh.Store(len(known) == 0)
	if slices.ContainsFunc(known, func(row keyRow) bool { return row.ID == int64(r.ids[0]) }) {
		return nil
	}
	if err := rows.addMaster(ctx, int64(r.ids[0])); err != nil {
		return fmt.Errorf("storing the id of the master key: %w", err)
	}

	return nil
}
