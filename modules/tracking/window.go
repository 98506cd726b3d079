package tracking

import (
	"context"
	"errors"
	"net/http"
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
	"github.com/dispatchd/dispatchd/platform/web"
)

// door lets those in who have a code.
type door struct {
	links   *link.Service
	guesses *guesses
}

func newDoor(links *link.Service, g *guesses) *door { return &door{links, g} }

// enter returns the load of a code and what the code shows of it, and the context of its company. Errors: errNoCode, errGuessed.
func (d *door) enter(ctx context.Context, text string) (context.Context, uuid.UUID, sight, error) {
	from := web.ClientNetwork(ctx)
	if err := d.guesses.refused(from); err != nil {
		return ctx, uuid.Nil, sight{}, err
	}
	inside, found, err := d.links.Enter(ctx, following, text)
	if errs.KindOf(err) == errs.NotFound && err != nil {
		err = d.guesses.missed(inside, from)
	}
	if err != nil {
		return inside, uuid.Nil, sight{}, err
	}
	s, err := link.PayloadOf[sight](found)

	return inside, found.Subject.ID, s, err
}

// drawing makes of loads what customers see.
type drawing struct {
	brands companiesapi.Brands
	places routeengineapi.Places
}

func newDrawing(b companiesapi.Brands, p routeengineapi.Places) *drawing { return &drawing{b, p} }

// window is what customers see by a code.
type window struct {
	door     *door
	journeys *journeys
	drawing  *drawing
	trail    *trail
	clock    clock.Clock
}

func newWindow(d *door, j *journeys, shows *drawing, t *trail, c clock.Clock) *window {
	return &window{d, j, shows, t, c}
}

func windowRoutes(r *web.Router, w *window) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/code/{code}", ID: "read_code", Access: web.Public, Summary: "Follow a load by a code",
		Description: "Capitals and dashes do not matter. All codes that are not valid are answered alike. With Accept: text/html, the response is a page.",
		Errors:      []*errs.Error{errNoCode, errGuessed, link.ErrTooOften}, Page: newFace().Page,
	}, w.read)
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
	ctx, load, s, err := w.door.enter(ctx, in.Code)
	if err != nil {
		return nil, err
	}
	l, err := w.journeys.seen(ctx, load)
	if errors.Is(err, loadsapi.ErrNotFound) {
		err = errNoCode
	}
	if err != nil {
		return nil, err
	}
	out := &readOutput{}
	if out.Body, err = w.drawing.shown(ctx, l); err != nil {
		return nil, err
	}
	if err := w.journeys.coming(ctx, load, &out.Body); err != nil {
		return nil, err
	}
	now := w.clock.Now()
	if at := out.Body.DeliveredAt; at != nil && now.Sub(*at) > afterDelivery {
		return nil, errNoCode
	}
	out.Body.Map = s.Map
	if on, moves := w.journeys.way(ctx, l); moves {
		err = w.trail.underway(ctx, load, on, s, now, &out.Body)
	}

	return out, err
}

// shown is a load as a customer follows it.
func (d *drawing) shown(ctx context.Context, l loadSeen) (t tracked, err error) {
	brand, err := d.brands.Brand(ctx)
	if err != nil {
		return t, err
	}
	t = tracked{Brand: page.Brand(brand), Number: l.Number, State: l.State, Stops: []trackedStop{}, Vehicles: []string{}}
	for _, s := range l.Stops {
		one := trackedStop{Kind: s.Kind, City: s.Venue.City, State: s.Venue.State, Zone: s.Venue.TimeZone}
		if s.Window != nil {
			one.From, one.To = s.Window.From, s.Window.To
		}
		if p, err := d.places.Place(ctx, s.Venue.PostalCode); err == nil {
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
