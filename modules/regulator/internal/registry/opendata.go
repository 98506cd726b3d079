package registry

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

const (
	// openPage is how many rows are asked for at once: without a limit, the open data leave out the rest without a word.
	openPage = 1000
	// mostOpenRows is how many rows of a set one number may have.
	mostOpenRows = 20 * openPage
)

// openSets are the sets that the open data are asked for about one number, by their ids. The census is not among them: a
// question takes it many seconds, and few are answered.
var openSets = map[string]string{
	feed.SetAuthority: "inys-ebih", feed.SetAuthorityLog: "yu5v-wbh6", feed.SetInsurance: "c5y8-a4uz", feed.SetInsuranceEnds: "3uet-3z4i", feed.SetRevocations: "wb4f-neki",
}

// openData are the regulator's sets at data.transportation.gov.
type openData struct {
	api   *outbound.API
	token string
}

func newOpenData(s Settings, network *outbound.Network) (*openData, error) {
	api, err := apiOf(s, network, "carriers.opendata", feed.OpenDataURL)

	return &openData{api: api, token: s.Key.Reveal()}, err
}

// ask implements vendor.
func (o *openData) ask(ctx context.Context, usdot int64) (reply, error) {
	got := reply{sets: map[string][]feed.Filing{}}
	for name, id := range openSets {
		rows, err := o.rows(ctx, name, id, usdot)
		if err != nil {
			return reply{}, err
		}
		got.sets[name] = rows
	}

	return got, nil
}

func (o *openData) rows(ctx context.Context, name, id string, usdot int64) ([]feed.Filing, error) {
	var all []feed.Object
	for offset := 0; offset < mostOpenRows; offset += openPage {
		var page []feed.Object
		header := http.Header{}
		if o.token != "" {
			header.Set("X-App-Token", o.token)
		}
		_, err := o.api.Call(ctx, outbound.Request{
			Method: http.MethodGet, Path: id + ".json", Header: header, Repeat: outbound.RepeatIdempotent(),
			Query: url.Values{"usdot_number": {text(usdot)}, "$limit": {strconv.Itoa(openPage)}, "$offset": {strconv.Itoa(offset)}, "$order": {":id"}},
		}, &page)
		if err != nil {
			return nil, feed.ReasonOf(err)
		}
		if all = append(all, page...); len(page) < openPage {
			return feed.ReadObjects(name, usdot, all)
		}
	}

	return nil, fmt.Errorf("%s has more than %d rows of one number", name, mostOpenRows)
}
