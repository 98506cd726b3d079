package custommodules_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListRecords_FiltersByThePartsOfAddressesAndPoints(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.module(t, "Yards", object{"key": "number", "type": "integer"}, object{"key": "at", "type": "address"},
			object{"key": "point", "type": "geo_point"}, object{"key": "home", "type": "address", "sensitive": true})
		for i, payload := range []object{
			{"at": object{"city": "Dallas", "state": "TX", "postal_code": "75201"}, "point": object{"lat": 32.7767, "lng": -96.797}},
			{"at": object{"city": "El Paso", "state": "tx", "postal_code": "79901"}, "point": object{"lat": 31.7619, "lng": -106.485}},
			{"at": object{"city": "Berlin", "state": "BE", "country": "DE"}, "point": object{"lat": 52.52, "lng": json.Number("0.0000001")}},
			{"at": object{"line1": "1 Main St"}},
			{"point": object{"lat": -33.8688197, "lng": 151.2092955}, "home": object{"city": "Sydney", "country": "AU"}},
		} {
			payload["number"] = i
			y.made(t, module, payload)
		}
		for query, want := range map[string]string{
			"filter[at.city]=Dallas": "0", "filter[at.city][starts]=El": "1", "filter[at.city][like]=ll": "0", "filter[at.state]=TX": "0 1",
			"filter[at.country]=de": "2", "filter[at.country][in]=us,de": "0 1 2 3", "filter[at.city][null]=true": "3 4", "filter[at.postal_code][starts]=75": "0",
			"filter[at.line1]=1+Main+St": "3", "filter[at.city][ne]=Dallas": "1 2 3 4",
			"filter[point.lat][gte]=31.7619&filter[point.lat][lt]=33&filter[point.lng][gt]=-100": "0",
			"filter[point.lng]=0.0000001": "2", "filter[point.lng][gte]=0.0000001": "2 4", "filter[point.lng][lt]=0.0000001": "0 1",
			"filter[point.lat]=-33.8688197": "4", "filter[point.lat][null]=true": "3", "filter[home.city]=Sydney": "4",
		} {
			require.Equalf(t, want, y.numbers(t, module, query), query)
		}
		path := recordsPath + "?module_uuid=" + module
		for _, query := range []string{"&filter[at.planet]=Mars", "&filter[point.lat]=north", "&sort=at.city", "&filter[number.lat]=1"} {
			y.get(t, path+query).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		}
	})
}
