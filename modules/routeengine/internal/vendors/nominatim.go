package vendors

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// nominatim uses the search API of Nominatim (docs/api/Search.md of osm-search/Nominatim).
type nominatim struct{ api *outbound.API }

// NewNominatim returns a geocoder that calls a Nominatim server at an address.
func NewNominatim(network *outbound.Network, address string) (Geocoder, error) {
	api, err := apiOf(network, "nominatim", address)

	return nominatim{api}, err
}

const (
	mostFound = 5
	// longestName is the length to which names are cut.
	longestName = 300
)

// Find implements Geocoder.
func (n nominatim) Find(ctx context.Context, query string) ([]Address, error) {
	var out []struct {
		Lat     string `json:"lat"`
		Lon     string `json:"lon"`
		Name    string `json:"display_name"`
		Address struct {
			Postcode string `json:"postcode"`
		} `json:"address"`
	}
	err := get(ctx, n.api, outbound.Request{
		Method: http.MethodGet, Path: "search",
		Query: url.Values{
			"q": {query}, "format": {"jsonv2"}, "addressdetails": {"1"}, "countrycodes": {"us,ca,mx"}, "limit": {strconv.Itoa(mostFound)},
		},
	}, &out, func([]byte) error { return nil })
	if err != nil {
		return nil, err
	}
	found := make([]Address, 0, min(len(out), mostFound))
	for _, hit := range out {
		lat, failedLat := strconv.ParseFloat(hit.Lat, 64)
		lng, failedLng := strconv.ParseFloat(hit.Lon, 64)
		if failedLat != nil || failedLng != nil || !(math.Abs(lat) <= 90) || !(math.Abs(lng) <= 180) { // NaN is not on the earth either
			return nil, errIncomplete
		}
		if len(found) < mostFound {
			found = append(found, Address{Name: shortened(hit.Name), ZIP: hit.Address.Postcode, Point: distance.Point{Lat: lat, Lng: lng}})
		}
	}

	return found, nil
}

func shortened(name string) string {
	runes := []rune(name)

	return string(runes[:min(len(runes), longestName)])
}
