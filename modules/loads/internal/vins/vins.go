package vins

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/internal/identify"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// contract implements loadsapi.VINs.
type contract struct {
	loads      *resource.Resource[store.Load]
	identifier *identify.Identifier
	index      *Index
	terms      *terms.Reader
}

// New returns the contract.
func New(loads *resource.Resource[store.Load], i *identify.Identifier, x *Index, t *terms.Reader) loadsapi.VINs {
	return contract{loads, i, x, t}
}

// TakeOver implements loadsapi.VINs.
func (t contract) TakeOver(ctx context.Context, id, vehicle, vin string, accepted bool) (why string, err error) {
	row, err := t.loads.Find(ctx, item.ID(id))
	if err != nil {
		return "", err
	}
	v, err := row.FindVehicle(item.ID(vehicle))
	switch {
	case err != nil, v.VIN == vin:
		return "", err
	case v.VIN != "" && !accepted:
		return "The load has the VIN " + v.VIN + ".", nil
	}
	if !accepted {
		if why, err = t.contradiction(ctx, row, *v, vin); why != "" || err != nil {
			return why, err
		}
	}
	_, err = t.loads.Change(ctx, row.ID, web.IfMatch{}, resource.Update, func(_ context.Context, l *store.Load) error {
		v, err := l.FindVehicle(item.ID(vehicle))
		if err == nil && v.VIN == "" {
			v.VIN = vin
		}

		return err
	})

	return "", err
}

// contradiction says why a VIN cannot be that of a vehicle, "" if it can.
func (t contract) contradiction(ctx context.Context, l store.Load, v store.Vehicle, vin string) (string, error) {
	if i := slices.IndexFunc(l.Vehicles.V, func(other store.Vehicle) bool { return other.VIN == vin && other.UUID != v.UUID }); i >= 0 {
		return "It is that of another vehicle of the load: " + l.Vehicles.V[i].Name() + ".", nil
	}
	v.VIN = vin
	d, err := t.identifier.Decode(ctx, v)
	if err != nil {
		return "", err
	}
	if len(d.Problems) > 0 {
		return "It is not a VIN: " + d.Problems[0].Message, nil
	}
	same, err := t.identifier.SameMake(ctx, v.Make, d)
	if err != nil {
		return "", err
	}
	if year := d.Year; !same || year != nil && !d.YearUncertain && v.Year != nil && int64(*year) != *v.Year {
		found := store.Vehicle{Make: d.Make, Model: d.Model}
		if year != nil && !d.YearUncertain {
			of := int64(*year)
			found.Year = &of
		}

		return "By it, the vehicle is a " + cmp.Or(found.Name(), strings.Join(d.PossibleMakes, " or ")) + ".", nil
	}
	known, err := t.terms.Now(ctx)
	if err != nil || !known.RefuseVIN {
		return "", err
	}
	elsewhere, err := t.index.elsewhere(ctx, l.ID, []string{vin})
	if err != nil || len(elsewhere) == 0 {
		return "", err
	}
	numbers, err := t.index.numbersOf(ctx, elsewhere)

	return "It is on the load " + numbers[elsewhere[0].LoadID] + " too.", err
}
