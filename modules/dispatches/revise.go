package dispatches

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
)

// reviser keeps the carriers of open offers informed of what changes of the load.
type reviser struct{ desk *desk }

// revise records with the open offers for a load, which is held, what is not as their carriers were shown it, and writes to them by the channels of
// the offers. They answer what they see from then on.
func (r reviser) revise(ctx context.Context, load uuid.UUID) error {
	d, now, see := r.desk, r.desk.now(), newViewer(r.desk)
	open, err := d.rows.openOf(ctx, load)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, o := range open {
		if !o.open() || o.past(now) {
			continue
		}
		is, err := see.facts(ctx, o)
		if err != nil {
			return err
		}
		if len(is.changesFrom(o.Shown.V)) > 0 {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var revised []uuid.UUID
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	all, err := d.offers.ChangeSome(ctx, ids, verbRevise, func(ctx context.Context, o *offer) error {
		if !o.open() || o.past(now) { // it was answered meanwhile
			return nil
		}
		is, err := see.facts(ctx, *o)
		if err != nil {
			return err
		}
		changes := is.changesFrom(o.Shown.V)
		if len(changes) == 0 || o.ShownKey == "" { // it was not kept what the carrier of an older offer was shown
			o.keepShown(is)

			return nil
		}
		o.note(ctx, string(verbRevise), said{Party: system, Amount: o.Amount, Pickup: o.PickupDate, Delivery: o.DeliveryDate, Changes: changes}, now)
		o.keepShown(is)
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
			return "The load " + load + " that we offer you has changed: " + labelsOf(o.lastRevised()) + ". Please look at it again."
		})
		if err := refusedIsDone(err); err != nil { // the revision counts though no channel reaches the carrier
			return err
		}
	}

	return nil
}

// keepShown keeps what the carrier of an offer is shown now.
func (o *offer) keepShown(is facts) { o.Shown.V, o.ShownKey = is, is.key() }

// sameAsShown refuses an answer to an offer, which is held as its load is, if the carrier was shown another load or other terms than there are now.
// A carrier that names a key has seen what the key stands for. One that does not has seen what the last of the transactions was about.
func (d *desk) sameAsShown(ctx context.Context, o offer, s said) error {
	is, err := newViewer(d).facts(ctx, o)
	if err != nil {
		return err
	}
	key := s.Key
	if key == "" {
		key = o.ShownKey
	}
	if fields := is.differences(key); len(fields) > 0 {
		return errTerms.WithDetail("fields", fields)
	}

	return nil
}

// agreedByCarrier refuses what the company accepts of a carrier's own answer, a counter or a late response, if the load is not what the carrier
// answered to. What a carrier has said otherwise, such as on the phone, is the company's word.
func (d *desk) agreedByCarrier(ctx context.Context, o offer) error {
	if o.Turn != broker && o.LateAt == nil {
		return nil
	}
	changes := o.unseen()
	if o.ShownKey != "" {
		is, err := newViewer(d).facts(ctx, o)
		if err != nil {
			return err
		}
		changes = append(changes, is.changesFrom(o.Shown.V)...)
	}
	if len(changes) == 0 {
		return nil
	}
	fields := fieldsOf(changes)
	slices.Sort(fields)

	return errTerms.WithMessage("The load has changed since the carrier answered: see details.fields. Counter, or reactivate the offer, so that the carrier answers anew.").
		WithDetail("fields", slices.Compact(fields))
}

// factLabels are what people call the fields of an offer and its load.
var factLabels = map[string]string{
	"amount": "pay", "available_from": "first day", "carrier_pay": "pay", "commodities": "goods", "currency": "currency", "delivery_date": "day of the delivery",
	"inspection_type": "inspection", "instructions_board": "instructions", "payment_plan": "payment", "pickup_date": "day of the pickup", "priority": "priority",
	"stops": "stops", "terms": "terms", "trailer_hint": "trailer", "transport_type": "kind of transport", "vehicles": "vehicles",
}

func labelOf(field string) string {
	if label, known := factLabels[field]; known {
		return label
	}

	return strings.ReplaceAll(field, "_", " ")
}

func labelsOf(fields []string) string {
	labels := make([]string, 0, len(fields))
	for _, f := range fields {
		if label := labelOf(f); !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}

	return strings.Join(labels, ", ")
}
