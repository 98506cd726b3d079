// Package identify finds out what vehicles are, by their VINs, makes and models.
package identify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/internal/quick"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Identifier finds out what vehicles are.
type Identifier struct {
	decoder vehiclesapi.Decoder
	parser  vehiclesapi.Parser
}

// New returns an Identifier.
func New(d vehiclesapi.Decoder, p vehiclesapi.Parser) *Identifier { return &Identifier{d, p} }

// Decoded are what VINs say.
type Decoded map[vehiclesapi.Asked]vehiclesapi.Decoded

// DecodeVINs decodes the VINs that are new, of all loads at once.
func (s *Identifier) DecodeVINs(ctx context.Context, all []*resource.Change[store.Load]) (Decoded, error) {
	var asked []vehiclesapi.Asked
	for _, c := range all {
		known := map[string]bool{}
		if c.Before != nil {
			for _, v := range c.Before.Vehicles.V {
				known[v.VIN] = true
			}
		}
		for _, v := range c.After.Vehicles.V {
			if v.VIN != "" && !known[v.VIN] && c.Verb != resource.Delete {
				asked = append(asked, store.AskedOf(v))
			}
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	said, err := s.decoder.DecodeAsked(ctx, asked...)
	known := make(Decoded, len(said))
	for i, d := range said {
		known[asked[i]] = d
	}

	return known, err
}

// FillIn completes vehicles by their VINs, and those without a type by their makes and models.
func (s *Identifier) FillIn(ctx context.Context, known Decoded, l *store.Load, sizes map[vehiclesapi.Type]string) error {
	for i := range l.Vehicles.V {
		v := &l.Vehicles.V[i]
		said, named := known[store.AskedOf(*v)], vehiclesapi.Type("")
		if v.Type == "" && v.Make != "" && !v.SameMake(said.Make) {
			one := vehiclesapi.Named{Make: v.Make, Model: v.Model}
			if v.Year != nil {
				one.Year = int(*v.Year)
			}
			listed, err := s.parser.Identify(ctx, one)
			if err != nil {
				return fmt.Errorf("identifying a vehicle: %w", err)
			}
			named = listed.Type
			if !listed.Known && v.Model != "" {
				l.Warn("loads.model_unknown", "vehicles."+strconv.Itoa(i)+".model", quick.ModelUnknown(listed))
			}
		}
		v.FillIn(said, named, sizes, func(code, name, message string) { l.Warn(code, "vehicles."+strconv.Itoa(i)+"."+name, message) })
	}

	return nil
}

// Decode returns what the VIN of a vehicle says.
func (s *Identifier) Decode(ctx context.Context, v store.Vehicle) (vehiclesapi.Decoded, error) {
	said, err := s.decoder.DecodeAsked(ctx, store.AskedOf(v))
	if err != nil {
		return vehiclesapi.Decoded{}, err
	}

	return said[0], nil
}

// SameMake reports whether a make, as people write it, can be that of a VIN.
func (s *Identifier) SameMake(ctx context.Context, written string, d vehiclesapi.Decoded) (bool, error) {
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
	listed, err := s.parser.Parse(ctx, written) // which knows what people call makes: Chevy, VW

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
