// Package copying makes loads of loads: it duplicates, splits and merges them.
package copying

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errNotMergeable = errs.New(errs.Conflict, "loads.not_mergeable", "The loads cannot be merged. See details.why.")

// Copier makes loads of loads.
type Copier struct {
	loads *resource.Resource[store.Load]
	db    *database.DB
}

// New returns a Copier.
func New(loads *resource.Resource[store.Load], db *database.DB) *Copier {
	return &Copier{loads, db}
}

// Routes are the operations that make loads of loads.
func Routes(r *web.Router, s *Copier) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/duplicate", ID: "duplicate_load", Access: web.Write, Summary: "Duplicate a load",
		Description: "The copies are leads: without VINs, dates, external ids, carrier, and what became of the load.",
		Errors:      []*errs.Error{s.loads.NotFound(), store.ErrInvalid, plan.ErrUnbalanced},
	}, s.duplicate)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/split", ID: "split_load", Access: web.Write, Summary: "Split vehicles off a load",
		Description: "They become a load of their own with the same customer, stops and terms. Of a load that a carrier has, the vehicles that it did not pick up: the new load is ready for another one. Charges of the vehicles go with them.",
		Errors:      store.StepErrors(loadsapi.ErrPart, store.ErrNotBookable, cargo.ErrLoaded, plan.ErrUnbalanced, plan.ErrLinePaid),
	}, s.split)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/merge", ID: "merge_loads", Access: web.Write, Summary: "Merge loads into one",
		Description: "Loads with the same customer and the same places, none of which a carrier has. The first one gets the vehicles and charges of the others, which are canceled.",
		Errors:      store.StepErrors(errNotMergeable, plan.ErrUnbalanced, plan.ErrLinePaid),
	}, s.merge)
}

type duplicateInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Count    int  `json:"count,omitempty" minimum:"1" maximum:"20" default:"1"`
		WithVINs bool `json:"with_vins,omitempty" doc:"Whether the copies have the same vehicles, and not only such ones."`
		Prices   bool `json:"prices,omitempty" default:"true" doc:"Whether they have the same prices, charges and plan."`
	}
}

type loadsOutput struct {
	Body struct {
		Loads []store.Load `json:"loads" nullable:"false"`
	}
}

func (s *Copier) duplicate(ctx context.Context, in *duplicateInput) (*loadsOutput, error) {
	out := &loadsOutput{}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		from, err := s.loads.Find(ctx, in.UUID)
		if err != nil {
			return err
		}
		for range max(1, in.Body.Count) {
			made, err := s.loads.Create(ctx, copyOf(from, in.Body.WithVINs, in.Body.Prices))
			if err != nil {
				return err
			}
			out.Body.Loads = append(out.Body.Loads, made)
		}

		return nil
	})
	for i := range out.Body.Loads {
		if err == nil {
			err = s.loads.Show(ctx, nil, &out.Body.Loads[i])
		}
	}

	return out, err
}

