package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Actor is a collection whose rows have verbs: the operations of their area, and those that other areas add.
type Actor interface {
	// Thing says where the operations are.
	Thing() web.Thing
	// Lock returns the version of a row, which stays unchanged until the transaction ends.
	Lock(ctx context.Context, id uuid.UUID) (version int64, err error)
	// Shown returns a row in JSON, as the caller sees it, and its version. Its error is errs.NotFound for one that is gone.
	Shown(ctx context.Context, id uuid.UUID) (row json.RawMessage, version int64, err error)
}

// operations are the acts of an actor.
type operations struct {
	api *web.API
	of  Actor
}

// Verbs implements Acts.
func (o operations) Verbs() []string { return o.api.Verbs(o.of.Thing()) }

// MayAct implements Acts.
func (o operations) MayAct(ctx context.Context, verb string) error {
	return o.api.MayAct(ctx, o.of.Thing(), verb)
}

// Act implements Acts.
func (o operations) Act(ctx context.Context, i Item) (Outcome, error) {
	thing := o.of.Thing()
	if i.Version != 0 && !o.api.Conditional(thing, i.Verb) {
		current, err := o.of.Lock(ctx, i.UUID)
		if err == nil {
			err = web.IfVersion(i.Version).Check(current)
		}
		if err != nil {
			return Outcome{}, err
		}
	}
	acted, err := o.api.Act(ctx, thing, web.Act{Verb: i.Verb, UUID: i.UUID, Version: i.Version, Body: i.Body})
	if err != nil {
		return Outcome{}, errs.Named(err, func(field string) string { return "body." + strings.TrimPrefix(field, "body.") })
	}
	made := Outcome{Outcome: collection.Outcome{Written: collection.Written{Row: i.UUID}}}
	if acted.Location != thing.Path+"/"+i.UUID.String() {
		made.Answer = acted.Body
	}
	row, version, err := o.of.Shown(ctx, i.UUID)
	if errs.KindOf(err) == errs.NotFound {
		return made, nil
	}
	made.After, made.Size = version, len(row)
	made.Show = func() (any, int) { return row, len(row) }

	return made, err
}

// doInOrder does the items in their order: acts one by one, and what is between them together.
func doInOrder(ctx context.Context, db *database.DB, w Writer, acts Acts, b Body, done func(i int, o Outcome)) error {
	for from := 0; from < len(b.Items); {
		if b.Items[from].Do == Act {
			o, err := actAlone(ctx, db, acts, b.Items[from])
			if err != nil {
				return err
			}
			done(from, o)
			from++

			continue
		}
		to := from
		for to < len(b.Items) && b.Items[to].Do != Act {
			to++
		}
		if err := w.Do(ctx, b.Items[from:to], b.atomic(), func(i int, o Outcome) { done(from+i, o) }); err != nil {
			return err
		}
		from = to
	}

	return nil
}

// actAlone does an act; its refusal undoes what it has begun. The error is of all items.
func actAlone(ctx context.Context, db *database.DB, acts Acts, i Item) (o Outcome, err error) {
	if i.Wrong != nil {
		return Outcome{Outcome: collection.Outcome{Err: i.Wrong}}, nil
	}
	err = db.Savepoint(ctx, func(ctx context.Context) error {
		o, err = acts.Act(ctx, i)

		return err
	})
	if _, expected := errors.AsType[*errs.Error](err); err == nil || !expected || errs.KindOf(err) == errs.Unavailable || errs.KindOf(err) == errs.Internal {
		return o, err
	}

	return Outcome{Outcome: collection.Outcome{Err: errs.Explained(ctx, err)}}, nil
}
