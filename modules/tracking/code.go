package tracking

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// following is what the codes of customers are for: to follow a load.
const following link.Purpose = "tracking.code"

const (
	codeLife    = 90 * 24 * time.Hour
	maxCodeLife = 366 * 24 * time.Hour
	// afterDelivery is for how long a load can be followed that was delivered.
	afterDelivery = 30 * 24 * time.Hour
	perMinute     = 120
)

var errNoCode = errs.New(errs.NotFound, "tracking.code_unknown", "This code is not valid. Check it, or ask for a new one.")

// sight is what a code lets see: it is the payload of its link.
type sight struct {
	Delay     int64  `json:"delay_minutes"`
	Precision string `json:"precision"`
	Map       bool   `json:"map"`
}

// window is what customers see by a code.
type window struct {
	tracker *tracker
	places  routeengineapi.Places
	brands  companiesapi.Brands
	links   *link.Service
	given   *share.Service
	guesses *guesses
}

func newWindow(t *tracker, p routeengineapi.Places, b companiesapi.Brands, links *link.Service, given *share.Service, c clock.Clock) *window {
	return &window{t, p, b, links, given, newGuesses(c)}
}

func codeRoutes(r *web.Router, w *window) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/codes", ID: "create_code", Access: web.Write, Secret: true, Summary: "Make a code by which a customer follows a load",
		Description: "Only this response has it. It ends 30 days after the delivery.", Errors: []*errs.Error{loadsapi.ErrNotFound, link.ErrInvalid, share.ErrRecipient},
	}, w.create)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/codes", ID: "list_codes", Access: web.Read, Summary: "List the codes by which customers follow a load", Description: "The newest 100.",
		Errors: []*errs.Error{loadsapi.ErrNotFound},
	}, func(ctx context.Context, in *loadInput) (*codesOutput, error) {
		if _, err := w.tracker.standings.Standing(ctx, in.UUID.String()); err != nil {
			return nil, err
		}
		out := &codesOutput{}
		var err error
		out.Body.Data, err = w.given.List(ctx, following, subject(in.UUID))

		return out, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/loads/{uuid}/codes/{code}", ID: "revoke_code", Access: web.Write, Summary: "Revoke a code", Errors: []*errs.Error{link.ErrNotFound},
	}, func(ctx context.Context, in *revokeInput) (*struct{}, error) {
		return nil, w.links.RevokeOf(ctx, following, subject(in.UUID), in.Code)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/code/{code}", ID: "read_code", Access: web.Public, Summary: "Follow a load by a code",
		Description: "Capitals and dashes do not matter. All codes that are not valid are answered alike. With Accept: text/html, the response is a page.",
		Errors:      []*errs.Error{errNoCode, errGuessed, link.ErrTooOften}, Page: newFace().Page,
	}, w.read)
}

func subject(load uuid.UUID) link.Subject { return link.Subject{Type: loadsapi.Load, ID: load} }

type loadInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type revokeInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Code uuid.UUID `path:"code" format:"uuid" doc:"The uuid of the code."`
}

type codesOutput struct {
	Body struct {
		Data []share.Share `json:"data" nullable:"false"`
	}
}

type createInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Delay     *int64            `json:"delay_minutes,omitempty" minimum:"0" maximum:"1440" doc:"How old positions are that are shown; by default as the settings say."`
		Precision string            `json:"precision,omitempty" enum:"exact,city" doc:"By default as the settings say."`
		Map       *bool             `json:"map,omitempty" default:"true" doc:"Whether positions are shown at all."`
		ExpiresAt time.Time         `json:"expires_at,omitzero" doc:"By default in 90 days; at most in 366."`
		To        []share.Recipient `json:"to,omitempty" maxItems:"5" nullable:"false" doc:"To whom it is sent."`
	}
}