// copyOf is a lead like a load. Its parts are others.
func copyOf(from store.Load, withVINs, prices bool) store.Load {
	id := from.ID
	l := store.Load{
		Role: from.Role, Customer: from.Customer, Shipper: from.Shipper, BillTo: from.BillTo, Assigned: from.Assigned, Dispatcher: from.Dispatcher,
		Team: from.Team, Trailer: from.Trailer, Transport: from.Transport, Inspection: from.Inspection, Priority: from.Priority, Currency: from.Currency, Private: from.Private,
		ForCarrier: from.ForCarrier, ForBoard: from.ForBoard, CopyOf: &id,
	}
	ids := map[uuid.UUID]uuid.UUID{}
	for _, one := range from.Stops.V {
		ids[one.UUID] = uuid.New()
		one.UUID, one.Window, one.ArrivedAt, one.DepartedAt = ids[one.UUID], nil, nil, nil
		l.Stops.V = append(l.Stops.V, one)
	}
	for _, v := range from.Vehicles.V {
		if !v.Open() {
			continue
		}
		ids[v.UUID] = uuid.New()
		v.UUID, v.Pickup, v.Delivery, v.Custody, v.PickedUpAt, v.DroppedAt = ids[v.UUID], ids[v.Pickup], ids[v.Delivery], store.Waiting, nil, nil
		if v.ExternalID, v.GatePass, v.Lot, v.Buyer = "", "", "", ""; !withVINs {
			v.VIN = ""
		}
		if !prices {
			v.Tariff, v.CarrierPay, v.BrokerFee = "", "", ""
		}
		if v.VIN == "" && (v.Make == "" || v.Model == "") {
			v.Make, v.Model = cmp.Or(v.Make, "Unknown"), cmp.Or(v.Model, string(v.Type))
		}
		l.Vehicles.V = append(l.Vehicles.V, v)
	}
	for _, c := range from.Commodities.V {
		c.UUID, c.Pickup, c.Delivery = uuid.Nil, ids[c.Pickup], ids[c.Delivery]
		l.Commodities.V = append(l.Commodities.V, c)
	}
	if !prices {
		return l
	}
	for _, c := range from.Charges.V {
		if c.Vehicle != uuid.Nil && ids[c.Vehicle] == uuid.Nil {
			continue // its vehicle was removed
		}
		c.UUID, c.Vehicle = uuid.Nil, ids[c.Vehicle]
		l.Charges.V = append(l.Charges.V, c)
	}
	if l.PlanTemplate = from.PlanTemplate; l.PlanTemplate == "" {
		for _, p := range from.Plan.V {
			p.UUID = uuid.Nil
			l.Plan.V = append(l.Plan.V, p)
		}
	}

	return l
}

type splitInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Vehicles []uuid.UUID `json:"vehicle_uuids" minItems:"1" maxItems:"50" nullable:"false"`
		Reason   string      `json:"reason" minLength:"1" maxLength:"500"`
	}
}

type splitOutput struct {
	Body struct {
		Load store.Load `json:"load" doc:"What stays."`
		New  store.Load `json:"new_load"`
	}
}

// split takes vehicles off a load and makes another one of them. Together, the two have the totals that the load had.
func (s *Copier) split(ctx context.Context, in *splitInput) (*splitOutput, error) {
	out := &splitOutput{}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		var off store.Load
		row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbSplit, func(_ context.Context, l *store.Load) (err error) {
			off, err = splitOff(l, in.Body.Vehicles)

			return err
		})
		if err != nil {
			return err
		}
		made, err := s.loads.Create(ctx, off)
		if err != nil {
			return err
		}
		for _, verb := range stepsTo(row.State) {
			if verb == store.VerbClear && made.State == loadsapi.Ready {
				continue // it has all that it must have, and is ready by itself
			}
			if made, err = s.loads.Change(ctx, made.ID, web.IfMatch{}, verb, store.Step(s.loads, verb, in.Body.Reason)); err != nil {
				return err
			}
		}
		out.Body.Load, out.Body.New = row, made

		return nil
	})
	if err != nil {
		return nil, err
	}

	return out, s.loads.Show(ctx, nil, &out.Body.Load, &out.Body.New)
}

