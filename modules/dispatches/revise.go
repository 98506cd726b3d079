package dispatches

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// reviser keeps the carriers of open offers informed of what changes of the load.
type reviser struct{ desk *desk }

// revise records with the open offers for a load, which is held, what is not as their carriers were shown it, and writes to them by the channels of
// the offers. They answer what they see from then on.
func (r reviser) revise(ctx context.Context, load uuid.UUID) error {
	d, now, see := r.desk, r.desk.now(), newViewer(r.desk)
	open, err := d.rows.OpenOffers(ctx, load)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, o := range open {
		if !o.IsOpen() || o.IsPast(now) {
			continue
		}
		is, err := see.facts(ctx, o)
		if err != nil {
			return err
		}
		if len(is.ChangesFrom(o.Shown.V)) > 0 {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var revised []uuid.UUID
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	all, err := d.offers.ChangeSome(ctx, ids, store.VerbRevise, func(ctx context.Context, o *store.Offer) error {
		if !o.IsOpen() || o.IsPast(now) { // it was answered meanwhile
			return nil
		}
		is, err := see.facts(ctx, *o)
		if err != nil {
			return err
		}
		changes := is.ChangesFrom(o.Shown.V)
		if len(changes) == 0 || o.ShownKey == "" { // it was not kept what the carrier of an older offer was shown
			o.KeepShown(is)

			return nil
		}
		o.Record(ctx, string(store.VerbRevise), store.Proposal{Party: store.System, Amount: o.Amount, Pickup: o.PickupDate, Delivery: o.DeliveryDate, Changes: changes}, now)
		o.KeepShown(is)
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
		_, err := d.tell(ctx, o, func(load string) string {
			return "The load " + load + " that we offer you has changed: " + loadview.LabelsOf(o.LastRevisedFields()) + ". Please look at it again."
		})
		if err := store.IgnoreRefusal(err); err != nil { // the revision counts though no channel reaches the carrier
			return err
		}
	}

	return nil
}

// sameAsShown refuses an answer to an offer, which is held as its load is, if the carrier was shown another load or other terms than there are now.
// A carrier that names a key has seen what the key stands for. One that does not has seen what the last of the transactions was about.
func (d *desk) sameAsShown(ctx context.Context, o store.Offer, s store.Proposal) error {
	is, err := newViewer(d).facts(ctx, o)
	if err != nil {
		return err
	}
	key := s.Key
	if key == "" {
		key = o.ShownKey
	}
	if fields := is.Differences(key); len(fields) > 0 {
		return store.ErrTermsChanged.WithDetail("fields", fields)
	}

	return nil
}

// agreedByCarrier refuses what the company accepts of a carrier's own answer, a counter or a late response, if the load is not what the carrier
// answered to. What a carrier has said otherwise, such as on the phone, is the company's word.
func (d *desk) agreedByCarrier(ctx context.Context, o store.Offer) error {
	if o.Turn != store.Broker && o.LateAt == nil {
		return nil
	}
	changes := o.ChangesSinceAnswer()
	if o.ShownKey != "" {
		is, err := newViewer(d).facts(ctx, o)
		if err != nil {
			return err
		}
		changes = append(changes, is.ChangesFrom(o.Shown.V)...)
	}
	if len(changes) == 0 {
		return nil
	}
	fields := loadview.FieldsOf(changes)
	slices.Sort(fields)

	return store.ErrTermsChanged.WithMessage("The load has changed since the carrier answered: see details.fields. Counter, or reactivate the offer, so that the carrier answers anew.").
		WithDetail("fields", slices.Compact(fields))
}
