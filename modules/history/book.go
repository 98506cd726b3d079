package history

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/history/historyapi"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
)

// actions are what is done to entries, in the audit trail: that one was created is shown by the entry itself.
const (
	actions       = "history.entry."
	actionCreated = actions + created
	created       = "created"
)

// book stores entries, and says so in the audit trail.
type book struct {
	db         *database.DB
	repository *repository
	trail      *audit.Log
	bus        *events.Bus
}

func newBook(db *database.DB, r *repository, trail *audit.Log, bus *events.Bus) *book {
	return &book{db: db, repository: r, trail: trail, bus: bus}
}

// add stores a new entry.
func (b *book) add(ctx context.Context, row *entry) error {
	return b.db.InTx(ctx, func(ctx context.Context) error {
		if err := b.repository.insert(ctx, row); err != nil {
			return err
		}
		if err := b.record(ctx, created, entry{}, *row); err != nil {
			return err
		}

		return b.bus.Publish(ctx, historyapi.EntryCreated{Entry: row.ID.String(), ItemType: row.ItemType, Item: row.ItemID.String(), Kind: row.Kind})
	})
}

// change holds an entry, lets do change it if it may be changed, and stores it.
func (b *book) change(
	ctx context.Context, id uuid.UUID, action string, may func(context.Context, entry) error, do func(*entry) error,
) (row entry, err error) {
	err = b.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = b.repository.findForUpdate(ctx, id); err != nil {
			return err
		}
		if err := may(ctx, row); err != nil {
			return err
		}
		before := row
		if err := do(&row); err != nil {
			return err
		}
		if err := b.repository.save(ctx, &row); err != nil {
			return err
		}

		return b.record(ctx, action, before, row)
	})

	return row, err
}

// record leaves an entry in the audit trail, with what changed.
func (b *book) record(ctx context.Context, happened string, before, after entry) error {
	changes := map[string]audit.Change{}
	was := before.texts()
	for key, is := range after.texts() {
		switch {
		case before.Version == 0 && is != "":
			changes[key] = audit.Change{After: is}
		case before.Version != 0 && was[key] != is:
			changes[key] = audit.Change{Before: was[key], After: is}
		}
	}

	return b.trail.Record(ctx, audit.Entry{
		Action: actions + happened, Item: audit.Item{Type: "history.entry", UUID: after.ID, Part: after.ItemPart}, Changes: changes,
	})
}
