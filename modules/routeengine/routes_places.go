package routeengine

import (
	"context"
	"net/http"
	"regexp"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func placeRoutes(r *web.Router, a *atlas) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/zips", ID: "complete_zips", Access: web.Read, Summary: "Complete ZIP codes and cities",
		Description: "Digits match the beginning of ZIP codes, letters that of cities: exact names come first, then cities with more ZIP codes. " +
			"A state may follow: `miami, f`. At least two characters are needed. A city has one entry, whose `zip` is the one nearest to its center.",
		Errors: []*errs.Error{errInvalidZIP},
	}, complete)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/zips/{zip}", ID: "read_zip", Access: web.Read, Summary: "Read a ZIP code",
		Description: "Includes the time zone. ZIP codes of military post offices have no position.",
		Errors:      []*errs.Error{errInvalidZIP, errNoPlace},
	}, readZIP)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/places/{id}", ID: "read_place", Access: web.Read, Summary: "Read a place by its id",
		Errors: []*errs.Error{errNoPlace},
	}, readPlace)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/places/search", ID: "search_places", Access: web.Read, Summary: "Find a place by ZIP code, address, city, coordinates or id",
		Description: "The best match comes first. An address has the position of its ZIP code or city or, with a geocoder, its own as soon as the " +
			"geocoder has answered: `refreshing` is true until then.",
		Errors: []*errs.Error{errUnknownPlace},
	}, a.search)
}

type completeInput struct {
	Q     string `query:"q" required:"true" maxLength:"100" doc:"The beginning of a ZIP code, or of a city." example:"331"`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"10"`
}

// overlongZIP matches digits that are too long for the beginning of a ZIP code.
var overlongZIP = regexp.MustCompile(`^[0-9-]{11,}$`)

type placesOutput struct {
	Body struct {
		Data []place `json:"data" nullable:"false"`
	}
}

func complete(_ context.Context, in *completeInput) (*placesOutput, error) {
	if overlongZIP.MatchString(in.Q) {
		return nil, errInvalidZIP.WithField("q", "The q must be the beginning of a ZIP code, of nine digits at most, or of a city.")
	}
	out := &placesOutput{}
	out.Body.Data = []place{}
	for _, p := range places.Complete(in.Q, in.Limit) {
		out.Body.Data = append(out.Body.Data, placeOf(p))
	}

	return out, nil
}

type placeOutput struct{ Body place }

type readZIPInput struct {
	ZIP string `path:"zip" maxLength:"20" doc:"Five or nine digits." example:"75201"`
}

func readZIP(_ context.Context, in *readZIPInput) (*placeOutput, error) {
	zip, err := places.ParseZIP(in.ZIP)
	if err != nil {
		return nil, errInvalidZIP.WithField("zip", "The zip "+err.Error())
	}
	p, ok := places.Find(zip)
	if !ok {
		return nil, errNoPlace.WithDetail("nearest", places.NearZIPs(zip))
	}

	return &placeOutput{placeOf(p)}, nil
}

type readPlaceInput struct {
	ID string `path:"id" maxLength:"200" example:"city-tx-dallas"`
}

func readPlace(_ context.Context, in *readPlaceInput) (*placeOutput, error) {
	p, ok := placeWithID(in.ID)
	if !ok {
		return nil, errNoPlace
	}

	return &placeOutput{p}, nil
}

type searchInput struct{ Body stop }

type searchOutput struct {
	Body struct {
		Data       []place `json:"data" nullable:"false"`
		Refreshing bool    `json:"refreshing" doc:"Whether the geocoder is being asked. Repeat the request later for its answer."`
	}
}

func (a *atlas) search(ctx context.Context, in *searchInput) (*searchOutput, error) {
	found, problems, asking, err := a.find(ctx, []stop{in.Body})
	if err != nil {
		return nil, err
	}
	if p := problems[0]; !p.found() && !asking {
		return nil, p.on(errUnknownPlace, "")
	}
	out := &searchOutput{}
	out.Body.Data, out.Body.Refreshing = append([]place{}, found[0]...), asking

	return out, nil
}
