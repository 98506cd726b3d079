// Package fitness says whether a trip may be driven, and what to be warned of.
package fitness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/drivers/driversapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/capacity"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/modules/trucks/trucksapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Checks says whether a trip may be driven: by its driver and truck, their documents, what the truck holds, and other trips.
type Checks struct {
	trips  *resource.Resource[store.Trip]
	rows   *store.Repository
	items  *item.Registry
	trucks *capacity.Trucks
}

// NewChecks returns Checks.
func NewChecks(trips *resource.Resource[store.Trip], rows *store.Repository, items *item.Registry, t *capacity.Trucks) *Checks {
	return &Checks{trips, rows, items, t}
}

// problem is why a driver or a truck may not drive.
type problem struct {
	What    string `json:"what"`
	Message string `json:"message"`
}

// Fit refuses a trip with a driver or a truck that may not drive, and one that the truck does not hold, or whose truck or driver is on another trip,
// unless that is acknowledged; strict has what the truck does not hold be refused all the same.
func (k *Checks) Fit(ctx context.Context, t store.Trip, acknowledged, strict bool) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	problems, expiring, err := k.papers(ctx, t)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return store.ErrNotFit.WithDetail("problems", problems)
	}
	if len(expiring) > 0 && !acknowledged {
		return store.ErrDocumentExpires.WithDetail("warnings", expiring)
	}
	found, err := k.trucks.Warnings(ctx, t)
	if err != nil {
		return err
	}
	if len(found) > 0 && (!acknowledged || strict) {
		return store.ErrOverCapacity.WithDetail("warnings", found)
	}
	found, err = k.busy(ctx, t)
	if err != nil || len(found) == 0 || acknowledged {
		return err
	}

	return store.ErrBusy.WithDetail("warnings", found)
}

// papers returns what keeps the truck and the drivers of a trip from driving now, and the documents that expire before its end.
func (k *Checks) papers(ctx context.Context, t store.Trip) (problems []problem, expiring []store.Warning, err error) {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	today, err := k.trips.Today(ctx)
	if err != nil {
		return nil, nil, err
	}
	end := lastDay(t, today)
	for _, one := range []struct {
		typ, name, fit string
		id             *uuid.UUID
		documents      []string
	}{
		{trucksapi.Item, "truck", "available assigned", t.Truck, []string{"registration", "insurance", "inspection"}},
		{driversapi.Item, "driver", "active", t.Driver, []string{"license", "medical"}},
		{driversapi.Item, "co-driver", "active", t.CoDriver, []string{"license", "medical"}},
	} {
		if one.id == nil {
			continue
		}
		values, err := k.values(ctx, item.Ref{Type: one.typ, UUID: *one.id})
		if err != nil {
			return nil, nil, err
		}
		if status := values["status"]; !slices.Contains(strings.Fields(one.fit), status) {
			problems = append(problems, problem{one.name, "The " + one.name + " is " + strings.ReplaceAll(status, "_", " ") + "."})
		}
		for _, document := range one.documents {
			switch until := values[document+"_expires"]; {
			case until == "" || field.Date(until) >= end:
			case field.Date(until) < today:
				problems = append(problems, problem{one.name, "The " + document + " of the " + one.name + " expired on " + until + "."})
			default:
				expiring = append(expiring, store.Warning{Code: "document_expires", Message: fmt.Sprintf(
					"The %s of the %s expires on %s, before the end of the trip (%s).", document, one.name, until, end)})
			}
		}
	}

	return problems, expiring, nil
}

// dayMiles is how far a truck comes in a day: 11 hours of driving (49 CFR 395.3) with loading and rests.
const dayMiles = 550

// lastDay is the day on which a trip is expected to end: that of its latest ETA or window, or by its miles from today on.
func lastDay(t store.Trip, today field.Date) field.Date {
	var miles int64
	last := today
	for _, l := range t.Legs.V {
		if l.DepartedAt != nil {
			continue
		}
		if l.Miles != nil {
			miles += *l.Miles
		}
		last = max(last, field.Date(l.Due))
		if l.ETA != nil {
			last = max(last, field.Date(l.ETA.Format(time.DateOnly)))
		}
	}
	if from, err := time.Parse(time.DateOnly, string(today)); err == nil {
		last = max(last, field.Date(from.AddDate(0, 0, int(miles/dayMiles)).Format(time.DateOnly)))
	}

	return last
}

