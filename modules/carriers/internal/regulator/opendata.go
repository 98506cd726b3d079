package regulator

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/outbound"
)

const (
	openDataURL = "https://data.transportation.gov/resource"
	// openPage is how many rows an answer has. Without a limit, the rest is cut off without a word.
	openPage = 1000
	// mostOpenRows is how many rows of a set one number may have.
	mostOpenRows = 20 * openPage
)

// openSets are the sets that the open data are asked for about one number, by their ids. The census is not among them: a
// question takes it many seconds, and few are answered.
var openSets = map[string]string{
	SetAuthority: "inys-ebih", SetAuthorityLog: "yu5v-wbh6", SetInsurance: "c5y8-a4uz", SetInsuranceEnds: "3uet-3z4i", SetRevocations: "wb4f-neki",
}

// openData are the regulator's sets at data.transportation.gov.
type openData struct {
	api   *outbound.API
	token string
}

func newOpenData(s Settings, network *outbound.Network) (*openData, error) {
	api, err := apiOf(s, network, "carriers.opendata", openDataURL)

	return &openData{api: api, token: s.Key.Reveal()}, err
}

// ask implements vendor.
func (o *openData) ask(ctx context.Context, usdot int64) (reply, error) {
	got := reply{sets: map[string][]filingRow{}}
	for name, id := range openSets {
		rows, err := o.rows(ctx, name, id, usdot)
		if err != nil {
			return reply{}, err
		}
		got.sets[name] = rows
	}

	return got, nil
}

func (o *openData) rows(ctx context.Context, name, id string, usdot int64) ([]filingRow, error) {
	reading := &setReading{set: sets[name], name: name}
	for offset := 0; offset < mostOpenRows; offset += openPage {
		var page []loose
		header := http.Header{}
		if o.token != "" {
			header.Set("X-App-Token", o.token)
		}
		_, err := o.api.Call(ctx, outbound.Request{
			Method: http.MethodGet, Path: id + ".json", Header: header, Repeat: outbound.RepeatIdempotent(),
			Query: url.Values{"usdot_number": {text(usdot)}, "$limit": {strconv.Itoa(openPage)}, "$offset": {strconv.Itoa(offset)}, "$order": {":id"}},
		}, &page)
		if err != nil {
			return nil, reasonOf(err)
		}
		for _, l := range page {
			if err := reading.object(l, usdot); err != nil {
				return nil, fmt.Errorf("a row of %s: %w", name, err)
			}
		}
		if len(page) < openPage {
			return latestOf(reading.rows, func(f filingRow) int64 { return f.RowKey }), nil
		}
	}

	return nil, fmt.Errorf("%s has more than %d rows of one number", name, mostOpenRows)
}

// object takes a row of JSON, in which what is null is left out, as one of a file.
func (s *setReading) object(l loose, usdot int64) error {
	head := []string{usdotColumns[0], docketColumns[0]}
	cells := []string{text(usdot), l.text(docketColumns...)}
	s.at = indexes{usdot: 0, docket: 1}
	for _, names := range s.set.columns {
		s.at.kept = append(s.at.kept, len(head))
		head, cells = append(head, names[0]), append(cells, l.text(names...))
	}

	return s.read(cells)
}
