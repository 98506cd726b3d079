package shippers

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// venues keeps venues of loads as locations.
type venues struct {
	finder    finder
	locations *resource.Resource[location]
}

func newVenues(f finder, locations *resource.Resource[location]) venues {
	return venues{f, locations}
}

// save keeps the venue of a stop as a location of the contact, once.
func (v venues) save(ctx context.Context, s *loadsapi.SavingVenue) error {
	of, ships, err := v.finder.of(ctx, s.Contact)
	if err != nil {
		return err
	}
	if s.Problem = ""; !ships {
		s.Problem = "The contact is no shipper."

		return nil
	}
	at := field.Address{Line1: s.Line1, Line2: s.Line2, City: s.City, State: s.State, PostalCode: s.PostalCode, Country: s.Country}
	there, err := v.locations.Where(ctx, "shipper_id = ?", of.ID)
	if err != nil || slices.ContainsFunc(there, func(l location) bool { return same(l.Address, at) }) {
		return err
	}
	made := location{Shipper: of.ID, Name: cut(s.Name), Venue: kindOf(s.Type), Address: at, TimeZone: s.TimeZone, Active: true, Appointment: walkIn, Release: byShipper}
	if s.Lat != "" {
		made.Position = field.GeoPoint{Lat: json.Number(s.Lat), Lng: json.Number(s.Lng)}
	}
	if s.Appointment {
		made.Appointment = "required"
	}
	if _, err = v.locations.Create(ctx, made); errs.IsRefusal(err) {
		s.Problem, err = err.Error(), nil
	}

	return err
}

// same reports whether two addresses are one place.
func same(a, b field.Address) bool {
	return strings.EqualFold(a.Line1, b.Line1) && strings.EqualFold(a.Line2, b.Line2) && a.PostalCode == b.PostalCode && strings.EqualFold(a.City, b.City)
}

// cut is a name as long as those of locations are.
func cut(name string) string {
	const longest = 100
	r := []rune(name)

	return string(r[:min(len(r), longest)])
}

// kindOf is the kind of a location that the type of a venue is.
func kindOf(venue string) string {
	switch venue {
	case "residence", "auction", "port", "terminal", "body_shop", "rental", "business":
		return venue
	case "dealership":
		return "dealer"
	case "auction_lot":
		return "auction"
	case "rail_yard":
		return "rail"
	case "storage":
		return "yard"
	}

	return "other"
}
