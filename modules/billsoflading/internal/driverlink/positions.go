package driverlink

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// positionsPerHour and positionsPerDay are how many positions may come by the drivers' links to a load.
const positionsPerHour, positionsPerDay = 6_000, 12_000

// Positions publishes where drivers' phones are. Other areas keep it.
type Positions struct {
	entrance *Entrance
	given    *share.Service
	bus      *events.Bus
	rows     *store.Repository
}

// NewPositions returns Positions.
func NewPositions(e *Entrance, given *share.Service, bus *events.Bus, rows *store.Repository) *Positions {
	return &Positions{e, given, bus, rows}
}

// PositionRoutes are the operations by which drivers' phones send where they are.
func PositionRoutes(r *web.Router, d *Positions) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/positions", ID: "send_driver_positions", Access: web.Public, Summary: "Send the positions of a phone by a driver's link",
		Description: "In any order; repeating a position changes nothing. At most 6,000 an hour and 12,000 a day are taken for a load. The event bills_of_lading.driver.located has them.",
		Errors:      append([]*errs.Error{store.ErrLinkClosed, store.ErrInvalidEntry}, link.Refusals...),
	}, d.locate)
}

type locateInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Positions []phonePosition `json:"positions" minItems:"1" maxItems:"100" nullable:"false"`
	}
}

// phonePosition is where a phone was.
type phonePosition struct {
	At       time.Time      `json:"at"`
	Position field.GeoPoint `json:"position"`
	Accuracy int64          `json:"accuracy_m,omitempty" minimum:"0" maximum:"1000000"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (phonePosition) SchemaName() string { return "PhonePosition" }

func (d *Positions) locate(ctx context.Context, in *locateInput) (*struct{}, error) {
	ctx, h, err := d.entrance.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	located := billsofladingapi.Located{}
	for i, p := range in.Body.Positions {
		if p.Position == (field.GeoPoint{}) {
			return nil, store.ErrInvalidEntry.WithField("positions."+strconv.Itoa(i)+".position", "The position is required.")
		}
		lat, lng := p.Position.Millionths()
		located.Positions = append(located.Positions, billsofladingapi.Position{At: p.At.UTC().Format(time.RFC3339), Lat: lat, Lng: lng, Accuracy: p.Accuracy})
	}

	return nil, d.rows.InTx(ctx, func(ctx context.Context) error {
		for _, load := range h.loads() {
			if err := d.given.AllowEntries(ctx, "positions of "+load.String(), int64(len(located.Positions)), positionsPerHour, positionsPerDay); err != nil {
				return err
			}
			located.Load = load.String()
			if err := d.bus.Publish(ctx, located); err != nil {
				return err
			}
		}

		return nil
	})
}
