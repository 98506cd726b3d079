package carrierlink

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errNoInspection = errs.New(errs.Conflict, "dispatches.no_inspection", "There is no inspection to do for this load. Please call us.")

// A carrier makes so many links for the drivers of a load at most.
const driverLinksPerHour, driverLinksPerDay = 10, 30

// DriverLinks makes links for the drivers of carriers.
type DriverLinks struct {
	door  *Door
	hooks *hook.Bus
	db    *database.DB
}

// NewDriverLinks returns a DriverLinks.
func NewDriverLinks(d *Door, hooks *hook.Bus, db *database.DB) *DriverLinks {
	return &DriverLinks{d, hooks, db}
}

// DriverRoutes registers the operation by which a carrier makes a link for its driver.
func DriverRoutes(r *web.Router, d *DriverLinks) {
	show := newFace()
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/driver_links", ID: "create_carrier_driver_link", Access: web.Public, Secret: true,
		Summary:     "Make a link by a carrier's link by which the driver inspects and signs",
		Description: "The carrier opens it, or passes it on to its driver; nothing is sent. At most 10 an hour and 30 a day are made for a load. Only this response has its text.",
		Errors:      Refusals(errNoInspection, link.ErrPortalOff, store.ErrNoLoad), TakesForm: true, Page: driverLinkPage(show),
	}, d.create)
}

type linkDriverInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct{}
}

type linkDriverOutput struct {
	Body driverLink
}

// driverLink is a link for a driver.
type driverLink struct {
	Number string `json:"number"`
	URL    string `json:"url" doc:"The page on which the driver inspects and signs. Without a host if web.base_url is not set."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (driverLink) SchemaName() string { return "CarrierDriverLink" }

func (d *DriverLinks) create(ctx context.Context, in *linkDriverInput) (*linkDriverOutput, error) {
	ctx, e, err := d.door.EnterLoad(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	about := e.Dispatch.About()
	made := dispatchesapi.LinkingDriver{Dispatch: about.Dispatch, Load: about.Load, Carrier: about.Carrier}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		made.URL = ""
		err := hook.Run(ctx, d.hooks, &made)
		switch {
		case err != nil:
			return err
		case made.URL == "":
			return errNoInspection
		}

		return d.door.Allow(ctx, "driver links of "+about.Load, driverLinksPerHour, driverLinksPerDay)
	})

	return &linkDriverOutput{driverLink{e.Dispatch.LoadNumber(), made.URL}}, err
}

// driverLinkPage shows the link, and its code for the driver's phone.
func driverLinkPage(show *face.Face[carrierPage]) func(a web.Answer) web.Page {
	layout := page.New(page.Parts{})

	return func(a web.Answer) web.Page {
		var made driverLink
		if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &made) != nil {
			return show.After(a)
		}
		shown := page.Page{
			Heading: "Inspect and sign " + made.Number, Texts: []string{"Open this link on the phone that takes the photos, or send it to the driver. It is good for 30 days:", made.URL},
			Onward: made.URL, Back: "../" + path.Base(path.Dir(a.Path)),
		}
		if strings.HasPrefix(made.URL, "http") { // without web.base_url it has no host
			shown.Scan = made.URL
		}

		return layout.Show(shown)
	}
}
