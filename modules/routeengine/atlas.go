package routeengine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// atlas finds places: those in memory, and addresses that the geocoder found earlier.
type atlas struct {
	settings settings
	stored   *repository
	db       *database.DB
	queue    *jobs.Queue
	geocoder vendors.Geocoder
}

func newAtlas(s settings, stored *repository, queue *jobs.Queue, network *outbound.Network, db *database.DB) (*atlas, error) {
	a := &atlas{settings: s, stored: stored, queue: queue, db: db}
	var err error
	if s.Geocoder == nominatim {
		a.geocoder, err = vendors.NewNominatim(network, s.GeocoderURL)
	}

	return a, err
}

// stop names a place in one of five ways.
type stop struct {
	ZIP     string   `json:"zip,omitempty" maxLength:"20" example:"75201"`
	PlaceID string   `json:"place_id,omitempty" maxLength:"200" example:"city-tx-dallas"`
	Address string   `json:"address,omitempty" maxLength:"300" doc:"With its city and state, or its ZIP code." example:"1500 Marilla St, Dallas, TX 75201"`
	City    string   `json:"city,omitempty" maxLength:"100" example:"Dallas"`
	State   string   `json:"state,omitempty" maxLength:"50" doc:"Of the city: two letters, or in full." example:"TX"`
	Lat     *float64 `json:"lat,omitempty" minimum:"-90" maximum:"90"`
	Lng     *float64 `json:"lng,omitempty" minimum:"-180" maximum:"180"`
}

// problem describes an invalid stop: the key, a sentence, and suggested places.
type problem struct {
	key, message string
	// keys take the place of the key of a stop that is the body, and not one of a list.
	keys    []string
	nearest []places.Place
	zips    []string
}

func (p problem) found() bool { return p.message == "" }

// known has the stored addresses of some stops, and those to request from the geocoder.
type known struct {
	addresses map[string]addressRow
	wanted    []jobs.Job
}

// find returns the places that match each stop, the best first, and the problem of each stop without a match. It enqueues requests for
// addresses that the geocoder has not seen yet, and reports whether there were any; until it answers, their ZIP code or city stands in.
func (a *atlas) find(ctx context.Context, stops []stop) (found [][]place, problems []problem, asking bool, err error) {
	k := &known{}
	if a.geocoder != nil {
		var queries []string
		for _, s := range stops {
			if s.Address != "" {
				queries = append(queries, places.Fold(s.Address))
			}
		}
		if len(queries) > 0 {
			if k.addresses, err = a.stored.addresses(ctx, queries); err != nil {
				return nil, nil, false, err
			}
		}
	}
	found, problems = make([][]place, len(stops)), make([]problem, len(stops))
	for i, s := range stops {
		found[i], problems[i] = a.findOne(s, k)
	}
	if len(k.wanted) > 0 {
		err = a.db.InTx(ctx, func(ctx context.Context) error { return a.queue.EnqueueMany(ctx, k.wanted...) })
	}

	return found, problems, len(k.wanted) > 0, err
}

func (a *atlas) findOne(s stop, k *known) ([]place, problem) {
	ways := 0
	for _, given := range []bool{s.ZIP != "", s.PlaceID != "", s.Address != "", s.City != "", s.Lat != nil || s.Lng != nil} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return nil, problem{
			message: "Give one of zip, place_id, address, city with state, and lat with lng.", keys: []string{"zip", "place_id", "address", "city", "lat", "lng"},
		}
	case s.State != "" && s.City == "":
		return nil, problem{key: "state", message: "The state goes with a city."}
	case s.ZIP != "":
		return findByZIP(s.ZIP)
	case s.PlaceID != "":
		return findByID(s.PlaceID)
	case s.City != "":
		return findByCity("city", s.City, s.State)
	case s.Address != "":
		return a.findByAddress(s.Address, k)
	case s.Lat == nil || s.Lng == nil:
		return nil, problem{message: "Give both lat and lng.", keys: []string{"lat", "lng"}}
	}
	p, ok := placeAt(distance.Point{Lat: *s.Lat, Lng: *s.Lng})
	if !ok {
		return nil, problem{key: "lat", message: "The point must be on land of the United States, Canada or Mexico."}
	}

	return []place{p}, problem{}
}

