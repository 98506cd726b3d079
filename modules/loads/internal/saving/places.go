package saving

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// shown is what a driver brings by each rule of a release.
var shown = map[string]string{"code": "a release code", "form": "a release form", "code_and_id": "a release code and an ID"}

// Places asks the areas about the places of stops.
type Places struct{ hooks *hook.Bus }

// NewPlaces returns Places.
func NewPlaces(hooks *hook.Bus) *Places { return &Places{hooks} }

// warnOfRelease warns of vehicles that wait where they leave only with a release that the load does not have.
func (s *Places) warnOfRelease(ctx context.Context, c *resource.Change[store.Load]) error {
	l := c.After
	waits := store.States(loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched)
	if !slices.Contains(waits, l.State) && (c.Verb != store.VerbPickUp || c.Before == nil || !slices.Contains(waits, c.Before.State)) || l.Released() {
		return nil
	}
	about, stops := loadsapi.AskingRelease{Load: l.ID.String()}, map[uuid.UUID]int{}
	for _, v := range l.Vehicles.V {
		from, _ := l.Ends(v)
		at := l.StopIndex(from)
		if _, known := stops[from]; known || at < 0 || !l.LacksRelease(c.Before, v) {
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
		from, _ := l.Ends(v)
		n, asked := stops[from]
		if !asked || !about.Places[n].Needed || !l.LacksRelease(c.Before, v) {
			continue
		}
		brings := shown[about.Places[n].Rule]
		if brings == "" {
			brings = "a release"
		}
		l.Warn("loads.release_missing", fmt.Sprintf("vehicles.%d.gate_pass", i), fmt.Sprintf(
			"The %s leaves %s only with %s. Enter its gate_pass, or a reference of the kind gate_pass or release.", v.Name(), l.PlaceName(from), brings))
	}

	return nil
}

// saveVenues has the venues be kept of which the stops of a load say so. What cannot be kept is warned of.
func (s *Places) saveVenues(ctx context.Context, l *store.Load) error {
	for i := range l.Stops.V {
		one := &l.Stops.V[i]
		if !one.SaveVenue {
			continue
		}
		one.SaveVenue = false
		v, whose := one.Venue, &one.Venue.Contact
		if *whose == uuid.Nil {
			whose = cmp.Or(l.Shipper, l.Customer, whose)
		}
		about := loadsapi.SavingVenue{
			Contact: whose.String(), Name: cmp.Or(v.Name, v.Line1, v.Title()), Type: v.Type, TimeZone: v.TimeZone, Appointment: v.Appointment,
			Line1: v.Line1, Line2: v.Line2, City: v.City, State: v.State, PostalCode: v.PostalCode, Country: v.Country,
			Lat: v.Position.Lat.String(), Lng: v.Position.Lng.String(),
			Problem: "No area that keeps locations is switched on.",
		}
		if err := hook.Run(ctx, s.hooks, &about); err != nil {
			return err
		}
		if about.Problem != "" {
			l.Warn("loads.venue_not_saved", "stops."+strconv.Itoa(i)+".save_venue", "The venue was not kept. "+about.Problem)
		}
	}

	return nil
}
