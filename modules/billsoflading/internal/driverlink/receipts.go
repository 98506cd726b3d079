package driverlink

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/share"
)

// entriesPerHour and entriesPerDay are how many entries may come by the drivers' links to a load.
const entriesPerHour, entriesPerDay = 3_000, 6_000

// Receipts has each entry of a phone be applied once.
type Receipts struct {
	rows  *store.Repository
	given *share.Service
}

// NewReceipts returns Receipts.
func NewReceipts(rows *store.Repository, given *share.Service) *Receipts {
	return &Receipts{rows, given}
}

// recorded is what an entry has made.
type recorded struct {
	Kind string    `json:"kind" enum:"inspection,damage,photo,submit,signature"`
	UUID uuid.UUID `json:"uuid" doc:"Of the inspection, the damage, the photo or the signature."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (recorded) SchemaName() string { return "DriverRecorded" }

// kept is what an entry has made, and the checksum of the entry; "" for one that was kept without.
type kept struct {
	recorded

	Sum string `json:"sum"`
}

// entry is something that a phone has sent for a load. Without an id of the client it is applied each time.
type entry struct {
	load, client uuid.UUID
	kind         string
	content      any
}

// once applies an entry, unless it was applied before: then the response is as it was. An id that was used for another entry, or for the same one with
// other content, is refused. Error: ErrClientIDUsed.
func (k *Receipts) once(ctx context.Context, e entry, apply func(ctx context.Context) (uuid.UUID, error)) (recorded, error) {
	if e.client == uuid.Nil {
		return k.counted(ctx, e, apply)
	}
	content, err := json.Marshal(e.content)
	if err != nil {
		return recorded{}, err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(content))
	if was, err := k.before(ctx, e, sum); !errors.Is(err, store.ErrNone) {
		return was, err
	}
	var out recorded
	claimed := false
	err = k.rows.InTx(ctx, func(ctx context.Context) error {
		claimed = false
		if err := k.rows.Claim(ctx, e.load, e.client); err != nil {
			return err
		}
		claimed = true
		if out, err = k.counted(ctx, e, apply); err != nil {
			return err
		}
		text, err := json.Marshal(kept{out, sum})
		if err != nil {
			return err
		}

		return k.rows.Answer(ctx, e.load, e.client, text)
	})
	if !claimed && errors.Is(err, database.ErrDuplicate) { // at the same time
		return k.before(ctx, e, sum)
	}

	return out, err
}

// counted applies an entry as one of those that may come by the links to a load.
func (k *Receipts) counted(ctx context.Context, e entry, apply func(ctx context.Context) (uuid.UUID, error)) (out recorded, err error) {
	out.Kind = e.kind
	err = k.rows.InTx(ctx, func(ctx context.Context) error {
		if err := k.given.AllowEntries(ctx, "load "+e.load.String(), 1, entriesPerHour, entriesPerDay); err != nil {
			return err
		}
		out.UUID, err = apply(ctx)

		return err
	})

	return out, err
}

// before returns what an entry has made before. Errors: ErrNone, ErrClientIDUsed.
func (k *Receipts) before(ctx context.Context, e entry, sum string) (recorded, error) {
	known, err := k.rows.Receipt(ctx, e.load, e.client)
	if err != nil {
		return recorded{}, err
	}
	var was kept
	if err := json.Unmarshal(known.Answer, &was); err != nil {
		return recorded{}, err
	}

	return was.recorded, was.refuseOther(e.kind, sum)
}

// refuseOther refuses an entry that is another one than that which was kept with its id.
func (k kept) refuseOther(kind, sum string) error {
	if k.Kind == kind && (k.Sum == "" || k.Sum == sum) {
		return nil
	}

	return store.ErrClientIDUsed.WithField("client_id", "`client_id` was used for another entry, or for this one with other content. Make up a new one.")
}
