package deliveries

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// dock keeps the deliveries of loads.
type dock struct {
	deliveries *resource.Resource[delivery]
	loads      *transports
	carriage   loadsapi.Carriage
	db         *database.DB
	clock      clock.Clock
}

func newDock(d *resource.Resource[delivery], loads *transports, carriage loadsapi.Carriage, db *database.DB, clk clock.Clock) *dock {
	return &dock{d, loads, carriage, db, clk}
}

func (k *dock) now() time.Time { return k.clock.Now() }

// deliveryRoutes are the operations that no resource has.
func deliveryRoutes(r *web.Router, k *dock) {
	failures := []*errs.Error{k.deliveries.NotFound(), errDelivery, state.ErrNotAllowed, state.ErrMoved}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/deliveries/{uuid}/deliver", ID: "deliver_delivery", Access: web.Write, Summary: "Say that the vehicles were delivered",
		Description: "The load follows. What is known already changes nothing.", Errors: append(slices.Clone(failures), errEarly, loadsapi.ErrWaiting),
	}, k.deliver)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/deliveries/{uuid}/fail", ID: "fail_delivery", Access: web.Write, Summary: "Say that the vehicles could not be delivered",
		Description: "One of them was picked up at least.", Errors: append(slices.Clone(failures), errEarly),
	}, k.fail)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/deliveries/{uuid}/reschedule", ID: "reschedule_delivery", Access: web.Write, Summary: "Try to deliver again", Errors: failures,
	}, k.reschedule)
}

type deliverInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		At        time.Time `json:"at,omitzero" doc:"When it happened; by default now."`
		Recipient string    `json:"recipient,omitempty" maxLength:"200"`
		Note      string    `json:"note,omitempty" maxLength:"500"`
	}
}

func (k *dock) deliver(ctx context.Context, in *deliverInput) (*web.Resource[delivery], error) {
	if in.Body.At.After(k.now().Add(time.Minute)) {
		return nil, errDelivery.WithField("at", "`at` must not be in the future.")
	}
	at := clock.Stamp(cmp.Or(in.Body.At, k.now()))
	var row delivery
	err := k.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = k.deliveries.Find(ctx, in.UUID); err != nil || row.State == delivered {
			return err
		}
		if _, err := k.loads.hold(ctx, row.Load); err != nil {
			return err
		}
		l, err := k.loads.read(ctx, row.Load)
		if err != nil {
			return err
		}
		if !l.moving() {
			return errEarly.WithMessage("No carrier has the vehicles.")
		}
		if l.pickedUpAfter(row.Stop.String(), at) {
			return errDelivery.WithField("at", "`at` must not be before the pickup.")
		}
		if row, err = k.arrived(ctx, row.ID, in.IfMatch, at, in.Body.Recipient, in.Body.Note); err != nil {
			return err
		}

		return k.carriage.Deliver(ctx, row.Load.String(), loadsapi.Moved{At: at, Note: in.Body.Note, Party: "broker", Vehicles: l.at(row.Stop.String())})
	})

	return k.deliveries.Answer(ctx, row, err)
}

// arrived says that the vehicles of a delivery were delivered.
func (k *dock) arrived(ctx context.Context, id uuid.UUID, match web.IfMatch, at time.Time, recipient, note string) (delivery, error) {
	return k.deliveries.Change(ctx, id, match, verbDeliver, func(ctx context.Context, d *delivery) error {
		if d.State == delivered {
			return nil
		}
		d.DeliveredAt, d.Recipient = &at, cmp.Or(recipient, d.Recipient)
		d.Attempts.V = append(slices.Clone(d.Attempts.V), attempt{At: at, Outcome: "delivered", Note: note})

		return k.deliveries.Step(ctx, d, state.Move{Verb: string(verbDeliver), Reason: note})
	})
}

// decide refuses to take vehicles to their receiver, or to fail to, of which none was picked up.
func (k *dock) decide(ctx context.Context, all []*resource.Change[delivery]) error {
	for _, c := range all {
		if c.Verb != verbGoOut && c.Verb != verbFail {
			continue
		}
		l, err := k.loads.read(ctx, c.After.Load)
		if err != nil {
			return err
		}
		if !l.aboard(c.After.Stop.String()) {
			c.Refuse(errEarly)
		}
	}

	return nil
}

type failInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" enum:"nobody_there,refused,access,damage,other"`
		Note   string `json:"note,omitempty" maxLength:"500"`
	}
}

func (k *dock) fail(ctx context.Context, in *failInput) (*web.Resource[delivery], error) {
	var row delivery
	err := k.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = k.deliveries.Find(ctx, in.UUID); err != nil {
			return err
		}
		if _, err := k.loads.hold(ctx, row.Load); err != nil {
			return err
		}
		row, err = k.deliveries.Change(ctx, in.UUID, in.IfMatch, verbFail, func(ctx context.Context, d *delivery) error {
			d.Attempts.V = append(slices.Clone(d.Attempts.V), attempt{At: k.now(), Outcome: "failed", Reason: in.Body.Reason, Note: in.Body.Note})

			return k.deliveries.Step(ctx, d, state.Move{Verb: string(verbFail), Reason: cmp.Or(in.Body.Note, in.Body.Reason)})
		})

		return err
	})

	return k.deliveries.Answer(ctx, row, err)
}

type rescheduleInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		From time.Time `json:"scheduled_from"`
		To   time.Time `json:"scheduled_to,omitzero" doc:"By default the same."`
	}
}

