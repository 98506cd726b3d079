package custommodules_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newTypedTwins makes a module in which values of the types that are compared in a form of their own
// are held by an indexed field and by one that is not.
func newTypedTwins(t *testing.T, y yard) string {
	t.Helper()
	options := object{"options": []object{{"label": "Red"}, {"label": "Sky blue"}, {"id": "grün"}}}
	fields := []object{{"key": "number", "type": "integer"}, {"key": "tags", "type": "multi_select", "options": options}, {"key": "extra", "type": "json"}}
	for key, typ := range map[string]string{
		"seen": "datetime", "opens": "time", "load": "weight", "mail": "email", "call": "phone", "carrier": "mc_number",
		"color": "select", "number_vin": "vin",
	} {
		for _, prefix := range []string{"", "plain_"} {
			field := object{"key": prefix + key, "type": typ, "indexed": prefix == ""}
			if typ == "select" {
				field["options"] = options
			}
			fields = append(fields, field)
		}
	}
	module := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Twins", "fields": fields}).OK(t).Get("uuid").String()
	for i, row := range []string{
		`{"seen":"2026-12-01T09:30:00Z","opens":"09:00:00","load":{"value":"10","unit":"lb"},"mail":"Ann@Example.com","call":"202-555-0143","carrier":"12","color":"red","number_vin":"1m8gdm9axkp042788","tags":["red"],"extra":{"b":1e2,"aa":[1.50,"ä"]}}`,
		`{"seen":"2026-12-01T09:30:00.5Z","opens":"08:59:59","load":{"value":"4.54","unit":"kg"},"mail":"bob@example.com","call":"+4930901820","carrier":"FF-12","color":"sky_blue","tags":["grün","red"]}`,
		`{"seen":"2026-12-01T04:30:00.123456-05:00","opens":"23:59:59","load":{"value":"4.535923","unit":"kg"},"carrier":"MX012","color":"grün","tags":[]}`,
		`{}`,
		`{"seen":"2026-12-01T09:30:01Z","load":{"value":"1","unit":"ton"}}`,
	} {
		var values map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(row), &values))
		payload := object{"number": i}
		for key, value := range values {
			payload[key] = value
			if key != "tags" && key != "extra" {
				payload["plain_"+key] = value
			}
		}
		y.create(t, module, payload).OK(t)
	}

	return module
}

func TestListRecords_ComparesEachTypeInItsOwnForm(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := newTypedTwins(t, y)
		for _, tc := range []struct{ query, want string }{
			{"sort=§seen", "0 2 1 4 3"},
			{"sort=-§seen", "4 1 2 0 3"},
			{"filter[§seen][gt]=2026-12-01T04:30:00.1-05:00", "1 2 4"},
			{"filter[§seen]=2026-12-01T09:30:00.500Z", "1"},
			{"sort=§opens", "1 0 2 3 4"},
			{"filter[§opens][lt]=09:00:00", "1"},
			{"sort=§load", "2 0 1 4 3"},
			{"sort=-§load", "4 1 0 2 3"},
			{"filter[§load]=10 lb", "0"},
			{"filter[§load][lte]=4.5359237", "0 2"},
			{"filter[§load][gt]=1 oz&filter[§load][lt]=4.54 kg", "0 2"},
			{"filter[§mail]=ANN@example.com", "0"},
			{"filter[§mail][starts]=B", "1"},
			{"filter[§call]=(202) 555-0143", "0"},
			{"filter[§call][like]=555-01", "0"},
			{"filter[§call][starts]=%2B49 30", "1"},
			{"filter[§carrier]=mc 012", "0"},
			{"filter[§carrier][like]=ff-1", "1"},
			{"filter[§carrier][like]=mx 01", "2"},
			{"filter[§carrier][like]=FF12", "1"},
			{"filter[§color][in]=red,grün", "0 2"},
			{"sort=§color", "2 0 1 3 4"},
			{"filter[§number_vin][starts]=1m8", "0"},
		} {
			for _, prefix := range []string{"", "plain_"} {
				query := strings.NewReplacer("§", prefix, " ", "%20").Replace(tc.query)
				require.Equalf(t, tc.want, y.numbers(t, module, query), "%s", query)
			}
		}
		require.Equal(t, "0 1", y.numbers(t, module, "filter[tags][like]=red"))
		require.Equal(t, "1", y.numbers(t, module, "filter[tags][like]=grün"))
		require.Equal(t, "3 4", y.numbers(t, module, "filter[tags][null]=true"))
		require.Equal(t, "0", y.numbers(t, module, "filter[extra][null]=false"))
	})
}

