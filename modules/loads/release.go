package loads

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// shown is what a driver brings by each rule of a release.
var shown = map[string]string{"code": "a release code", "form": "a release form", "code_and_id": "a release code and an ID"}

// warnOfRelease warns of vehicles that wait where they leave only with a release that the load does not have.
func (s *service) warnOfRelease(ctx context.Context, c *resource.Change[load]) error {
	l := c.After
	waits := of(loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched)
	if !slices.Contains(waits, l.State) && (c.Verb != verbPickUp || c.Before == nil || !slices.Contains(waits, c.Before.State)) || l.released() {
		return nil
	}
	about, stops := loadsapi.AskingRelease{Load: l.ID.String()}, map[uuid.UUID]int{}
	for _, v := range l.Vehicles.V {
		from, _ := l.ends(v)
		at := l.place(from)
		if _, known := stops[from]; known || at < 0 || !l.lacksRelease(c.Before, v) {
			continue
		}
		stops[from] = len(about.Places)
		venue := l.Stops.V[at].Venue
		p := loadsapi.ReleasePlace{Line1: venue.Line1, Line2: venue.Line2, City: venue.City, State: venue.State, PostalCode: venue.PostalCode, Country: venue.Country}
		for _, id := range []*uuid.UUID{&venue.Contact, l.Shipper, l.Customer} {
			if id != nil && *id != uuid.Nil && !slices.Contains(p.Contacts, id.String()) {
				p.Contacts = append(p.Contacts, id.String())
			}
		}
		about.Places = append(about.Places, p)
	}
	if len(about.Places) == 0 {
		return nil
	}
	if err := hook.Run(ctx, s.hooks, &about); err != nil {
		return err
	}
	for i, v := range l.Vehicles.V {
		from, _ := l.ends(v)
		n, asked := stops[from]
		if !asked || !about.Places[n].Needed || !l.lacksRelease(c.Before, v) {
			continue
		}
		brings := shown[about.Places[n].Rule]
		if brings == "" {
			brings = "a release"
		}
		l.warn("loads.release_missing", fmt.Sprintf("vehicles.%d.gate_pass", i), fmt.Sprintf(
			"The %s leaves %s only with %s. Enter its gate_pass, or a reference of the kind gate_pass or release.", v.Name(), l.placeName(from), brings))
	}

	return nil
}

// lacksRelease reports whether a vehicle waits, or has waited before a change, without a pass of its own.
func (l *load) lacksRelease(was *load, v vehicle) bool {
	return v.GatePass == "" && (v.Custody == waiting || v.Custody == onBoard && was != nil && was.vehicle(v.UUID).Custody == waiting)
}

// released reports whether the load has a release for all of its vehicles.
func (l *load) released() bool {
	return slices.ContainsFunc(l.References.V, func(r reference) bool { return r.Value != "" && (r.Kind == "gate_pass" || r.Kind == "release") })
}
