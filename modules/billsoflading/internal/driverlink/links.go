package driverlink

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/bills"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Links makes links by which drivers inspect the vehicles of a load and have its bills of lading signed.
type Links struct {
	standings loadsapi.Standings
	follower  *bills.Follower
	rows      *store.Repository
	brands    companiesapi.Brands
	given     *share.Service
}

// NewLinks returns Links.
func NewLinks(c loadsapi.Standings, f *bills.Follower, rows *store.Repository, b companiesapi.Brands, given *share.Service) *Links {
	return &Links{c, f, rows, b, given}
}

func (k *Links) subject(ctx context.Context, load uuid.UUID) (link.Subject, error) {
	_, err := k.standings.Standing(ctx, load.String())

	return link.Subject{Type: loadsapi.Load, ID: load}, err
}

// toDriver is a link to a load. Error: bills_of_lading.no_carrier.
func (k *Links) toDriver(ctx context.Context, load uuid.UUID) (share.Given, error) {
	of, err := k.standings.Standing(ctx, load.String())
	if err != nil {
		return share.Given{}, err
	}
	if err := k.follower.Follow(ctx, of.Load); err != nil { // a carrier may have just got or lost it
		return share.Given{}, err
	}
	all, err := k.rows.Live(ctx, load)
	if err == nil && len(all) == 0 {
		err = store.ErrNoCarrier
	}
	if err != nil {
		return share.Given{}, err
	}
	brand, err := k.brands.Brand(ctx)

	return share.Given{
		Purpose: store.Driving, Subject: link.Subject{Type: loadsapi.Load, ID: load}, Page: store.Base + "/driver/", Title: brand.Name + ": " + of.Number,
		Text: brand.Name + ": inspect and sign load " + of.Number + " here, " + strconv.Itoa(len(all)) + " bill(s) of lading.",
	}, err
}

// Create makes a link to a load, and sends it to no one.
func (k *Links) Create(ctx context.Context, load uuid.UUID) (made share.Share, err error) {
	err = k.rows.InTx(ctx, func(ctx context.Context) error {
		given, err := k.toDriver(ctx, load)
		if err == nil {
			made, err = k.given.Give(ctx, given, share.Create{})
		}

		return err
	})

	return made, err
}

// LinkDriver makes a link for the driver of a carrier, as long as there is something to sign. It runs in the transaction of the hook, which a failure
// of a joined one would end.
func (k *Links) LinkDriver(ctx context.Context, asked *dispatchesapi.LinkingDriver) error {
	given, err := k.toDriver(ctx, item.ID(asked.Load))
	if errors.Is(err, store.ErrNoCarrier) {
		return nil
	}
	if err != nil {
		return err
	}
	made, err := k.given.Give(ctx, given, share.Create{})
	asked.URL = made.URL

	return err
}

// LinkRoutes are the company's operations on the links of drivers to a load.
func LinkRoutes(r *web.Router, k *Links) {
	share.Routes(r, k.given, share.Operations{
		Path: "/loads/{uuid}/driver_links", Name: "driver_link", Summary: "by which a driver inspects the vehicles of a load and has the bills of lading signed", Purpose: store.Driving,
		Description: "It is good for 30 days.", Subject: k.subject, Give: k.toDriver, Errors: []*errs.Error{loadsapi.ErrNotFound, store.ErrNoCarrier},
	})
}

// TripLinks makes links by which a driver inspects and signs for all loads of a trip.
type TripLinks struct {
	trips  *Trips
	loads  *Links
	rows   *store.Repository
	brands companiesapi.Brands
	given  *share.Service
}

// NewTripLinks returns TripLinks.
func NewTripLinks(t *Trips, l *Links, rows *store.Repository, b companiesapi.Brands, given *share.Service) *TripLinks {
	return &TripLinks{t, l, rows, b, given}
}

func (k *TripLinks) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	to := link.Subject{Type: tripItem, ID: id}
	_, err := k.trips.find(ctx, to)

	return to, err
}

// toDriver is a link to a trip. Errors: bills_of_lading.trip_not_found, bills_of_lading.no_carrier.
func (k *TripLinks) toDriver(ctx context.Context, id uuid.UUID) (share.Given, error) {
	to := link.Subject{Type: tripItem, ID: id}
	t, err := k.trips.find(ctx, to)
	if err != nil {
		return share.Given{}, err
	}
	count := 0
	for _, load := range t.loads {
		if _, err := k.loads.toDriver(ctx, load); err != nil && !errors.Is(err, store.ErrNoCarrier) {
			return share.Given{}, err
		}
		all, err := k.rows.Live(ctx, load)
		if err != nil {
			return share.Given{}, err
		}
		count += len(all)
	}
	if count == 0 {
		return share.Given{}, store.ErrNoCarrier
	}
	brand, err := k.brands.Brand(ctx)

	return share.Given{
		Purpose: store.Driving, Subject: to, Page: store.Base + "/driver/", Title: brand.Name + ": " + t.number,
		Text: brand.Name + ": inspect and sign the loads of trip " + t.number + " here.",
	}, err
}

// TripLinkRoutes are the company's operations on the links of drivers to a trip.
func TripLinkRoutes(r *web.Router, k *TripLinks) {
	share.Routes(r, k.given, share.Operations{
		Path: "/trips/{uuid}/driver_links", Name: "trip_driver_link", Summary: "by which a driver inspects and signs for all loads of a trip", Purpose: store.Driving,
		Description: "It shows the loads that are on the trip when it is opened, and is good for 30 days.", Subject: k.subject, Give: k.toDriver,
		Errors: []*errs.Error{store.ErrTripNotFound, store.ErrNoCarrier, loadsapi.ErrNotFound},
	})
}
