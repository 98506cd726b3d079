package store

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
)

// View is a view of a party.
type View interface {
	loadsapi.CustomerView | loadsapi.CarrierView | loadsapi.BidderView
}

// ShownTo is a load as a party sees it, whose view is V.
func ShownTo[V View](l Load, by sight.Party) (of loadsapi.Shown[V], err error) {
	if of.JSON, err = sight.JSON(l.VisibleTo(by), by); err != nil {
		return of, err
	}

	return of, json.Unmarshal(of.JSON, &of.Load)
}

// VisibleTo is the load as a party sees it from outside. Every field of a load and its parts says by its tag seen who sees it: "-" is nobody.
func (l Load) VisibleTo(p sight.Party) Load {
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
	l.Charges.V = slices.DeleteFunc(slices.Clone(charges), func(c Charge) bool { return p != sight.Customer || c.Payer != Customer })
	l.Plan.V = slices.DeleteFunc(slices.Clone(lines), func(line plan.Line) bool { return !line.Concerns(string(p)) })
	l.Payments.V = sight.Masked(slices.DeleteFunc(slices.Clone(payments), func(one plan.Payment) bool { return !one.Concerns(string(p)) }), p)
	l.Vehicles.V = slices.DeleteFunc(slices.Clone(l.Vehicles.V), func(v Vehicle) bool { return v.Custody == Removed })
	l.Stops.V, l.Vehicles.V = sight.Masked(l.Stops.V, p), sight.Masked(l.Vehicles.V, p)
	l.Commodities.V, l.References.V, l.Charges.V = sight.Masked(l.Commodities.V, p), sight.Masked(l.References.V, p), sight.Masked(l.Charges.V, p)

	return l
}
