package loads

import (
	"reflect"
	"slices"
	"strings"
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
	mask(v, p)
	l.Charges.V = slices.DeleteFunc(slices.Clone(charges), func(c charge) bool { return p != toCustomer || c.Payer != customer })
	l.Plan.V = slices.DeleteFunc(slices.Clone(plan), func(line planLine) bool { return p == toBidder || !line.concerns(p) })
	l.Vehicles.V = slices.DeleteFunc(slices.Clone(l.Vehicles.V), func(v vehicle) bool { return v.Custody == removed })
	l.Stops.V, l.Vehicles.V = masked(l.Stops.V, p), masked(l.Vehicles.V, p)
	l.Commodities.V, l.References.V, l.Charges.V = masked(l.Commodities.V, p), masked(l.References.V, p), masked(l.Charges.V, p)

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

// masked are copies of some parts of a load as a party sees them.
func masked[T any](parts []T, p party) []T {
	all := make([]T, len(parts))
	for i, one := range parts {
		all[i] = one
		mask(reflect.ValueOf(&all[i]).Elem(), p)
	}

	return all
}

// mask empties the fields of a struct that a party does not see. What is shared with the original is replaced, not changed.
func mask(v reflect.Value, p party) {
	t := v.Type()
	for i := range t.NumField() {
		f := v.Field(i)
		if t.Field(i).Anonymous || !f.CanSet() {
			continue
		}
		if !slices.Contains(strings.Fields(t.Field(i).Tag.Get("seen")), string(p)) {
			f.SetZero()

			continue
		}
		maskInner(f, p)
	}
}

// maskInner masks what a field holds, where that is a part of a load.
func maskInner(f reflect.Value, p party) {
	switch {
	case f.Kind() == reflect.Struct && isPart(f.Type()):
		mask(f, p)
	case f.Kind() == reflect.Pointer && !f.IsNil() && isPart(f.Type().Elem()):
		own := reflect.New(f.Type().Elem())
		own.Elem().Set(f.Elem())
		mask(own.Elem(), p)
		f.Set(own)
	case f.Kind() == reflect.Slice && isPart(f.Type().Elem()):
		own := reflect.MakeSlice(f.Type(), f.Len(), f.Len())
		reflect.Copy(own, f)
		for i := range own.Len() {
			mask(own.Index(i), p)
		}
		f.Set(own)
	}
}

// isPart reports whether a type is a struct of this package, whose fields have tags.
func isPart(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[load]().PkgPath()
}
