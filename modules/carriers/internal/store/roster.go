package store

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

// Roster finds, locks and bans the carriers of companies.
type Roster struct {
	carriers *resource.Resource[Carrier]
	db       *database.DB
}

// NewRoster returns a Roster.
func NewRoster(carriers *resource.Resource[Carrier], db *database.DB) *Roster {
	return &Roster{carriers, db}
}

// InTx runs a function in a transaction, which may be the caller's.
func (r *Roster) InTx(ctx context.Context, fn func(context.Context) error) error {
	return r.db.InTx(ctx, fn)
}

// AllStanding returns carriers by the requested ids; texts that are none are left out. For a merged carrier it returns the one that it was
// merged into.
func (r *Roster) AllStanding(ctx context.Context, ids ...string) (map[uuid.UUID]Carrier, error) {
	return r.allStanding(ctx, parsed(ids)...)
}

func (r *Roster) allStanding(ctx context.Context, ids ...uuid.UUID) (map[uuid.UUID]Carrier, error) {
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
	others, err := r.carriers.FindSome(ctx, into)

	return standing(rows, others), err
}

// standing returns rows by their ids. For a merged carrier it returns the one among the rows and others that it was merged into, and nothing if
// that one is merged itself or is not among them.
func standing(rows, others []Carrier) map[uuid.UUID]Carrier {
	unmerged := make(map[uuid.UUID]Carrier, len(rows)+len(others))
	for _, row := range slices.Concat(rows, others) {
		if row.MergedInto == nil {
			unmerged[row.ID] = row
		}
	}
	found := make(map[uuid.UUID]Carrier, len(rows))
	for _, row := range rows {
		id := row.ID
		if row.MergedInto != nil {
			id = *row.MergedInto
		}
		if stays, there := unmerged[id]; there {
			found[row.ID] = stays
		}
	}

	return found
}

// parsed returns the valid UUIDs among texts.
func parsed(texts []string) (ids []uuid.UUID) {
	for _, text := range texts {
		if id, err := uuid.Parse(text); err == nil {
			ids = append(ids, id)
		}
	}

	return ids
}

// Some returns the existing carriers among some, merged ones too.
func (r *Roster) Some(ctx context.Context, ids ...uuid.UUID) ([]Carrier, error) {
	return r.carriers.FindSome(ctx, ids)
}

// HoldStanding locks a carrier that was not merged into another one. Errors: carriers.carrier_not_found, carriers.merged.
func (r *Roster) HoldStanding(ctx context.Context, id uuid.UUID) error {
	if err := r.carriers.Hold(ctx, id); err != nil {
		return err
	}
	c, err := r.carriers.Find(ctx, id)
	if err == nil && c.MergedInto != nil {
		err = ErrMerged.WithDetail("merged_into_uuid", c.MergedInto)
	}

	return err
}

// Standing returns a carrier, or the one that it was merged into. Error: carriers.carrier_not_found.
func (r *Roster) Standing(ctx context.Context, id string) (Carrier, error) {
	found, err := r.AllStanding(ctx, id)
	if err != nil {
		return Carrier{}, err
	}
	for _, row := range found {
		return row, nil
	}

	return Carrier{}, r.carriers.NotFound()
}

// HoldSome returns the existing carriers among some, and locks them until the transaction ends.
func (r *Roster) HoldSome(ctx context.Context, ids []uuid.UUID) ([]Carrier, error) {
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

// Hold locks a carrier until the transaction ends. Error: carriers.carrier_not_found.
func (r *Roster) Hold(ctx context.Context, id uuid.UUID) error { return r.carriers.Hold(ctx, id) }

// Missing is the error of a carrier that does not exist.
func (r *Roster) Missing() *errs.Error { return r.carriers.NotFound() }

// Find returns a carrier. Error: carriers.carrier_not_found.
func (r *Roster) Find(ctx context.Context, id uuid.UUID) (Carrier, error) {
	return r.carriers.Find(ctx, id)
}

// Ban sets a carrier to do_not_use, unless it is already.
func (r *Roster) Ban(ctx context.Context, id uuid.UUID, reason string) error {
	c, err := r.carriers.Find(ctx, id)
	if err != nil || c.Status == DoNotUse {
		return err
	}
	_, err = r.carriers.Move(ctx, state.Move{UUID: id, Verb: string(ban), Reason: reason}, web.IfMatch{})

	return err
}