func findByZIP(text string) ([]place, problem) {
	if code, canadian := places.ParsePostal(text); canadian {
		p, ok := places.FindPostal(code)
		if !ok {
			return nil, problem{key: "zip", message: "The postal code " + code + " is not known. Give the city and the province, or coordinates."}
		}

		return []place{placeOf(p)}, problem{}
	}
	zip, err := places.ParseZIP(text)
	if err != nil {
		return nil, problem{key: "zip", message: "The zip " + err.Error()}
	}
	p, ok := places.Find(zip)
	if !ok {
		return nil, problem{
			key: "zip", message: fmt.Sprintf("The zip must be one that is in use: %s is not known.", zip), zips: places.NearZIPs(zip),
		}
	}

	return []place{placeOf(p)}, problem{}
}

func findByID(id string) ([]place, problem) {
	p, ok := placeWithID(id)
	if !ok {
		return nil, problem{key: "place_id", message: "The place id must be one of a place, such as zip-75201."}
	}

	return []place{p}, problem{}
}

// mostNamesakes limits the cities of the same name in a result.
const mostNamesakes = 50

func findByCity(key, city, state string) ([]place, problem) {
	if state == "" {
		var all []place
		for _, p := range places.Complete(city, mostNamesakes) {
			if places.Fold(p.City) == places.Fold(city) && p.Kind == places.City {
				all = append(all, placeOf(p))
			}
		}
		if len(all) > 0 {
			return all, problem{}
		}
	} else if _, ok := places.Province(state); ok {
		p, ok := places.FindCanadian(city, state)
		if !ok {
			return nil, problem{key: key, message: "The city is not known. Give its postal code."}
		}

		return []place{placeOf(p)}, problem{}
	} else if _, ok := places.State(state); !ok {
		return nil, problem{key: "state", message: "The state must be one of the United States, such as TX or Texas, or a province of Canada, such as ON."}
	}
	if p, ok := places.FindCity(city, state); ok {
		return []place{placeOf(p)}, problem{}
	}

	return nil, problem{key: key, message: "The city is not known. Give its ZIP code.", nearest: places.NearCities(city, state)}
}

// findByAddress returns what the geocoder found or, failing that, the ZIP code or city at the end of an address.
func (a *atlas) findByAddress(address string, k *known) ([]place, problem) {
	query := places.Fold(address)
	row, ok := k.addresses[query]
	if a.geocoder != nil && (!ok || a.stored.due(row.Asked)) {
		k.wanted = append(k.wanted, jobs.Job{
			Args: geocodeArgs{Address: address, Query: query}, Options: []jobs.Option{jobs.Unique(), jobs.Attempts(attempts)},
		})
	}
	var found []place
	for _, hit := range row.Found {
		if p, ok := placeAt(hit.Point); ok {
			p.Kind, p.Name, p.Source = kindAddress, hit.Name, string(nominatim)
			found = append(found, p)
		}
	}
	if len(found) > 0 {
		return found, problem{}
	}
	found, wrong := placeInAddress(address)
	if !wrong.found() && len(k.wanted) > 0 {
		wrong.message = "The address is looked up now. Try again in a few seconds, or give its ZIP code."
	}

	return found, wrong
}

// country ends an address, endingZIP is the ZIP code or Canadian postal code at its end.
var (
	country   = regexp.MustCompile(`(?i)[,\s]+(usa?|u\.s\.a?\.|united states( of america)?|canada)\s*$`)
	endingZIP = regexp.MustCompile(`(?:^|[\s,])([0-9]{5}(?:[- ]?[0-9]{4})?|[A-Za-z][0-9][A-Za-z][ -]?[0-9][A-Za-z][0-9])\s*$`)
)

