// Package driverlink serves drivers who have a link to a load or to a trip: what they read, record, send and sign, with and without a network.
package driverlink

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
)

// Entrance leads drivers to the bills of lading of their link.
type Entrance struct {
	links *link.Service
	rows  *store.Repository
	trips *Trips
}

// NewEntrance returns an Entrance.
func NewEntrance(links *link.Service, rows *store.Repository, t *Trips) *Entrance {
	return &Entrance{links, rows, t}
}

// held are the bills of lading of a driver's link.
type held struct {
	// number is that of a trip, "" for a link to a load.
	number string
	bols   []store.Bol
}

// loads are those of the bills of lading.
func (h held) loads() (all []uuid.UUID) {
	for _, b := range h.bols {
		if !slices.Contains(all, b.Load) {
			all = append(all, b.Load)
		}
	}

	return all
}

// with is the bill of lading with a vehicle.
func (h held) with(vehicle uuid.UUID) (store.Bol, error) {
	for _, b := range h.bols {
		if _, err := b.Vehicle(vehicle); err == nil {
			return b, nil
		}
	}

	return store.Bol{}, store.ErrInvalidEntry.WithField("vehicle_uuid", "There is no such vehicle on the bills of lading of the load.")
}

// bill is one of the bills of lading.
func (h held) bill(id uuid.UUID) (store.Bol, bool) {
	i := slices.IndexFunc(h.bols, func(b store.Bol) bool { return b.ID == id })
	if i < 0 {
		return store.Bol{}, false
	}

	return h.bols[i], true
}

// enter returns the bills of lading of a link, and the context of its company. It changes nothing. Error: ErrLinkClosed.
func (e *Entrance) enter(ctx context.Context, text string) (context.Context, held, error) {
	ctx, found, err := e.links.Enter(ctx, store.Driving, text)
	if err != nil {
		return ctx, held{}, err
	}
	h, loads := held{}, []uuid.UUID{found.Subject.ID}
	if found.Subject.Type != loadsapi.Load {
		trip, err := e.trips.find(ctx, found.Subject)
		if err != nil {
			return ctx, h, err
		}
		h.number, loads = trip.number, trip.loads
	}
	for _, load := range loads {
		bills, err := e.rows.Live(ctx, load)
		if err != nil {
			return ctx, h, err
		}
		h.bols = append(h.bols, bills...)
	}
	if len(h.bols) == 0 {
		err = store.ErrLinkClosed
	}

	return ctx, h, err
}

// tripItem is the type of trips, of an area that a company may do without.
const tripItem = "trips.trip"

// Trips asks the area that has trips for their loads.
type Trips struct {
	hooks *hook.Bus
	rows  *store.Repository
}

// NewTrips returns Trips.
func NewTrips(hooks *hook.Bus, rows *store.Repository) *Trips { return &Trips{hooks, rows} }

// trip is a trip whose driver has a link.
type trip struct {
	number string
	loads  []uuid.UUID
}

// find returns a trip that is driven, or is to be. Error: ErrTripNotFound.
func (k *Trips) find(ctx context.Context, of link.Subject) (t trip, err error) {
	asked := billsofladingapi.ReadingTrip{Trip: of.ID.String()}
	err = k.rows.InTx(ctx, func(ctx context.Context) error {
		asked.Number, asked.Loads = "", nil

		return hook.Run(ctx, k.hooks, &asked)
	})
	if err == nil && asked.Number == "" {
		err = store.ErrTripNotFound
	}
	t.number = asked.Number
	for _, load := range asked.Loads {
		t.loads = append(t.loads, item.ID(load))
	}

	return t, err
}