// splitOff takes vehicles off a load, and returns the load that they make.
func splitOff(l *store.Load, ids []uuid.UUID) (store.Load, error) {
	rest := slices.DeleteFunc(slices.Clone(l.Vehicles.V), func(v store.Vehicle) bool { return slices.Contains(ids, v.UUID) || !v.Open() })
	for _, id := range ids {
		v, err := l.FindVehicle(id)
		switch {
		case err != nil:
			return store.Load{}, loadsapi.ErrPart
		case v.Custody != store.Waiting:
			return store.Load{}, cargo.ErrLoaded.WithMessage("The %s is %s, and cannot go on another load.", v.Name(), v.Custody)
		}
	}
	if len(rest) == 0 {
		return store.Load{}, store.ErrInvalid.WithField("vehicle_uuids", "A vehicle must stay on the load.")
	}
	of := *l
	of.Vehicles.V = slices.DeleteFunc(slices.Clone(l.Vehicles.V), func(v store.Vehicle) bool { return !slices.Contains(ids, v.UUID) })
	of.Charges.V = slices.DeleteFunc(slices.Clone(l.Charges.V), func(c store.Charge) bool { return !slices.Contains(ids, c.Vehicle) || c.Vehicle == uuid.Nil })
	of.Commodities.V = nil
	made := copyOf(of, true, true)
	made.PromisedBy = l.PromisedBy
	made.AvailableFrom, made.CopyOf, made.PlanTemplate, made.Plan.V = l.AvailableFrom, nil, l.PlanTemplate, nil
	id := l.ID
	made.SplitFrom = &id
	for i, one := range l.Stops.V {
		made.Stops.V[i].Window = one.Window
	}
	for i, v := range of.Vehicles.V {
		made.Vehicles.V[i].ExternalID, made.Vehicles.V[i].Lot, made.Vehicles.V[i].Buyer, made.Vehicles.V[i].GatePass = v.ExternalID, v.Lot, v.Buyer, v.GatePass
	}
	switch l.Signature {
	case signing.Signed: // the customer has signed the whole, and so the two
		made.Signature, made.SignedAt, made.SignedBy, l.SignedTerms.V = l.Signature, l.SignedAt, l.SignedBy, nil
	case signing.Changed: // the customer has yet to sign both
		made.Signature, made.SignedAt, made.SignedBy, made.SignedTerms.V = l.Signature, l.SignedAt, l.SignedBy, l.SignedTerms.V
	case signing.None, signing.Sent:
	}
	l.Vehicles.V = slices.DeleteFunc(l.Vehicles.V, func(v store.Vehicle) bool { return slices.Contains(ids, v.UUID) })
	l.Charges.V = slices.DeleteFunc(l.Charges.V, func(c store.Charge) bool { return c.Vehicle != uuid.Nil && slices.Contains(ids, c.Vehicle) })
	shareMoney(l, &made)

	return made, nil
}

// shareMoney shares the payment plan of a load, and what was paid of it, with the one that was split off: each asks for its part of every payment, and has its
// part of what was paid. A plan that cannot be shared is dropped; if something was paid on it, the split is refused when the load is stored.
func shareMoney(l, made *store.Load) {
	was, paid := *l, l.Payments.V
	first, second := l.Sums(), made.Sums()
	if l.CarriedByCompany() && l.PlanTemplate == "" {
		first, second = plan.OwnTotals(l.Plan.V, first, second, l.Currency)
	}
	switch lines, others, ok := plan.Split(l.Plan.V, first, second, l.Currency); {
	case l.PlanTemplate != "":
		l.Plan.V = plan.Propose(l.PlanTemplate, first, l.Currency, plan.Standing{Lines: l.Plan.V, Own: l.CarriedByCompany()})
		made.Plan.V = plan.Propose(l.PlanTemplate, second, l.Currency, plan.Standing{Own: l.CarriedByCompany()})
	case ok:
		l.Plan.V, made.Plan.V = lines, others
	case len(l.Plan.V) > 0:
		l.Plan.V = nil
		l.Warn("loads.plan_dropped", "payment_plan", "The payment plan was written for the whole load. Write one for each of the two.")
	}
	for i := range made.Plan.V {
		made.Plan.V[i].UUID = database.NewID()
	}
	l.Payments.V, made.Payments.V = plan.Move(paid, was.Plan.V, l.Plan.V, made.Plan.V, l.Currency, database.NewID, "Moved when the load was split.")
}

// stepsTo are the steps by which a new load gets to where the one was that it was split off. One that a carrier had is ready for another.
func stepsTo(now loadsapi.State) []resource.Verb {
	switch now {
	case loadsapi.Booked:
		return []resource.Verb{store.VerbBook}
	case loadsapi.Ready, loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered:
		return []resource.Verb{store.VerbBook, store.VerbClear}
	case loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Completed, loadsapi.Lost, loadsapi.Cancelled, loadsapi.Archived:
	}

	return nil
}

type mergeInput struct {
	Body struct {
		Loads []uuid.UUID `json:"load_uuids" minItems:"2" maxItems:"10" nullable:"false" doc:"The first one stays."`
	}
}

