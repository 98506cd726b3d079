package carriers

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// roster finds, locks and bans the carriers of companies.
type roster struct {
	carriers *resource.Resource[carrier]
	db       *database.DB
}

func newRoster(carriers *resource.Resource[carrier], db *database.DB) *roster {
	return &roster{carriers, db}
}

// inTx runs a function in a transaction, which may be the caller's.
func (r *roster) inTx(ctx context.Context, fn func(context.Context) error) error {
	return r.db.InTx(ctx, fn)
}

// standingOnes returns carriers by the requested ids. For a merged carrier it returns the one that it was merged into.
func (r *roster) standingOnes(ctx context.Context, ids ...uuid.UUID) (map[uuid.UUID]carrier, error) {
	rows, err := r.carriers.FindSome(ctx, ids)
	if err != nil {
		return nil, err
	}
	var into []uuid.UUID
	for _, row := range rows {
		if row.MergedInto != nil {
			into = append(into, *row.MergedInto)
		}
	}
	stay, err := r.carriers.FindSome(ctx, into)
	now := make(map[uuid.UUID]carrier, len(rows)+len(stay))
	for _, row := range slices.Concat(rows, stay) {
		if row.MergedInto == nil {
			now[row.ID] = row
		}
	}
	for _, row := range rows {
		if row.MergedInto == nil {
			continue
		}
		if stays, there := now[*row.MergedInto]; there {
			now[row.ID] = stays
		}
	}
	for id := range now {
		if !slices.Contains(ids, id) {
			delete(now, id)
		}
	}

	return now, err
}

// some returns the existing carriers among some, merged ones too.
func (r *roster) some(ctx context.Context, ids ...uuid.UUID) ([]carrier, error) {
	return r.carriers.FindSome(ctx, ids)
}

// standing returns a carrier, or the one that it was merged into. Error: carriers.carrier_not_found.
func (r *roster) standing(ctx context.Context, id uuid.UUID) (carrier, error) {
	found, err := r.standingOnes(ctx, id)
	if err != nil {
		return carrier{}, err
	}
	row, there := found[id]
	if !there {
		return row, r.carriers.NotFound()
	}

	return row, nil
}

// holdStanding locks a carrier that was not merged into another one. Errors: carriers.carrier_not_found, carriers.merged.
func (r *roster) holdStanding(ctx context.Context, id uuid.UUID) error {
	if err := r.carriers.Hold(ctx, id); err != nil {
		return err
	}
	c, err := r.carriers.Find(ctx, id)
	if err == nil && c.MergedInto != nil {
		err = errMerged.WithDetail("merged_into_uuid", c.MergedInto)
	}

	return err
}

// standingText is standing for an id in text.
func (r *roster) standingText(ctx context.Context, id string) (carrier, error) {
	asked, err := uuid.Parse(id)
	if err != nil {
		return carrier{}, r.carriers.NotFound()
	}

	return r.standing(ctx, asked)
}

// holdSome returns the existing carriers among some, and locks them until the transaction ends.
func (r *roster) holdSome(ctx context.Context, ids []uuid.UUID) ([]carrier, error) {
	rows, err := r.carriers.FindSome(ctx, ids)
	if err != nil {
		return nil, err
	}
	there := make([]uuid.UUID, len(rows))
	for i := range rows {
		there[i] = rows[i].ID
	}
	if err := r.carriers.Hold(ctx, there...); err != nil {
		return nil, err
	}

	return r.carriers.FindSome(ctx, there)
}

// hold locks a carrier until the transaction ends. Error: carriers.carrier_not_found.
func (r *roster) hold(ctx context.Context, id uuid.UUID) error { return r.carriers.Hold(ctx, id) }

// missing is the error of a carrier that does not exist.
func (r *roster) missing() *errs.Error { return r.carriers.NotFound() }

// find returns a carrier. Error: carriers.carrier_not_found.
func (r *roster) find(ctx context.Context, id uuid.UUID) (carrier, error) {
	return r.carriers.Find(ctx, id)
}

// ban sets a carrier to do_not_use, unless it is already.
func (r *roster) ban(ctx context.Context, id uuid.UUID, reason string) error {
	c, err := r.carriers.Find(ctx, id)
	if err != nil || c.Status == doNotUse {
		return err
	}
	_, err = r.carriers.Move(ctx, state.Move{UUID: id, Verb: string(ban), Reason: reason}, web.IfMatch{})

	return err
}