// backwards warns of odometers that show less than at a stop before, by the time of the visits.
func backwards(t store.Trip) (found []store.Warning) {
	legs := slices.DeleteFunc(slices.Clone(t.Legs.V), func(l store.Leg) bool { return l.Odometer == 0 || l.ArrivedAt == nil && l.DepartedAt == nil })
	slices.SortStableFunc(legs, func(a, b store.Leg) int {
		return cmp.Or(a.ArrivedAt, a.DepartedAt).Compare(*cmp.Or(b.ArrivedAt, b.DepartedAt))
	})
	for i := 1; i < len(legs); i++ {
		if before, l := legs[i-1], legs[i]; l.Odometer < before.Odometer {
			found = append(found, store.Warning{Code: "odometer_back", Leg: l.UUID, Message: fmt.Sprintf(
				"The odometer shows %d mi in %s, less than the %d mi in %s before. Check the reading.", l.Odometer, l.Place, before.Odometer, before.Place)})
		}
	}

	return found
}

// values are those of an item that are texts.
func (k *Checks) values(ctx context.Context, ref item.Ref) (map[string]string, error) {
	found, err := k.items.Values(ctx, []item.Ref{ref})
	texts := map[string]string{}
	if err != nil {
		return texts, err
	}
	for key, raw := range found[0] {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			texts[key] = text
		}
	}

	return texts, nil
}

// busy warns of other trips that have the truck or a driver of a trip now.
func (k *Checks) busy(ctx context.Context, t store.Trip) ([]store.Warning, error) {
	others, err := k.rows.OthersWith(ctx, t)
	var found []store.Warning
	for _, o := range others {
		if t.Truck != nil && o.Truck != nil && *t.Truck == *o.Truck {
			found = append(found, store.Warning{Code: "truck_busy", Message: "The truck is on the trip " + o.Number + "."})
		}
		if slices.ContainsFunc(o.Crew(), func(id uuid.UUID) bool { return slices.Contains(t.Crew(), id) }) {
			found = append(found, store.Warning{Code: "driver_busy", Message: "A driver is on the trip " + o.Number + "."})
		}
	}

	return found, err
}

// all are the warnings of a trip.
func (k *Checks) all(ctx context.Context, t store.Trip) ([]store.Warning, error) {
	found, err := k.trucks.Warnings(ctx, t)
	found = append(found, backwards(t)...)
	if err != nil || t.Over() {
		return found, err
	}
	_, expiring, err := k.papers(ctx, t)
	if err != nil {
		return found, err
	}
	busy, err := k.busy(ctx, t)

	return slices.Concat(found, expiring, busy), err
}

// Answers are the responses with a trip and its warnings.
type Answers struct {
	trips  *resource.Resource[store.Trip]
	checks *Checks
}

// NewAnswers returns Answers.
func NewAnswers(trips *resource.Resource[store.Trip], c *Checks) *Answers { return &Answers{trips, c} }

// Of is the response with a trip.
func (k *Answers) Of(ctx context.Context, row store.Trip, err error) (*web.Resource[store.Trip], error) {
	if err == nil {
		row.Warnings, err = k.checks.all(ctx, row)
	}

	return k.trips.Answer(ctx, row, err)
}

// Warned is a trip with its warnings.
func (k *Answers) Warned(ctx context.Context, row store.Trip) (_ store.Trip, err error) {
	row.Warnings, err = k.checks.all(ctx, row)

	return row, err
}

// Errors are the failures of an operation on a trip.
func (k *Answers) Errors(more ...*errs.Error) []*errs.Error {
	return append([]*errs.Error{k.trips.NotFound(), store.ErrInvalid, store.ErrOver, state.ErrMoved}, more...)
}
