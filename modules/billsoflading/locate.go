package billsoflading

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/web"
)

// locateRoutes take where a driver's phone is. Other areas keep it.
func locateRoutes(r *web.Router, d drivers) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/positions", ID: "send_driver_positions", Access: web.Public, Summary: "Say by a driver's link where the phone was",
		Description: "In any order; repeating a position changes nothing. At most 6,000 an hour and 12,000 a day are taken for a load. The event bills_of_lading.driver.located has them.", Errors: append([]*errs.Error{errNoBOL, errEntry}, link.Refusals...),
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

func (d drivers) locate(ctx context.Context, in *locateInput) (*struct{}, error) {
	ctx, h, err := d.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	told := billsofladingapi.Located{}
	for i, p := range in.Body.Positions {
		if p.Position == (field.GeoPoint{}) {
			return nil, errEntry.WithField("positions."+strconv.Itoa(i)+".position", "The position is required.")
		}
		lat, lng := p.Position.Millionths()
		told.Positions = append(told.Positions, billsofladingapi.Position{At: p.At.UTC().Format(time.RFC3339), Lat: lat, Lng: lng, Accuracy: p.Accuracy})
	}

	return nil, d.book.db.InTx(ctx, func(ctx context.Context) error {
		for _, load := range h.loads() {
			if err := d.book.given.AllowEntries(ctx, "positions of "+load.String(), int64(len(told.Positions)), positionsPerHour, positionsPerDay); err != nil {
				return err
			}
			told.Load = load.String()
			if err := d.book.bus.Publish(ctx, told); err != nil {
				return err
			}
		}

		return nil
	})
}
