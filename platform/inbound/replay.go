package inbound

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// replayBatch is how many deliveries are replayed by one transaction.
const replayBatch = 500

// Selection is a part of the log.
type Selection struct {
	// State is what became of them.
	State State
	// Kind and Endpoint narrow it, unless they are zero.
	Kind     string
	Endpoint uuid.UUID
	// From and Before are bounds of when they came, the second not included, unless they are zero.
	From, Before time.Time
	// After is the last one that was replayed already.
	After uuid.UUID
}

// Replay has a delivery of the principal's company processed again, whatever became of it: by the same
// processor, soon. Errors: ErrDelivery, ErrBodyGone.
func (in *Inbox) Replay(ctx context.Context, id uuid.UUID) (Recorded, error) {
	var r row
	err := in.db.InTx(ctx, func(ctx context.Context) (err error) {
		if _, err = in.rows.find(ctx, id); err != nil {
			return err
		}
		kept, err := in.rows.withBodies(ctx, []uuid.UUID{id})
		if err != nil {
			return err
		}
		if len(kept) == 0 {
			return ErrBodyGone
		}
		if err := in.rows.requeue(ctx, kept); err != nil {
			return err
		}
		if r, err = in.rows.find(ctx, id); err != nil {
			return err
		}

		return in.enqueue(ctx, id)
	})

	return r.recorded(), err
}

// ReplayAll is Replay for a part of the log, the oldest first, 500 at most, without those whose bodies
// are no longer kept. It returns how many are replayed, and, if there are more, the After to go on with.
func (in *Inbox) ReplayAll(ctx context.Context, s Selection) (replayed int, next uuid.UUID, err error) {
	err = in.db.InTx(ctx, func(ctx context.Context) error {
		replayed, next = 0, uuid.Nil
		ids, err := in.rows.selectIDs(ctx, s, replayBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		if len(ids) == replayBatch {
			next = ids[len(ids)-1]
		}
		kept, err := in.rows.withBodies(ctx, ids)
		if err != nil || len(kept) == 0 {
			return err
		}
		replayed = len(kept)
		if err := in.rows.requeue(ctx, kept); err != nil {
			return err
		}

		return in.enqueue(ctx, kept...)
	})

	return replayed, next, err
}

// Find returns a delivery of the principal's company, and the request as it came, but for secrets and a body that is a
// file; nil if it is no longer kept. Errors: ErrDelivery.
func (in *Inbox) Find(ctx context.Context, id uuid.UUID) (Recorded, *Notification, error) {
	r, err := in.rows.find(ctx, id)
	if err != nil {
		return Recorded{}, nil, err
	}
	b, kept, err := in.rows.body(ctx, id)
	if err != nil || !kept {
		return r.recorded(), nil, err
	}
	n, err := b.notification()

	return r.recorded(), &n, err
}

// List returns a page of the company's deliveries; the query is parsed with Schema.
func (in *Inbox) List(ctx context.Context, q list.Query) (list.Page[Recorded], error) {
	page, err := in.rows.list(ctx, q)

	return list.Convert(page, row.recorded), err
}

// refusalsShown is how many refusals are shown.
const refusalsShown = 500

// Refusals returns what was refused at the company's endpoints, the latest first, 500 at most.
func (in *Inbox) Refusals(ctx context.Context) ([]Refusal, error) {
	in.writeRefusals(ctx)

	return in.rows.refusals(ctx, refusalsShown)
}

// Schema is what a list of deliveries may be asked for.
var Schema = list.Schema{
	ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true, Sortable: true},
	Fields: []list.Field{
		{Name: "kind", Expr: "kind", Kind: kind.Text, Filterable: true},
		{Name: "endpoint_uuid", Expr: "endpoint_id", Kind: kind.UUID, Filterable: true},
		{Name: "state", Expr: "state", Kind: kind.Text, Filterable: true},
		{Name: "received_at", Expr: "received_at", Kind: kind.Time, Filterable: true},
	},
	DefaultSort: []string{"-uuid"},
}
