// Package sight empties what a party does not see of a document: each field of its structs says by its tag seen who sees it.
package sight

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Party is who looks at a load from outside.
type Party string

// The parties, as the tag seen names them. A Bidder is a carrier that may be going to have the load: it sees no street, contact or VIN.
const (
	Customer Party = "customer"
	Carrier  Party = "carrier"
	Bidder   Party = "offer"
)

// Masked are copies of some parts of a document as a party sees them.
func Masked[T any](parts []T, party Party) []T {
	all := make([]T, len(parts))
	for i, one := range parts {
		all[i] = one
		Mask(reflect.ValueOf(&all[i]).Elem(), party)
	}

	return all
}

// JSON is a document as a party sees it, which Mask has masked: without the members that the party does not see, and without those that all rows
// have but the uuid.
func JSON(document any, party Party) ([]byte, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	seen := map[string]json.RawMessage{"uuid": all["uuid"]}
	for f := range reflect.TypeOf(document).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if value, there := all[name]; there && slices.Contains(strings.Fields(f.Tag.Get("seen")), string(party)) {
			seen[name] = value
		}
	}

	return json.Marshal(seen)
}

// Mask empties the fields of a struct that a party does not see, and those of the structs of its package in it. What is shared with the
// original is replaced, not changed. Embedded structs stay.
func Mask(v reflect.Value, party Party) {
	t := v.Type()
	for i := range t.NumField() {
		f := v.Field(i)
		if t.Field(i).Anonymous || !f.CanSet() {
			continue
		}
		if !slices.Contains(strings.Fields(t.Field(i).Tag.Get("seen")), string(party)) {
			f.SetZero()

			continue
		}
		inner(f, party, t.PkgPath())
	}
}

// inner masks what a field holds, where that is a struct of the package.
func inner(f reflect.Value, party Party, of string) {
	isPart := func(t reflect.Type) bool { return t.Kind() == reflect.Struct && t.PkgPath() == of }
	switch {
	case f.Kind() == reflect.Struct && isPart(f.Type()):
		Mask(f, party)
	case f.Kind() == reflect.Pointer && !f.IsNil() && isPart(f.Type().Elem()):
		own := reflect.New(f.Type().Elem())
		own.Elem().Set(f.Elem())
		Mask(own.Elem(), party)
		f.Set(own)
	case f.Kind() == reflect.Slice && isPart(f.Type().Elem()):
		own := reflect.MakeSlice(f.Type(), f.Len(), f.Len())
		reflect.Copy(own, f)
		for i := range own.Len() {
			Mask(own.Index(i), party)
		}
		f.Set(own)
	}
}

var reachable = regexp.MustCompile(`(?i)[\w.+-]+@[\w-]+\.\w|https?://|www\.|\b[\w-]+\.(com|net|org|us|io)\b|(\d[\s().-]*){10,}`)

// Reachable reports whether a text has what a stranger could be reached by: an e-mail address, a web address, or a phone number.
func Reachable(text string) bool { return reachable.MatchString(text) }
