package dispatches

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// dispatchRoutes are the company's operations on dispatches.
func dispatchRoutes(r *web.Router, d *desk) {
	failures := []*errs.Error{d.dispatches.NotFound(), store.ErrInvalidDispatch, state.ErrNotAllowed, state.ErrMoved}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/dispatches", ID: "create_dispatch", Access: web.Write, Summary: "Give a load to a carrier by hand",
		ActsOn:      web.ActsOn{Item: loadsapi.Load, Verb: "dispatch", Key: "load_uuid"},
		Description: "Such as to one that was called. The load must be ready; open offers for it end. `carrier_pay`, or If-Match with the ETag of the load, says for what the carrier has it.",
		Errors:      []*errs.Error{store.ErrInvalidDispatch, store.ErrOutsideWindow, store.ErrIneligible, store.ErrUnsigned, store.ErrOnHold, loadsapi.ErrNotFound, loadsapi.ErrNotReady, loadsapi.ErrPlanFixed, loadsapi.ErrPayBelowCharges},
	}, d.createDispatch)
	for _, m := range []struct {
		verb                 resource.Verb
		summary, description string
	}{
		{store.VerbPickUp, "Say that a carrier has picked the vehicles up", "The load follows. What is known already changes nothing. After a cut of the pay that the carrier has not confirmed, it takes a note."},
		{store.VerbDeliver, "Say that a carrier has delivered the vehicles", "The load follows. What is known already changes nothing."},
	} {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/dispatches/{uuid}/" + string(m.verb), ID: string(m.verb) + "_dispatch", Access: web.Write, Summary: m.summary, Description: m.description,
			Errors: append(slices.Clone(failures), store.ErrTakenBack, store.ErrVINDiffers, store.ErrTermsUnconfirmed, loadsapi.ErrWaiting),
		}, func(ctx context.Context, in *moveInput) (*web.Resource[store.Dispatch], error) {
			row, err := d.move(ctx, in.UUID, in.IfMatch, m.verb, moved{At: in.Body.At, Note: in.Body.Note, Party: store.Broker})

			return d.dispatches.Answer(ctx, row, err)
		})
	}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/dispatches/{uuid}/abandon", ID: "abandon_dispatch", Access: web.Scope("override"), Summary: "Take the vehicles from a carrier on the way",
		Description: "Such as after a breakdown. The vehicles on board wait at the place, which becomes a stop of the load, and the load is ready for the next carrier. The bills of lading of both carriers are kept.",
		Errors:      append(slices.Clone(failures), loadsapi.ErrNotOnBoard, store.ErrCancelled),
	}, func(ctx context.Context, in *abandonInput) (*web.Resource[store.Dispatch], error) {
		row, err := d.abandon(ctx, in)

		return d.dispatches.Answer(ctx, row, err)
	})
	for _, m := range []struct {
		verb                 resource.Verb
		summary, description string
	}{
		{store.VerbCancel, "Take a load from its carrier", "Before it was picked up. The load is ready again, and the carrier no longer sees it."},
		{store.VerbCarrierCancel, "Say that a carrier gives a load back", "Such as on the phone. It is kept as an incident of the carrier, which is not offered the load again."},
	} {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/dispatches/{uuid}/" + string(m.verb), ID: string(m.verb) + "_dispatch", Access: web.Write, Summary: m.summary, Description: m.description,
			Errors: append(slices.Clone(failures), store.ErrLoaded, store.ErrCancelled),
		}, func(ctx context.Context, in *cancelInput) (*web.Resource[store.Dispatch], error) {
			row, err := d.cancel(ctx, in.UUID, in.IfMatch, m.verb, in.Body.Reason, in.Body.Note)

			return d.dispatches.Answer(ctx, row, err)
		})
	}
	share.Routes(r, d.given, share.Operations{
		Path: "/dispatches/{uuid}/shares", Name: "dispatch_share", Summary: "by which the carrier sees the load that it has", Purpose: sheet,
		Description: "The carrier says there who comes and when, or gives the load back.", Subject: d.dispatchSubject, Give: d.giveDispatch, Errors: []*errs.Error{d.dispatches.NotFound()},
	})
}

