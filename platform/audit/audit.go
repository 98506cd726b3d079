// Package audit keeps, for each company, who changed what, in a chain that shows when it was
// tampered with.
//
// Every call of the API that writes leaves an entry, in the transaction of the write: no write
// without its entry, and no entry of a write that was rolled back. An area that says more calls
// Record, and its entries then stand in place of that one.
//
//	err := s.db.InTx(ctx, func(ctx context.Context) error {
//		// … the write itself …
//		return s.audit.Record(ctx, audit.Entry{
//			Action:  "loads.rate_changed",
//			Item:    audit.Item{Type: "loads.load", UUID: load.ID},
//			Changes: map[string]audit.Change{"rate": {Before: "900.00", After: load.Rate}},
//		})
//	})
//
// An entry is there with the write. Right after the commit it is sealed: it gets its number in the
// company, from 1 without a gap, and a hash that covers its content and the hash of the one before,
// so an entry that is changed, removed or put between others breaks the chain from there on; Verify
// says where. Sealing apart from the write is what lets a company's writes commit side by side (see
// docs/adr/0016).
package audit

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Entry is what an area says of a write.
type Entry struct {
	// Action names what was done: "loads.rate_changed".
	Action string
	Item   Item
	// Changes are the values that changed, by key. They are stored as JSON; values of sensitive
	// keys, inside others too, are hashed instead (audit.sensitive).
	Changes map[string]Change
}

// Item is the thing that was written; the zero Item says none.
type Item struct {
	// Type is the item type: "loads.load".
	Type string
	UUID uuid.UUID
	// Part is what item.Class calls so: who may not know of it is not shown the entry. "" is for everybody.
	Part string
}

// Change is a value before and after; nil is none.
type Change struct {
	Before any `json:"before"`
	After  any `json:"after"`
}

// Log is the audit trail. It may be used from several goroutines.
type Log struct {
	db         *database.DB
	clock      clock.Clock
	repository *repository
	sensitive  sensitive
	everyWrite bool
	log        *slog.Logger

	woken chan struct{}
	stop  context.CancelFunc
	ended chan struct{}
}

// New returns the audit trail of a database, and sees to it that what is recorded is stored.
func New(db *database.DB, c clock.Clock, s Settings, keys Keys, log *slog.Logger) *Log {
	l := &Log{
		db: db, clock: c, repository: &repository{db: db, inserts: newInserts()}, sensitive: newSensitive(s.Sensitive, keys),
		everyWrite: s.EveryWrite, log: log, woken: make(chan struct{}, 1),
	}
	db.BeforeCommit(l.complete)

	return l
}

// Record adds an entry of the company of who is calling to the transaction in ctx; without one it
// fails. The entry goes with the savepoint that it was recorded in when that is undone.
func (l *Log) Record(ctx context.Context, e Entry) error {
	row, err := l.row(ctx, e)
	if err != nil {
		return fmt.Errorf("audit entry %q: %w", e.Action, err)
	}

	return l.db.Note(ctx, row)
}

// List returns a page of the entries of who is calling, without those of hidden parts of items (item.Registry.Hidden);
// the query is parsed with Schema.
func (l *Log) List(ctx context.Context, q list.Query, hidden []string) (list.Page[Recorded], error) {
	page, err := l.repository.list(ctx, q, hidden)

	return list.Convert(page, entryRow.recorded), err
}

// complete stores what a transaction recorded. With every_write, a call of the API that recorded
// nothing but wrote leaves the entry that is made of the call.
func (l *Log) complete(ctx context.Context) error {
	rows := database.Notes[entryRow](ctx)
	if len(rows) == 0 {
		op := telemetry.OperationOf(ctx)
		if op.ID == "" || !l.everyWrite {
			return nil
		}
		row, err := l.row(ctx, Entry{Action: op.ID, Item: Item{UUID: op.Item}})
		if err != nil {
			return err
		}
		rows = []entryRow{row}
	}

	l.db.AfterCommit(ctx, l.wakeSealer)

	return l.repository.add(ctx, rows)
}

// row is the entry with what the context knows.
func (l *Log) row(ctx context.Context, e Entry) (entryRow, error) {
	who, _ := principal.From(ctx)
	op := telemetry.OperationOf(ctx)
	changes, err := l.sensitive.canonical(e.Changes)
	if err != nil {
		return entryRow{}, err
	}
	row := entryRow{
		ID: database.NewID(), At: l.clock.Now(), Action: e.Action, Operation: op.ID,
		ItemType: e.Item.Type, ItemID: uuidOrNil(e.Item.UUID), ItemPart: e.Item.Part, Changes: changes,
		ActorKind: string(who.Kind), ActorID: uuidOrNil(who.User), TokenID: uuidOrNil(who.Token),
		RequestID: telemetry.RequestID(ctx), Address: op.Address,
	}
	row.CompanyID = who.Company

	return row, nil
}

func uuidOrNil(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}

	return &id
}
