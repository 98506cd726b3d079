package inspecting

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// VINChecks compares the VINs found on vehicles with those of the load: a vehicle with another VIN stays until the company accepts it, and a load
// without a VIN takes over the one that was found.
type VINChecks struct {
	bols      *resource.Resource[store.Bol]
	kept      *resource.Resource[store.Inspection]
	rows      *store.Repository
	standings loadsapi.Standings
	vins      loadsapi.VINs
}

// NewVINChecks returns VINChecks.
func NewVINChecks(
	bols *resource.Resource[store.Bol], kept *resource.Resource[store.Inspection], rows *store.Repository, c loadsapi.Standings, v loadsapi.VINs,
) *VINChecks {
	return &VINChecks{bols, kept, rows, c, v}
}

func normalVIN(text string) string { return strings.ToUpper(strings.Join(strings.Fields(text), "")) }

// compareVIN sets the result for the VIN that was found on a vehicle. Where the load has no VIN, why says how the one that was found contradicts
// the vehicle, "" if it does not.
func compareVIN(row *store.Inspection, v store.Vehicle, why string) {
	want := normalVIN(v.VIN)
	switch {
	case row.VIN == "":
		row.VINCheck = store.VINNone
	case row.VIN == want:
		row.VINCheck, row.VINNote = store.VINMatches, ""
	case want == "" && why == "":
		row.VINCheck = store.VINNone
	case row.VINCheck != store.VINAccepted:
		row.VINCheck, row.VINNote = store.VINDiffers, why
	}
}

// otherVehicle returns bills_of_lading.vin_differs for a vehicle at the pickup with another VIN than the load has by now, nil if it has the same, or
// if the company accepted the other one.
func otherVehicle(row store.Inspection, b store.Bol, want string) error {
	want = normalVIN(want)
	if row.Stage != store.AtPickup || row.VINCheck != store.VINDiffers || row.VIN == want {
		return nil
	}
	name := "vehicle"
	if v, err := b.Vehicle(row.Vehicle); err == nil {
		name = v.Name()
	}
	wrong := store.ErrVINDiffers.WithDetail("vehicle_uuid", row.Vehicle).WithDetail("inspection_uuid", row.ID).WithDetail("vin_scanned", row.VIN).WithDetail("vin", want)
	if want == "" {
		return wrong.WithMessage("The VIN found on the %s is %s. %s Correct the vehicle on the load, or accept the VIN of the inspection.", name, row.VIN, row.VINNote)
	}

	return wrong.WithMessage("The VIN found on the %s is %s, that of the load is %s. Correct the load, or accept the VIN of the inspection.", name, row.VIN, want)
}

// identify gives a vehicle without a VIN the one that was found on it, on the load and on the bill of lading. If the VIN is of another vehicle, why
// says how it contradicts, and nothing changes. The load is held.
func (k *VINChecks) identify(ctx context.Context, o *opened, vin string) (why string, err error) {
	if vin == "" || o.vehicle.VIN != "" || o.row.VINCheck == store.VINAccepted {
		return "", nil
	}
	if why, err = k.vins.TakeOver(ctx, o.bill.Load.String(), o.vehicle.UUID.String(), vin, false); why != "" || err != nil {
		return why, err
	}
	o.vehicle.VIN = vin

	return "", k.setVIN(ctx, o.bill, o.vehicle)
}

// setVIN gives a vehicle its VIN on a bill of lading that was not signed.
func (k *VINChecks) setVIN(ctx context.Context, b store.Bol, v store.Vehicle) error {
	if b.Signed() {
		return nil
	}
	_, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, resource.Update, func(_ context.Context, b *store.Bol) error {
		b.Vehicles.V = slices.Clone(b.Vehicles.V)
		for i := range b.Vehicles.V {
			if one := &b.Vehicles.V[i]; one.UUID == v.UUID && one.VIN == "" {
				one.VIN = v.VIN
			}
		}

		return nil
	})

	return err
}

