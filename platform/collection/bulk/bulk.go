// Package bulk creates, changes and deletes many rows of a collection by one request: in one transaction, each item as if
// by itself, and all of them or as many as can be. A collection whose rows can be written so implements Writer; how it writes
// many rows by few statements is its own.
package bulk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// What Requests fail with.
var (
	// ErrInvalid says what is wrong with the shape of a request, or of one of its items.
	ErrInvalid = errs.New(errs.Invalid, "collection.invalid_bulk", "The given data was invalid.")
	// ErrRefused says what is wrong with the items of an atomic request.
	ErrRefused = errs.New(errs.Invalid, "collection.bulk_refused", "The given data was invalid. Nothing was changed.")
	// ErrNotWritable says that the rows of a collection cannot be written in bulk.
	ErrNotWritable = errs.New(errs.Conflict, "collection.no_bulk", "This collection does not support bulk writes.")
)

// Verb is what an item asks for.
type Verb string

// The verbs.
const (
	Create Verb = "create"
	Update Verb = "update"
	// Upsert changes the row that has the value of a unique field, or makes one.
	Upsert Verb = "upsert"
	Delete Verb = "delete"
	// Act does what an operation of the row does: a verb of its life, or another one.
	Act Verb = "act"
	// Put changes the row of a uuid, or makes it. Imports ask for it, requests do not.
	Put Verb = "put"
)

// Item is a part of a bulk request.
type Item struct {
	Do   Verb      `json:"do"`
	UUID uuid.UUID `json:"uuid,omitzero"`
	// Version is the one that the row must have, 0 for any.
	Version int64 `json:"version,omitempty"`
	// By is the key of the unique field of an upsert.
	By string `json:"by,omitempty"`
	// Payload is the values by the keys of fields: of a row that is there, a merge patch.
	Payload rawjson.Object `json:"payload,omitempty"`
	// Verb is the operation of an act, and Body its body; nil is an empty one.
	Verb string         `json:"verb,omitempty"`
	Body rawjson.Object `json:"body,omitempty"`
	// Wrong is why the item cannot be done, whatever there is.
	Wrong error `json:"-"`
}

// Outcome is what became of an item.
type Outcome struct {
	collection.Outcome

	// Size is how many bytes the row takes at least, and Show returns the row as the area answers with it, with its true size.
	// Both are of rows that are there.
	Size int
	Show func() (row any, size int)
	// Answer is what the operation of an act answered, if that is not the row.
	Answer json.RawMessage
}

// Writer is a collection whose rows are written in bulk.
type Writer interface {
	// MayDo returns nil if the caller may now ask for a verb; errs.Forbidden says that he may not for this one.
	MayDo(ctx context.Context, do Verb) error
	// Do does items in the transaction in ctx, each as if by itself and in this order, and calls done for each in that order.
	// Fields that an outcome's error names are as items have them: "payload.vin". If the items fail as a whole, what a failed one
	// has begun need not be undone. The error is of all.
	Do(ctx context.Context, items []Item, whole bool, done func(i int, o Outcome)) error
}

// Face is how an area takes bulk requests.
type Face struct {
	// Items is how many a request has at most, Room how many bytes of rows its answer has.
	Items, Room int
	// Invalid and Refused are the area's ErrInvalid and ErrRefused.
	Invalid, Refused *errs.Error
	// Acts does the acts, nil where rows have no verbs.
	Acts Acts
}

// Acts does what the operations of rows do.
type Acts interface {
	// Verbs are those that rows have, sorted.
	Verbs() []string
	// MayAct returns nil if the caller may ask for a verb, and else what its operation would answer.
	MayAct(ctx context.Context, verb string) error
	// Act does an item in the transaction in ctx. Fields that the error names are as items have them: "body.reason".
	Act(ctx context.Context, i Item) (Outcome, error)
}

// Done is what is answered of an item.
type Done struct {
	collection.Outcome

	// Shown is the row, nil of a deletion and where the answer has no room for it.
	Shown any
	// Answer is what the operation of an act answered, nil if that is the row, or if there is no room for it.
	Answer json.RawMessage
}

// Run does the items of a request that Check has found to be good, in a transaction. If it is atomic, either all items succeed,
// or nothing happens and the error is the face's Refused with what is wrong with each; else each succeeds or fails by itself.
// Errors are those of MayDo too, for a caller who may do none of the items, or not all of those that succeed or fail together.
func Run(ctx context.Context, db *database.DB, w Writer, f Face, b Body) ([]Done, error) {
	if err := checkPermissions(ctx, w, f.Acts, b); err != nil {
		return nil, err
	}
	var all []Done
	err := db.InTx(ctx, func(ctx context.Context) error {
		all = make([]Done, len(b.Items))
		left := room(f.Room)
		err := doInOrder(ctx, db, w, f.Acts, b, func(i int, o Outcome) {
			if b.Items[i].Do == Delete {
				o.Show = nil
			}
			all[i] = left.fit(o)
		})
		if err != nil || !b.atomic() {
			return err
		}
		if refusal := batchRefusal(all, f.Refused); refusal != nil {
			return refusal
		}

		return nil
	})

	return all, err
}

// checkPermissions asks for every verb once.
func checkPermissions(ctx context.Context, w Writer, acts Acts, b Body) error {
	type kind struct {
		do   Verb
		verb string
	}
	var no error
	asked := map[kind]bool{}
	for _, item := range b.Items {
		if asked[kind{item.Do, item.Verb}] || item.Wrong != nil {
			continue
		}
		asked[kind{item.Do, item.Verb}] = true
		var err error
		if item.Do == Act {
			err = acts.MayAct(ctx, item.Verb)
		} else {
			err = w.MayDo(ctx, item.Do)
		}
		switch {
		case err == nil && !b.atomic():
			return nil
		case err != nil && errs.KindOf(err) != errs.Forbidden:
			return err
		case err != nil:
			no = err
		}
	}

	return no
}

// batchRefusal says what is wrong with the items of an atomic request, nil if nothing is.
func batchRefusal(all []Done, as *errs.Error) *errs.Error {
	var found problems
	var refused []map[string]any
	for i, done := range all {
		refusal, failed := errors.AsType[*errs.Error](done.Err)
		if !failed {
			continue
		}
		if len(refusal.Fields) == 0 {
			found.add(itemPath(i), refusal.Message)
		}
		found.under(itemPath(i), refusal.Fields)
		if len(refused) < mostProblems {
			refused = append(refused, map[string]any{
				"item": i, "code": refusal.Code, "message": refusal.Message, "details": refusal.Details,
			})
		}
	}
	if refused == nil {
		return nil
	}

	return found.as(as).WithDetail("items", refused)
}