type createDispatchInput struct {
	web.IfMatch

	Body struct {
		Load       uuid.UUID    `json:"load_uuid"`
		Carrier    uuid.UUID    `json:"carrier_uuid"`
		CarrierPay money.Amount `json:"carrier_pay,omitempty" doc:"What the carrier ends up with; that of the load with If-Match." example:"900.00"`
		Pickup     field.Date   `json:"pickup_date,omitempty"`
		Delivery   field.Date   `json:"delivery_date,omitempty"`
		Crew       store.Crew   `json:"crew,omitzero"`
		Note       string       `json:"note,omitempty" maxLength:"500" doc:"How the carrier agreed. With the scope loads:override, also why the load goes although the customer has yet to sign its changes." example:"On the phone"`
	}
}

func (d *desk) createDispatch(ctx context.Context, in *createDispatchInput) (*web.Resource[store.Dispatch], error) {
	b := in.Body
	if b.CarrierPay != "" {
		if err := d.dispatches.MaySet(ctx, "carrier_pay"); err != nil {
			return nil, err
		}
	}
	var made store.Dispatch
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		of, err := d.standings.ForCarrier(ctx, b.Load.String())
		if err != nil {
			return err
		}
		switch err := in.Check(of.Version); {
		case err != nil:
			return err
		case b.CarrierPay == "" && of.CarrierPay != "" && !store.NamesVersion(in.IfMatch):
			return store.ErrInvalidDispatch.WithField("carrier_pay", "The `carrier_pay` is required: what the carrier gets. Or send If-Match with the ETag of the load, whose carrier_pay it gets.")
		}
		if of.Carried {
			return store.ErrInvalidDispatch.WithField("load_uuid", "The company carries this load itself. Set its `company_role` to broker first.")
		}
		can, err := d.daysOf(ctx, of)
		if err != nil {
			return err
		}
		if wrong := can.Check(store.Dates{Pickup: b.Pickup, Delivery: b.Delivery}, store.Dates{}, false); len(wrong.Fields) > 0 {
			return wrong
		}
		if made, err = d.take(ctx, of, taking{to: b.Carrier, pay: string(b.CarrierPay), note: b.Note, reason: b.Note, party: store.Broker},
			store.Dispatch{PickupDate: b.Pickup, DeliveryDate: b.Delivery}, b.Crew); err != nil {
			return err
		}

		return d.supersede(ctx, b.Load, uuid.Nil, "Another carrier has the load.")
	})

	return d.dispatches.Answer(ctx, made, err)
}

type moveInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		At   time.Time `json:"at,omitzero" doc:"When it happened; by default now."`
		Note string    `json:"note,omitempty" maxLength:"500"`
	}
}

type abandonInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string      `json:"reason" maxLength:"40" doc:"The id of one of cancel_reasons of the settings." example:"breakdown"`
		Note   string      `json:"note" minLength:"1" maxLength:"500" pattern:"\\S" patternDescription:"text that can be seen"`
		Place  whereabouts `json:"place" doc:"Where the vehicles are: a postal_code, or a city and a state."`
	}
}

// whereabouts are where vehicles wait.
type whereabouts struct {
	Name       string      `json:"name,omitempty" maxLength:"200" example:"Big Sky Towing"`
	Line1      string      `json:"line1,omitempty" maxLength:"200" doc:"Street and number."`
	City       string      `json:"city,omitempty" maxLength:"100"`
	State      string      `json:"state,omitempty" maxLength:"50"`
	PostalCode string      `json:"postal_code,omitempty" maxLength:"10" example:"39401"`
	Contact    string      `json:"contact_name,omitempty" maxLength:"200"`
	Phone      field.Phone `json:"phone,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (whereabouts) SchemaName() string { return "DispatchPlace" }

type cancelInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" maxLength:"40" doc:"The id of one of cancel_reasons of the settings." example:"breakdown"`
		Note   string `json:"note,omitempty" maxLength:"500"`
	}
}

func (d *desk) dispatchSubject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	_, err := d.dispatches.Find(ctx, id)

	return link.Subject{Type: dispatchesapi.Dispatch, ID: id}, err
}

func (d *desk) giveDispatch(ctx context.Context, id uuid.UUID) (share.Given, error) {
	row, err := d.dispatches.Find(ctx, id)
	if err != nil {
		return share.Given{}, err
	}
	brand, err := d.brands.Brand(ctx)

	return share.Given{
		Purpose: sheet, Subject: link.Subject{Type: dispatchesapi.Dispatch, ID: id}, Page: base + "/carrier/",
		Title: brand.Name + ": load " + row.LoadNumber(), Text: brand.Name + ": the load " + row.LoadNumber() + " is yours.",
	}, err
}