func (s *Copier) merge(ctx context.Context, in *mergeInput) (*web.Resource[store.Load], error) {
	ids := in.Body.Loads
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return nil, store.ErrInvalid.WithField("load_uuids."+strconv.Itoa(i), "The load is named twice.")
		}
	}
	var row store.Load
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.loads.Hold(ctx, ids...); err != nil {
			return err
		}
		var others []store.Load
		for _, id := range ids[1:] {
			var paid []plan.Payment
			other, err := s.loads.Change(ctx, id, web.IfMatch{}, store.VerbMerge, func(ctx context.Context, l *store.Load) error {
				paid, l.Payments.V = l.Payments.V, nil

				return store.Step(s.loads, store.VerbCancel, "Merged into another load.")(ctx, l)
			})
			if err != nil {
				return err
			}
			other.Payments.V = paid
			others = append(others, other)
		}
		var err error
		row, err = s.loads.Change(ctx, ids[0], web.IfMatch{}, store.VerbMerge, func(_ context.Context, l *store.Load) error {
			for _, other := range others {
				if err := mergeInto(l, other); err != nil {
					return err
				}
			}

			return nil
		})

		return err
	})

	return s.loads.Answer(ctx, row, err)
}

// mergeInto gives a load the vehicles and charges of another one.
func mergeInto(l *store.Load, other store.Load) error {
	refuse := func(why string) error {
		return errNotMergeable.WithDetail("why", why).WithDetail("load_uuid", other.ID)
	}
	switch {
	case l.State == loadsapi.Dispatched || l.State == loadsapi.PickedUp || !slices.Contains(store.OpenStates, l.State):
		return refuse("The first load is " + string(l.State) + ".")
	case l.Customer == nil || other.Customer == nil || *l.Customer != *other.Customer:
		return refuse("The customers differ.")
	case l.Role != other.Role:
		return refuse("The company carries one of the loads itself, and not the other.")
	case l.Currency != other.Currency:
		return refuse("The currencies differ.")
	case !slices.EqualFunc(l.Stops.V, other.Stops.V, sameStop):
		return refuse("The stops differ.")
	}
	if why := joinPlans(l, other); why != "" {
		return refuse(why)
	}
	at := map[uuid.UUID]uuid.UUID{}
	for i, one := range other.Stops.V {
		at[one.UUID] = l.Stops.V[i].UUID
	}
	for _, v := range other.Vehicles.V {
		v.Pickup, v.Delivery = at[v.Pickup], at[v.Delivery]
		l.Vehicles.V = append(l.Vehicles.V, v)
	}
	l.Charges.V = append(l.Charges.V, other.Charges.V...)
	if l.PromisedBy == "" || other.PromisedBy != "" && other.PromisedBy < l.PromisedBy {
		l.PromisedBy = other.PromisedBy
	}
	for _, c := range other.Commodities.V {
		c.Pickup, c.Delivery = at[c.Pickup], at[c.Delivery]
		l.Commodities.V = append(l.Commodities.V, c)
	}
	if l.Signature == signing.Signed && other.Signature == signing.Signed { // what the customer has signed of the two is in the one
		l.SignedTerms.V = nil
	}

	return nil
}

// mostLines is how many lines a payment plan has at most.
const mostLines = 12

// joinPlans has the payment plan of a load be that of another one too. Two by one template follow it; what people wrote stays, side by side. It returns why that cannot be.
func joinPlans(l *store.Load, other store.Load) (why string) {
	paid := other.Payments.V
	switch {
	case len(l.Plan.V) > 0 && len(other.Plan.V) > 0 && (l.PlanTemplate == "" || l.PlanTemplate != other.PlanTemplate):
		l.PlanTemplate = ""
		if l.Plan.V, paid = plan.Join(l.Plan.V, other.Plan.V, paid, l.Currency); len(l.Plan.V) > mostLines {
			return "The payment plans have too many different lines to be one."
		}
	case len(l.Plan.V) == 0 && other.PlanWritten() && l.Sums() != (plan.Totals{}), len(other.Plan.V) == 0 && l.PlanWritten() && other.Sums() != (plan.Totals{}):
		return "One of the loads has a payment plan that was written by hand, and another has none. Write one for that first."
	case len(l.Plan.V) == 0:
		l.Plan.V, l.PlanTemplate = other.Plan.V, other.PlanTemplate
	default:
		l.Plan.V, paid = plan.JoinLike(l.Plan.V, other.Plan.V, paid)
	}
	l.Payments.V = append(slices.Clone(l.Payments.V), paid...)

	return ""
}

func sameStop(a, b store.Stop) bool {
	return a.Kind == b.Kind && a.Venue.City == b.Venue.City && a.Venue.State == b.Venue.State && a.Venue.PostalCode == b.Venue.PostalCode && a.Venue.Line1 == b.Venue.Line1
}
