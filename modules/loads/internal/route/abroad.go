package route

import (
	"cmp"
	"context"
	"regexp"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
)

var (
	canadianRule = regexp.MustCompile(`^([A-Z][0-9][A-Z])[ -]?([0-9][A-Z][0-9])$`)
	mexicanRule  = regexp.MustCompile(`^[0-9]{5}$`)
)

// homeland is the country of a place that names none: that of its postal code or its state.
func (v Venue) homeland() string {
	if canadianRule.MatchString(v.PostalCode) {
		return routeengineapi.Canada
	}
	if region, abroad := routeengineapi.RegionOf(v.State); abroad {
		return region.Country
	}

	return routeengineapi.UnitedStates
}

// spaced is a Canadian postal code as it is written: M5V 3L9.
func spaced(code string) string {
	if m := canadianRule.FindStringSubmatch(code); m != nil {
		return m[1] + " " + m[2]
	}

	return code
}

// checkAbroad completes a place outside of the United States: one of Canada by its postal code, its city or its province, one of Mexico by its state.
func (v *Venue) checkAbroad(ctx context.Context, places routeengineapi.Places, at string, warn Warn, wrong *errs.Error) *errs.Error {
	if v.Country == routeengineapi.Canada && v.PostalCode != "" {
		wrong = v.checkPostal(ctx, places, at, warn, wrong)
	}
	if v.Country == routeengineapi.Mexico && v.PostalCode != "" && !mexicanRule.MatchString(v.PostalCode) {
		wrong = wrong.WithField(at+".venue.postal_code", "A Mexican postal code has five digits, such as 64000.")
	}
	if v.City == "" || v.State == "" && (v.Country == routeengineapi.Canada || v.Country == routeengineapi.Mexico) {
		wrong = wrong.WithField(at+".venue.city", "The city is required, and the province or state.")
	}
	region, known := routeengineapi.RegionOf(v.State)
	switch {
	case v.Country == routeengineapi.Canada && v.State != "" && region.Country != routeengineapi.Canada:
		return wrong.WithField(at+".venue.state", "The state must be a province or territory of Canada by its two letters, such as ON.")
	case v.Country == routeengineapi.Mexico && v.State != "" && region.Country != routeengineapi.Mexico:
		return wrong.WithField(at+".venue.state", "The state must be one of Mexico by its code, such as NLE.")
	}
	if v.Country == routeengineapi.Canada && (v.TimeZone == "" || !v.placed()) {
		if place, err := places.City(ctx, v.City, v.State); err == nil {
			v.complete(place)
		}
	}
	if known && v.Country == region.Country {
		v.TimeZone = cmp.Or(v.TimeZone, region.TimeZone)
	}

	return checkZone(at, v, wrong)
}

// checkPostal completes a place by its Canadian postal code.
func (v *Venue) checkPostal(ctx context.Context, places routeengineapi.Places, at string, warn Warn, wrong *errs.Error) *errs.Error {
	place, err := places.Place(ctx, v.PostalCode)
	switch {
	case err != nil && canadianRule.MatchString(v.PostalCode):
		warn("loads.unknown_zip", at+".venue.postal_code", "The postal code "+v.PostalCode+" is not known, so that there may be no miles.")
	case err != nil || place.Country != routeengineapi.Canada:
		wrong = wrong.WithField(at+".venue.postal_code", "A Canadian postal code has the form A1A 1A1, such as M5V 3L9.")
	case v.State != "" && v.State != place.State:
		wrong = wrong.WithField(at+".venue.state", "The postal code "+v.PostalCode+" is in "+place.State+".")
	default:
		v.City, v.State = cmp.Or(v.City, place.City), place.State
		v.complete(place)
	}

	return wrong
}

// complete gives a place the time zone and the position of another one where it has none.
func (v *Venue) complete(place routeengineapi.Place) {
	v.TimeZone = cmp.Or(v.TimeZone, place.TimeZone)
	if !v.placed() && place.Lat != 0 {
		v.Position = field.GeoPoint{Lat: degrees(place.Lat), Lng: degrees(place.Lng)}
	}
}