func (k *dock) reschedule(ctx context.Context, in *rescheduleInput) (*web.Resource[delivery], error) {
	from := in.Body.From.UTC()
	to := cmp.Or(in.Body.To.UTC(), from)
	row, err := k.deliveries.Change(ctx, in.UUID, in.IfMatch, verbReschedule, func(ctx context.Context, d *delivery) error {
		d.From, d.To = &from, &to

		return k.deliveries.Step(ctx, d, state.Move{Verb: string(verbReschedule)})
	})

	return k.deliveries.Answer(ctx, row, err)
}

// follow has the deliveries of a load be those of its stops, as far as its vehicles are. It is called for each event of the load, in any order and
// perhaps twice.
func (k *dock) follow(ctx context.Context, load string) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	err := k.db.InTx(ctx, func(ctx context.Context) error {
		of, err := k.loads.hold(ctx, item.ID(load))
		if err != nil {
			return err
		}

		return k.reconcile(ctx, load, of)
	})
	if errors.Is(err, loadsapi.ErrNotFound) {
		return nil
	}

	return err
}

// live returns the deliveries of a load but those that were canceled.
func (k *dock) live(ctx context.Context, load uuid.UUID) ([]delivery, error) {
	return k.deliveries.Where(ctx, "load_id = ? AND state <> 'cancelled'", load)
}

// reconcile makes, ends and cancels the deliveries of a load, which is held.
func (k *dock) reconcile(ctx context.Context, load string, of loadsapi.Standing) error {
	there, err := k.live(ctx, item.ID(load))
	if err != nil {
		return err
	}
	l, err := k.loads.read(ctx, item.ID(load))
	if err != nil {
		return err
	}
	carried := of.Carrier != "" && (l.moving() || of.State == loadsapi.Delivered || of.State == loadsapi.Completed)
	for _, d := range there {
		if err := k.catchUp(ctx, d, l, carried); err != nil {
			return err
		}
	}
	if !carried {
		return nil
	}
	for _, s := range l.Stops {
		known := slices.ContainsFunc(there, func(d delivery) bool { return d.Stop.String() == s.UUID })
		vehicles := l.at(s.UUID)
		if len(vehicles) == 0 || known {
			continue
		}
		made := delivery{Load: item.ID(load), Stop: item.ID(s.UUID), Title: l.Number + ", " + s.Venue.City + ", " + s.Venue.State, Vehicles: int64(len(vehicles))}
		if len(s.Contacts) > 0 {
			made.Contact = s.Contacts[0].Name
		}
		for _, who := range s.Contacts {
			if made.Phone == "" && len(who.Phones) > 0 {
				made.Contact, made.Phone = who.Name, field.Phone(who.Phones[0])
			}
		}
		row, err := k.deliveries.Create(ctx, made)
		if err == nil {
			err = k.catchUp(ctx, row, l, carried)
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// catchUp has a delivery be as far as its vehicles. Those that went back may be delivered after all.
func (k *dock) catchUp(ctx context.Context, d delivery, l transport, carried bool) error {
	n, at := int64(len(l.at(d.Stop.String()))), l.doneAt(d.Stop.String())
	switch {
	case carried && at != nil && (d.open() || d.State == returned):
		_, err := k.arrived(ctx, d.ID, web.IfMatch{}, *at, "", "The load says so.")

		return err
	case !d.open():
		return nil
	case !carried || n == 0:
		_, err := k.deliveries.Change(ctx, d.ID, web.IfMatch{}, verbCancel, func(ctx context.Context, d *delivery) error {
			return k.deliveries.Step(ctx, d, state.Move{Verb: string(verbCancel), Reason: "The load has changed."})
		})

		return err
	case n == d.Vehicles:
		return nil
	}
	_, err := k.deliveries.Change(ctx, d.ID, web.IfMatch{}, resource.Update, func(_ context.Context, d *delivery) error {
		d.Vehicles = n

		return nil
	})

	return err
}

// The events that deliveries follow.
func (k *dock) onCovered(ctx context.Context, e loadsapi.Covered) error { return k.follow(ctx, e.Load) }

func (k *dock) onUncovered(ctx context.Context, e loadsapi.Uncovered) error {
	return k.follow(ctx, e.Load)
}

func (k *dock) onUpdated(ctx context.Context, e loadsapi.Updated) error { return k.follow(ctx, e.Load) }

func (k *dock) onCancelled(ctx context.Context, e loadsapi.CancelledEvent) error {
	return k.follow(ctx, e.Load)
}

func (k *dock) onDropped(ctx context.Context, e loadsapi.VehicleDelivered) error {
	return k.follow(ctx, e.Load)
}

// onReady keeps the bill of lading as it was signed at the delivery as the proof.
func (k *dock) onReady(ctx context.Context, e billsofladingapi.DocumentReady) error {
	if e.Stage != "delivery" {
		return nil
	}
	if err := k.follow(ctx, e.Load); err != nil {
		return err
	}
	all, err := k.live(ctx, item.ID(e.Load))
	if err != nil {
		return err
	}
	bol, file, stop := item.ID(e.BOL), item.ID(e.Attachment), item.ID(e.Stop)
	for _, d := range all {
		if d.Stop != stop || d.Proof != nil {
			continue
		}
		if _, err := k.deliveries.Change(ctx, d.ID, web.IfMatch{}, verbProve, func(_ context.Context, d *delivery) error {
			d.BOL, d.Proof, d.Recipient = &bol, &file, cmp.Or(d.Recipient, e.Signer)

			return nil
		}); err != nil {
			return err
		}
	}

	return nil
}