// placeInAddress returns the ZIP code, or the city and state, at the end of an address.
func placeInAddress(address string) ([]place, problem) {
	address = strings.TrimSpace(country.ReplaceAllString(address, ""))
	if m := endingZIP.FindStringSubmatch(address); m != nil {
		found, wrong := findByZIP(m[1])
		wrong.key = "address"

		return found, wrong
	}
	parts := strings.Split(address, ",")
	if n := len(parts); n > 1 {
		if code, ok := places.State(parts[n-1]); ok {
			return findByCity("address", parts[n-2], code)
		}
		if code, ok := places.Province(parts[n-1]); ok {
			return findByCity("address", parts[n-2], code)
		}
	}

	return nil, problem{key: "address", message: "The address must end with a city and a state, or with a ZIP code."}
}

// on adds the problem of a stop to a failure. The field is that of the stop: "stops.1".
func (p problem) on(failure *errs.Error, field string) *errs.Error {
	if p.key != "" && field != "" {
		field += "."
	}
	keys := []string{field + p.key}
	if field+p.key == "" {
		keys = p.keys
	}
	for _, key := range keys {
		failure = failure.WithField(key, p.message)
	}
	nearest := p.zips
	for _, near := range p.nearest {
		nearest = append(nearest, placeOf(near).Name)
	}
	if len(nearest) > 0 {
		failure = failure.WithDetail("nearest", nearest)
	}

	return failure
}

// locate returns the place of each stop, which must have a position. named returns the name of a stop for error fields.
func (a *atlas) locate(ctx context.Context, stops []stop, named func(i int) string) (located []place, asking bool, err error) {
	found, problems, asking, err := a.find(ctx, stops)
	if err != nil {
		return nil, false, err
	}
	wrong := errUnknownPlace
	located = make([]place, len(stops))
	for i := range stops {
		if p := problems[i]; !p.found() {
			wrong = p.on(wrong, named(i))

			continue
		}
		located[i] = found[i][0]
		switch {
		case located[i].Lat == nil:
			wrong = wrong.WithField(named(i), "The place must have a position: "+*located[i].ZIP+" is a military post office. Give the city or coordinates.")
		case len(found[i]) > 1 && located[i].Kind == string(places.City):
			wrong = wrong.WithField(named(i)+".state", fmt.Sprintf("The state is required: %d cities are called so.", len(found[i])))
		}
	}
	if len(wrong.Fields) > 0 {
		return nil, asking, wrong
	}

	return located, asking, nil
}

// geocodeArgs are the arguments of the job that geocodes an address.
type geocodeArgs struct {
	Address string `json:"address"`
	Query   string `json:"query"`
}

// Kind implements jobs.Args.
func (geocodeArgs) Kind() string { return "route_engine.geocode" }

// attempts is how often a job is tried if the database fails. A failed provider is tried again by a later request.
const attempts = 3

// geocode is that job. A failure is recorded, and the previous answer stays.
func (a *atlas) geocode(ctx context.Context, args geocodeArgs) error {
	if a.geocoder == nil {
		return nil // it was configured otherwise
	}
	row, err := a.stored.address(ctx, args.Query)
	if err != nil {
		return err
	}
	if row == nil {
		row = &addressRow{Geocoder: string(a.settings.Geocoder), Query: args.Query, Found: []vendors.Address{}}
	} else if !a.stored.due(row.Asked) {
		return nil
	}
	found, failure := a.geocoder.Find(ctx, args.Address)
	if err := ctx.Err(); err != nil {
		return errors.Join(err, failure)
	}
	if failure == nil {
		row.Found = found
	}
	row.Asked = a.stored.ended(row.Asked, failure)

	return a.stored.putAddress(ctx, *row)
}