// Recompare clears differences that are none once the vehicles of a bill of lading have the VINs that they have on the load now.
func (k *VINChecks) Recompare(ctx context.Context, bill uuid.UUID, now store.Bol) error {
	all, err := k.rows.InspectionsOf(ctx, bill)
	if err != nil {
		return err
	}
	for _, row := range all {
		v, err := now.Vehicle(row.Vehicle)
		if err != nil || row.Stage != store.AtPickup || row.VINCheck != store.VINDiffers || normalVIN(v.VIN) != row.VIN {
			continue
		}
		if _, err := k.kept.Change(ctx, row.ID, web.IfMatch{}, store.VerbRecord, func(_ context.Context, row *store.Inspection) error {
			compareVIN(row, v, "")

			return nil
		}); err != nil {
			return err
		}
	}

	return nil
}

// accept allows a vehicle with another VIN than the load's to be picked up. A load without a VIN takes over the one that was found. Error: ErrVINNotDifferent.
func (k *VINChecks) accept(ctx context.Context, id uuid.UUID, match web.IfMatch, why string) (row store.Inspection, err error) {
	err = k.rows.InTx(ctx, func(ctx context.Context) error {
		there, err := k.kept.Find(ctx, id)
		if err != nil {
			return err
		}
		if _, err := k.standings.Held(ctx, there.Load.String()); err != nil {
			return err
		}
		fresh := false
		if row, err = k.kept.Change(ctx, id, match, store.VerbAccept, func(_ context.Context, row *store.Inspection) error {
			switch row.VINCheck {
			case store.VINAccepted:
				return nil
			case store.VINDiffers:
				row.VINCheck, row.VINNote, fresh = store.VINAccepted, why, true

				return nil
			}

			return store.ErrVINNotDifferent
		}); err != nil || !fresh {
			return err
		}

		return k.takeOver(ctx, row)
	})

	return row, err
}

// takeOver gives a vehicle without a VIN the one that was accepted.
func (k *VINChecks) takeOver(ctx context.Context, accepted store.Inspection) error {
	b, err := k.bols.Find(ctx, accepted.BOL)
	if err != nil {
		return err
	}
	v, err := b.Vehicle(accepted.Vehicle)
	if err != nil || v.VIN != "" {
		return err
	}
	if _, err := k.vins.TakeOver(ctx, b.Load.String(), v.UUID.String(), accepted.VIN, true); err != nil {
		return err
	}
	v.VIN = accepted.VIN

	return k.setVIN(ctx, b, v)
}

// CheckPickup refuses the pickup of a vehicle with another VIN than the load's, by whatever operation it is recorded.
func (k *VINChecks) CheckPickup(ctx context.Context, p *loadsapi.PickingUp) error {
	bills, err := k.rows.Live(ctx, item.ID(p.Load))
	if err != nil {
		return err
	}
	for _, b := range bills {
		all, err := k.rows.InspectionsOf(ctx, b.ID)
		if err != nil {
			return err
		}
		for _, row := range all {
			if !slices.Contains(p.Vehicles, row.Vehicle.String()) {
				continue
			}
			if wrong := otherVehicle(row, b, p.VINs[row.Vehicle.String()]); wrong != nil {
				return wrong
			}
		}
	}

	return nil
}

type acceptInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500" pattern:"\\S" patternDescription:"text that can be seen"`
	}
}

// VINRoutes are the operations on VINs that differ.
func VINRoutes(r *web.Router, k *VINChecks) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/inspections/{uuid}/accept_vin", ID: "accept_inspection_vin", Access: web.Scope("override"),
		Summary: "Accept a vehicle with another VIN than the load's", Description: "A load without the VIN of the vehicle has it then.",
		Errors: []*errs.Error{k.kept.NotFound(), store.ErrVINNotDifferent},
	}, func(ctx context.Context, in *acceptInput) (*web.Resource[store.Inspection], error) {
		row, err := k.accept(ctx, in.UUID, in.IfMatch, strings.TrimSpace(in.Body.Reason))

		return k.kept.Answer(ctx, row, err)
	})
}