func TestListRecords_RefusesOperatorsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := newTypedTwins(t, y)
		for query, want := range map[string]string{
			"filter[opens][like]=9":           `filter[opens] does not know "like"; allowed are eq, ne, lt, lte, gt, gte, in, nin, null.`,
			"filter[color][starts]=r":         `filter[color] does not know "starts"; allowed are eq, ne, in, nin, null.`,
			"filter[mail][lt]=r":              `filter[mail] does not know "lt"; allowed are eq, ne, in, nin, like, starts, null.`,
			"filter[tags]=red":                `filter[tags] does not know "eq"; allowed are like, null.`,
			"filter[tags][like]=blue":         `"blue" is not one of the options red, sky_blue, grün.`,
			"filter[extra]=1":                 `filter[extra] does not know "eq"; allowed are null.`,
			"filter[load]=10%20stone":         `"10 stone" must have one of the units kg, g, t, oz, lb, cwt, ton.`,
			"filter[seen]=2026-12-01":         `"2026-12-01" must be a date and time with a zone, to the microsecond: 2026-12-01T09:30:00Z.`,
			"filter[call][starts]=nobody":     `"nobody" must be the digits of a phone number.`,
			"filter[carrier][starts]=MC":      `filter[carrier] does not know "starts"; allowed are eq, ne, in, nin, like, null.`,
			"sort=tags":                       "",
			"filter[number_vin][starts]=%00x": "",
		} {
			answer := y.get(t, recordsPath+"?module_uuid="+module+"&"+query)
			require.Equalf(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", query, answer.Body)
			if want != "" {
				key, _, _ := strings.Cut(query, "=")
				require.Equal(t, want, answer.Get("errors").Map()[key].Array()[0].String())
			}
		}
	})
}

// TestCreateRecord_ReadsBackWhatItAnswered goes through the document of each database.
func TestCreateRecord_ReadsBackWhatItAnswered(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Objects", "fields": []object{
			{"key": "extra", "type": "json"},
			{"key": "home", "type": "address"},
			{"key": "place", "type": "geo_point"},
			{"key": "load", "type": "weight"},
			{"key": "span", "type": "length"},
		}}).OK(t).Get("uuid").String()
		made := y.create(t, module, json.RawMessage(`{
			"extra":{"zz":1e2,"a":-0.0,"\u00e4":[1.50,null,"\u00e4\/\ud83d\ude9a"],"b":12e-3},
			"home":{"line1":"1 Main St","city":"Dallas","state":"tx","postal_code":"75201"},
			"place":{"lng":-96.7970,"lat":32.7767},"load":{"value":"80000"},"span":{"value":"53","unit":"ft"}}`)).OK(t)
		const want = `{"extra":{"a":0.0,"b":0.012,"zz":100,"ä":[1.50,null,"ä/🚚"]},` +
			`"home":{"city":"Dallas","line1":"1 Main St","state":"TX","country":"US","postal_code":"75201"},` +
			`"place":{"lat":32.7767,"lng":-96.797},"load":{"kg":"36287.3896","unit":"lb","value":"80000"},"span":{"m":"16.1544","unit":"ft","value":"53"}}`
		require.Equal(t, want, made.Get("payload").Raw)
		require.Equal(t, want, y.get(t, made.Header.Get("Location")).Get("payload").Raw)
	})
}
