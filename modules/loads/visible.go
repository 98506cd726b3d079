package loads

import (
	"reflect"
	"slices"

	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
)

// party is who looks at a load from outside. Every field of a load and its parts says by its tag seen who sees it: "-" is nobody.
type party string

const (
	// toCustomer is the customer, toCarrier the carrier that has the load, and toBidder one that may be going to have it.
	toCustomer party = "customer"
	toCarrier  party = "carrier"
	toBidder   party = "offer"
)

// visibleTo is the load as a party sees it: nothing is there that it does not see.
func (l load) visibleTo(p party) load {
	charges, plan := l.Charges.V, l.Plan.V
	id := l.ID
	v := reflect.ValueOf(&l).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			v.Field(i).SetZero()
		}
	}
	l.ID = id
	sight.Mask(v, string(p))
	l.Charges.V = slices.DeleteFunc(slices.Clone(charges), func(c charge) bool { return p != toCustomer || c.Payer != customer })
	l.Plan.V = slices.DeleteFunc(slices.Clone(plan), func(line planLine) bool { return p == toBidder || !line.concerns(p) })
	l.Vehicles.V = slices.DeleteFunc(slices.Clone(l.Vehicles.V), func(v vehicle) bool { return v.Custody == removed })
	l.Stops.V, l.Vehicles.V = sight.Masked(l.Stops.V, string(p)), sight.Masked(l.Vehicles.V, string(p))
	l.Commodities.V, l.References.V, l.Charges.V = sight.Masked(l.Commodities.V, string(p)), sight.Masked(l.References.V, string(p)), sight.Masked(l.Charges.V, string(p))

	return l
}

// concerns reports whether a payment is one of a party's.
func (p planLine) concerns(of party) bool {
	who := customer
	if of == toCarrier {
		who = carrier
	}

	return p.From == who || p.To == who
}
