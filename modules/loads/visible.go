package loads

import (
	"reflect"
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
)

// visibleTo is the load as a party sees it from outside. Every field of a load and its parts says by its tag seen who sees it: "-" is nobody.
func (l load) visibleTo(p sight.Party) load {
	charges, lines, payments := l.Charges.V, l.Plan.V, l.Payments.V
	id := l.ID
	v := reflect.ValueOf(&l).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			v.Field(i).SetZero()
		}
	}
	l.ID = id
	sight.Mask(v, p)
	l.Charges.V = slices.DeleteFunc(slices.Clone(charges), func(c charge) bool { return p != sight.Customer || c.Payer != customer })
	l.Plan.V = slices.DeleteFunc(slices.Clone(lines), func(line plan.Line) bool { return !line.Concerns(string(p)) })
	l.Payments.V = sight.Masked(slices.DeleteFunc(slices.Clone(payments), func(one plan.Payment) bool { return !one.Concerns(string(p)) }), p)
	l.Vehicles.V = slices.DeleteFunc(slices.Clone(l.Vehicles.V), func(v vehicle) bool { return v.Custody == removed })
	l.Stops.V, l.Vehicles.V = sight.Masked(l.Stops.V, p), sight.Masked(l.Vehicles.V, p)
	l.Commodities.V, l.References.V, l.Charges.V = sight.Masked(l.Commodities.V, p), sight.Masked(l.References.V, p), sight.Masked(l.Charges.V, p)

	return l
}
