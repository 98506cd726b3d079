package offers

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Reviser keeps the carriers of open offers informed of what changes of the load.
type Reviser struct {
	offers *resource.Resource[store.Offer]
	rows   *store.Repository
	views  *Views
	writer *messages.Writer
	clock  clock.Clock
}

// NewReviser returns a Reviser.
func NewReviser(offers *resource.Resource[store.Offer], rows *store.Repository, v *Views, w *messages.Writer, c clock.Clock) *Reviser {
	return &Reviser{offers, rows, v, w, c}
}

// Revise records with the open offers for a load, which is held, what has changed since it was shown to their carriers, and writes to them by the
// channels of the offers. They answer what they see from then on.
func (r *Reviser) Revise(ctx context.Context, load uuid.UUID) error {
	now, view := r.clock.Now(), r.views.Now()
	open, err := r.rows.OpenOffers(ctx, load)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, o := range open {
		if !o.IsOpen() || o.IsPast(now) {
			continue
		}
		facts, err := view.Facts(ctx, o)
		if err != nil {
			return err
		}
		if len(facts.ChangesFrom(o.Shown.V)) > 0 {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var revised []uuid.UUID
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	all, err := r.offers.ChangeSome(ctx, ids, store.VerbRevise, func(ctx context.Context, o *store.Offer) error {
		if !o.IsOpen() || o.IsPast(now) { // it was answered meanwhile
			return nil
		}
		facts, err := view.Facts(ctx, *o)
		if err != nil {
			return err
		}
		changes := facts.ChangesFrom(o.Shown.V)
		if len(changes) == 0 || o.ShownKey == "" { // it was not kept what the carrier of an older offer was shown
			o.KeepShown(facts)

			return nil
		}
		o.Record(ctx, string(store.VerbRevise), o.Current(store.Proposal{Party: store.System, Changes: changes}), now)
		o.KeepShown(facts)
		revised = append(revised, o.ID)

		return nil
	})
	if err != nil {
		return err
	}
	for _, o := range all {
		if len(o.Channels.V) == 0 || !slices.Contains(revised, o.ID) {
			continue
		}
		_, err := r.writer.WriteOffer(ctx, o, func(load string) string {
			return "The load " + load + " that we offer you has changed: " + loadview.LabelsOf(o.LastRevisedFields()) + ". Please look at it again."
		})
		if err := store.IgnoreRefusal(err); err != nil { // the revision counts though no channel reaches the carrier
			return err
		}
	}

	return nil
}