// codeMade is a new code.
type codeMade struct {
	Code  string      `json:"code" doc:"Only this response has it." example:"7H2KM-9TQXC"`
	Share share.Share `json:"share"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (codeMade) SchemaName() string { return "TrackingCode" }

type createOutput struct{ Body codeMade }

const path = "/tracking/api/v1/code/"

func (w *window) create(ctx context.Context, in *createInput) (*createOutput, error) {
	of, err := w.tracker.standings.Standing(ctx, in.UUID.String())
	if err != nil {
		return nil, err
	}
	terms, err := w.tracker.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	brand, err := w.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	s := sight{Delay: terms.Now.Delay, Precision: cmp.Or(in.Body.Precision, terms.Now.Precision), Map: in.Body.Map == nil || *in.Body.Map}
	if in.Body.Delay != nil {
		s.Delay = *in.Body.Delay
	}
	made, err := w.given.Give(ctx, share.Given{
		Purpose: following, Subject: subject(in.UUID), Payload: s, Page: path, Title: brand.Name + ": " + of.Number, Text: brand.Name + ": follow your transport " + of.Number + " here.",
	}, share.Create{ExpiresAt: in.Body.ExpiresAt, To: in.Body.To})
	if err != nil {
		return nil, err
	}
	_, code, _ := strings.Cut(made.URL, path)

	return &createOutput{codeMade{code, made}}, nil
}

// tracked is a load as a customer follows it by a code: without streets, contacts, VINs and prices.
type tracked struct {
	Brand       page.Brand     `json:"brand"`
	Number      string         `json:"load_number"`
	State       loadsapi.State `json:"state" enum:"draft,lead,quoted,booked,ready,dispatched,picked_up,delivered,completed,cancelled,lost,archived"`
	Stops       []trackedStop  `json:"stops" nullable:"false"`
	Vehicles    []string       `json:"vehicles" nullable:"false" example:"[\"2003 Honda Accord\"]"`
	PickedUpAt  *time.Time     `json:"picked_up_at" doc:"When the first vehicle was picked up."`
	DeliveredAt *time.Time     `json:"delivered_at" doc:"When the last vehicle was delivered."`
	ETA         *time.Time     `json:"eta" doc:"When the truck is expected at the last stop, by where it was, at 500 miles a day; null unless it is on the way, and once that time is over."`
	Carrier     string         `json:"carrier" doc:"Its name; empty until one has the load."`
	Driver      string         `json:"driver" doc:"The first name."`
	Phone       string         `json:"company_phone" doc:"Whom to call."`
	Pickup      string         `json:"pickup_date" doc:"The agreed day."`
	Delivery    string         `json:"delivery_date"`
	AtPickup    *time.Time     `json:"eta_pickup" doc:"When the carrier says that it comes."`
	AtDelivery  *time.Time     `json:"eta_delivery"`
	Handed      string         `json:"waits_at" doc:"Where vehicles wait for another carrier that carries them on; empty for none." example:"Hattiesburg, MS"`
	Map         bool           `json:"map"`
	Position    *trackedAt     `json:"position" doc:"Null before the pickup, after the delivery, and if it is not known."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (tracked) SchemaName() string { return "TrackedLoad" }

// trackedStop is a stop.
type trackedStop struct {
	Kind     string         `json:"kind" enum:"pickup,delivery,transfer"`
	City     string         `json:"city"`
	State    string         `json:"state"`
	From     string         `json:"from" doc:"A day, or a time on a clock there; empty for none."`
	To       string         `json:"to"`
	Zone     string         `json:"time_zone"`
	Position field.GeoPoint `json:"position" nullable:"true" doc:"The middle of the ZIP code."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (trackedStop) SchemaName() string { return "TrackedStop" }

// trackedAt is where the truck was.
type trackedAt struct {
	At        time.Time      `json:"at"`
	Position  field.GeoPoint `json:"position"`
	Near      string         `json:"near" example:"Hattiesburg, MS"`
	Precision string         `json:"precision" enum:"exact,city"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (trackedAt) SchemaName() string { return "TrackedPlace" }

type readInput struct {
	Code string `path:"code" maxLength:"40" doc:"The code."`
}

type readOutput struct{ Body tracked }

func (w *window) read(ctx context.Context, in *readInput) (*readOutput, error) {
	from := web.ClientNetwork(ctx)
	if err := w.guesses.refused(from); err != nil {
		return nil, err
	}
	ctx, found, err := w.links.Enter(ctx, following, in.Code)
	if errs.KindOf(err) == errs.NotFound && err != nil {
		return nil, w.guesses.missed(ctx, from)
	}
	if err != nil {
		return nil, err
	}
	s, err := link.PayloadOf[sight](found)
	if err != nil {
		return nil, err
	}
	l, err := w.tracker.seen(ctx, found.Subject.ID)
	if errors.Is(err, loadsapi.ErrNotFound) {
		err = errNoCode
	}
	if err != nil {
		return nil, err
	}
	out := &readOutput{}
	if out.Body, err = w.shown(ctx, l); err != nil {
		return nil, err
	}
	if err := w.coming(ctx, found.Subject.ID, &out.Body); err != nil {
		return nil, err
	}
	now := w.tracker.clock.Now()
	if at := out.Body.DeliveredAt; at != nil && now.Sub(*at) > afterDelivery {
		return nil, errNoCode
	}
	out.Body.Map = s.Map
	if on, moves := wayOf(ctx, w.places, l); moves {
		err = w.underway(ctx, found.Subject.ID, on, s, now, &out.Body)
	}

	return out, err
}

// coming adds who comes, and when.
func (w *window) coming(ctx context.Context, load uuid.UUID, t *tracked) error {
	f, err := w.tracker.standings.Following(ctx, load.String())
	t.Carrier, t.Driver, t.Phone, t.Pickup, t.Delivery = f.Carrier, f.Driver, f.Phone, f.PickupDate, f.DeliveryDate
	if !f.ETAPickup.IsZero() {
		t.AtPickup = &f.ETAPickup
	}
	if !f.ETADelivery.IsZero() {
		t.AtDelivery = &f.ETADelivery
	}

	return err
}

// underway adds where the truck was when the delay began, and when it arrives by that; where nobody knows, by the pickup.
func (w *window) underway(ctx context.Context, load uuid.UUID, on way, s sight, now time.Time, t *tracked) error {
	from, since := on.from, on.since
	p, err := w.tracker.latest(ctx, load, on, now.Add(-time.Duration(s.Delay)*time.Minute).UTC())
	switch {
	case errors.Is(err, errNone):
	case err != nil:
		return err
	default:
		near, _ := w.places.Near(ctx, float64(p.Lat)/micro, float64(p.Lng)/micro)
		from, since = near, p.At
		if s.Map {
			t.Position = &trackedAt{At: p.At.UTC(), Position: pointOf(p.Lat, p.Lng), Near: near.City + ", " + near.State, Precision: s.Precision}
			if s.Precision == city {
				t.Position.Position = pointOf(int64(near.Lat*micro), int64(near.Lng*micro))
			}
		}
	}
	if eta := on.arrival(w.places, from, since); eta.After(now) {
		t.ETA = &eta
	}

	return nil
}

// loadSeen is a load as its customer sees it.
type loadSeen loadsapi.CustomerView

// seen returns a load as its customer sees it.
func (t *tracker) seen(ctx context.Context, load uuid.UUID) (loadSeen, error) {
	seen, err := t.views.Customer(ctx, load.String())

	return loadSeen(seen.Load), err
}

// waits is where vehicles wait that their first carrier has handed over, "" for none.
func (l loadSeen) waits() string {
	for _, v := range l.Vehicles {
		for _, s := range l.Stops {
			if v.Custody == loadsapi.VehicleWaiting && s.Kind == "transfer" && s.UUID == v.Pickup {
				return strings.Trim(s.Venue.City+", "+s.Venue.State, ", ")
			}
		}
	}

	return ""
}

// shown is a load as a customer follows it.
func (w *window) shown(ctx context.Context, l loadSeen) (t tracked, err error) {
	brand, err := w.brands.Brand(ctx)
	if err != nil {
		return t, err
	}
	t = tracked{Brand: page.Brand{Name: brand.Name, Color: brand.PrimaryColor}, Number: l.Number, State: l.State, Stops: []trackedStop{}, Vehicles: []string{}}
	for _, s := range l.Stops {
		one := trackedStop{Kind: s.Kind, City: s.Venue.City, State: s.Venue.State, Zone: s.Venue.TimeZone}
		if s.Window != nil {
			one.From, one.To = s.Window.From, s.Window.To
		}
		if p, err := w.places.Place(ctx, s.Venue.PostalCode); err == nil {
			one.Position = pointOf(int64(p.Lat*micro), int64(p.Lng*micro))
		}
		t.Stops = append(t.Stops, one)
	}
	t.Handed = l.waits()
	all := len(l.Vehicles) > 0
	for _, v := range l.Vehicles {
		t.Vehicles = append(t.Vehicles, v.Name())
		if v.PickedUpAt != nil && (t.PickedUpAt == nil || v.PickedUpAt.Before(*t.PickedUpAt)) {
			t.PickedUpAt = v.PickedUpAt
		}
		if all = all && v.DroppedAt != nil; all && (t.DeliveredAt == nil || v.DroppedAt.After(*t.DeliveredAt)) {
			t.DeliveredAt = v.DroppedAt
		}
	}
	if !all {
		t.DeliveredAt = nil
	}

	return t, nil
}
