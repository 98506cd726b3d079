package loads

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// vins implements loadsapi.VINs.
type vins struct{ service *service }

func newVINs(s *service) loadsapi.VINs { return vins{s} }

// TakeOver implements loadsapi.VINs.
func (t vins) TakeOver(ctx context.Context, id, vehicle, vin string, accepted bool) (why string, err error) {
	row, err := t.service.loads.Find(ctx, item.ID(id))
	if err != nil {
		return "", err
	}
	v, err := row.find(item.ID(vehicle))
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
	_, err = t.service.loads.Change(ctx, row.ID, web.IfMatch{}, resource.Update, func(_ context.Context, l *load) error {
		v, err := l.find(item.ID(vehicle))
		if err == nil && v.VIN == "" {
			v.VIN = vin
		}

		return err
	})

	return "", err
}

// contradiction says why a VIN cannot be that of a vehicle, "" if it can.
func (t vins) contradiction(ctx context.Context, l load, v vehicle, vin string) (string, error) {
	if i := slices.IndexFunc(l.Vehicles.V, func(other vehicle) bool { return other.VIN == vin && other.UUID != v.UUID }); i >= 0 {
		return "It is that of another vehicle of the load: " + l.Vehicles.V[i].Name() + ".", nil
	}
	v.VIN = vin
	said, err := t.service.decoder.DecodeAsked(ctx, askedOf(v))
	if err != nil {
		return "", err
	}
	d := said[0]
	if len(d.Problems) > 0 {
		return "It is not a VIN: " + d.Problems[0].Message, nil
	}
	same, err := t.sameMake(ctx, v.Make, d)
	if err != nil {
		return "", err
	}
	if year := d.Year; !same || year != nil && !d.YearUncertain && v.Year != nil && int64(*year) != *v.Year {
		found := vehicle{Make: d.Make, Model: d.Model}
		if year != nil && !d.YearUncertain {
			of := int64(*year)
			found.Year = &of
		}

		return "By it, the vehicle is a " + cmp.Or(found.Name(), strings.Join(d.PossibleMakes, " or ")) + ".", nil
	}
	known, err := t.service.settings(ctx)
	if err != nil || !known.RefuseVIN {
		return "", err
	}
	elsewhere, err := t.service.rows.elsewhere(ctx, l.ID, []string{vin})
	if err != nil || len(elsewhere) == 0 {
		return "", err
	}
	numbers, err := t.service.numbersOf(ctx, elsewhere)

	return "It is on the load " + numbers[elsewhere[0].LoadID] + " too.", err
}

// sameMake reports whether a make, as people write it, can be that of a VIN.
func (t vins) sameMake(ctx context.Context, written string, d vehiclesapi.Decoded) (bool, error) {
	makes := d.PossibleMakes
	if d.Make != "" {
		makes = []string{d.Make}
	}
	is := func(name string) bool {
		return slices.ContainsFunc(makes, func(one string) bool { return alike(one, name) })
	}
	if written == "" || strings.EqualFold(written, "unknown") || len(makes) == 0 || is(written) {
		return true, nil
	}
	listed, err := t.service.parser.Parse(ctx, written) // which knows what people call makes: Chevy, VW

	return err == nil && slices.ContainsFunc(listed, func(one vehiclesapi.Listed) bool { return one.Make != "" && is(one.Make) }), err
}

// alike reports whether two names are of one make: as Mercedes and Mercedes-Benz.
func alike(a, b string) bool {
	letters := func(text string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}

			return -1
		}, strings.ToLower(text))
	}
	a, b = letters(a), letters(b)

	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}
