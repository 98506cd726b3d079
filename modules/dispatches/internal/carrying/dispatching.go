package carrying

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/offers"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

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

// Dispatching gives loads to carriers by hand.
type Dispatching struct {
	dispatches *resource.Resource[store.Dispatch]
	assigner   *assigning.Assigner
	offers     *offers.Withdrawals
	loads      loadsapi.Standings
	db         *database.DB
}

// NewDispatching returns a Dispatching.
func NewDispatching(
	dispatches *resource.Resource[store.Dispatch], a *assigning.Assigner, o *offers.Withdrawals, loads loadsapi.Standings, db *database.DB,
) *Dispatching {
	return &Dispatching{dispatches, a, o, loads, db}
}

func (d *Dispatching) create(ctx context.Context, in *createDispatchInput) (*web.Resource[store.Dispatch], error) {
	b := in.Body
	if b.CarrierPay != "" {
		if err := d.dispatches.MaySet(ctx, "carrier_pay"); err != nil {
			return nil, err
		}
	}
	var made store.Dispatch
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		load, err := d.loads.ForCarrier(ctx, b.Load.String())
		if err != nil {
			return err
		}
		switch err := in.Check(load.Version); {
		case err != nil:
			return err
		case b.CarrierPay == "" && load.CarrierPay != "" && !store.NamesVersion(in.IfMatch):
			return store.ErrInvalidDispatch.WithField("carrier_pay",
				"The `carrier_pay` is required: what the carrier gets. Or send If-Match with the ETag of the load, whose carrier_pay it gets.")
		}
		if load.Carried {
			return store.ErrInvalidDispatch.WithField("load_uuid", "The company carries this load itself. Set its `company_role` to broker first.")
		}
		if err := d.checkDays(ctx, load, store.Dates{Pickup: b.Pickup, Delivery: b.Delivery}); err != nil {
			return err
		}
		made, err = d.assigner.Assign(ctx, load, assigning.Assignment{
			To: b.Carrier, Pay: string(b.CarrierPay), Note: b.Note, Reason: b.Note, Party: store.Broker,
		}, store.Dispatch{PickupDate: b.Pickup, DeliveryDate: b.Delivery}, b.Crew)
		if err != nil {
			return err
		}

		return d.offers.Supersede(ctx, b.Load, uuid.Nil, "Another carrier has the load.")
	})

	return d.dispatches.Answer(ctx, made, err)
}

// checkDays refuses days on which a load cannot be carried.
func (d *Dispatching) checkDays(ctx context.Context, load loadsapi.Standing, days store.Dates) error {
	today, err := d.dispatches.Today(ctx)
	if err != nil {
		return err
	}
	allowed, err := store.AllowedDaysOf(load, today)
	if err != nil {
		return err
	}
	if wrong := allowed.Check(days, store.Dates{}, false); len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}
