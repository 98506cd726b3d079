package registry

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/fmcsa"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

const (
	qcmobileURL = "https://mobile.fmcsa.dot.gov/qc/services"
	// askTimeout is how long a live source may take.
	askTimeout = 30 * time.Second
	// maxAsked is how many bytes an answer may have.
	maxAsked = 4 << 20
)

// qcmobile is the regulator's QCMobile API. Its key is in the address, which outbound never shows.
type qcmobile struct {
	api *outbound.API
	key string
}

func newQCMobile(s Settings, network *outbound.Network) (*qcmobile, error) {
	api, err := apiOf(s, network, "carriers.qcmobile", qcmobileURL)

	return &qcmobile{api: api, key: s.Key.Reveal()}, err
}

func apiOf(s Settings, network *outbound.Network, name, address string) (*outbound.API, error) {
	client, err := network.Client(outbound.Spec{Name: name, Timeout: askTimeout, MaxAnswer: maxAsked})
	if err != nil {
		return nil, err
	}
	if s.URL != "" {
		address = s.URL
	}

	return client.API(address)
}

// ask implements vendor.
func (q *qcmobile) ask(ctx context.Context, usdot int64) (reply, error) {
	content, err := q.get(ctx, "carriers/"+text(usdot))
	if err != nil || content == nil {
		return reply{}, err
	}
	var body struct {
		Carrier map[string]any `json:"carrier"`
	}
	if json.Unmarshal(content, &body) != nil {
		return reply{}, feed.ErrNotJSON
	}
	if len(body.Carrier) == 0 {
		return reply{}, nil
	}
	live := qcCarrier(loose(body.Carrier))
	if content, err = q.get(ctx, "carriers/"+text(usdot)+"/docket-numbers"); err != nil {
		return reply{}, err
	}
	live.Dockets = qcDockets(content)

	return reply{live: live}, nil
}

// get returns the content of an answer, nil if it has none. A content that is a text is what is wrong with the key, whatever the status is.
func (q *qcmobile) get(ctx context.Context, path string) (json.RawMessage, error) {
	answer, err := q.api.Call(ctx, outbound.Request{Method: http.MethodGet, Path: path, Query: url.Values{"webKey": {q.key}}, Repeat: outbound.RepeatIdempotent()}, nil)
	missing := false
	if failure, ok := errors.AsType[*outbound.Error](err); ok && failure.Answer != nil && failure.Status == http.StatusNotFound {
		answer, err, missing = *failure.Answer, nil, true
	}
	if err != nil {
		return nil, feed.ReasonOf(err)
	}
	var body struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(answer.Body, &body) != nil {
		return nil, feed.ErrNotJSON
	}
	content := strings.TrimSpace(string(body.Content))
	switch {
	case strings.HasPrefix(content, `"`):
		return nil, feed.ErrBadKey
	case missing, content == "", content == "null", content == "[]", content == "{}":
		return nil, nil
	}

	return body.Content, nil
}

// loose reads values that are texts at one time and numbers at another.
type loose map[string]any

func (l loose) text(names ...string) string { return feed.Object(l).Text(names...) }

func (l loose) object(name string) loose {
	o, _ := l[name].(map[string]any)

	return o
}

// rate is how many inspections of one kind, vehicle or driver, put something out of service.
func (l loose) rate(kind string) regulatorapi.OOSRate {
	return regulatorapi.OOSRate{
		Inspections: feed.Count(l.text(kind + "Insp")), OutOfService: feed.Count(l.text(kind + "OosInsp")),
		Percent: l.percent(kind + "OosRate"), National: l.percent(kind + "OosRateNationalAverage"),
	}
}

func (l loose) percent(name string) *float64 {
	var n float64
	if json.Unmarshal([]byte(strings.TrimSpace(strings.TrimSuffix(l.text(name), "%"))), &n) != nil {
		return nil
	}

	return &n
}

func (l loose) thousands(name string) *regulatorapi.Dollars {
	n := feed.Count(l.text(name))
	if n == nil {
		return nil
	}

	return new(regulatorapi.Dollars(*n * 1000)) //nolint:mnd // it writes amounts in thousands
}

// qcCarrier reads a carrier. Its document and its answers spell some names differently.
func qcCarrier(l loose) *liveAnswer {
	a := &liveAnswer{
		Status: l.text("statusCode"), OutOfService: day(l.text("oosDate", "outOfServiceDate")), Operation: l.object("carrierOperation").text("carrierOperationCode"),
		Common: l.text("commonAuthorityStatus"), Contract: l.text("contractAuthorityStatus"), Broker: l.text("brokerAuthorityStatus"),
		LegalName: l.text("legalName"), DBA: l.text("dbaName"), Phone: feed.Phone(l.text("telephone", "phone")),
		Physical: regulatorapi.Address{
			Street: l.text("phyStreet"), City: l.text("phyCity"), State: l.text("phyState"), ZIP: l.text("phyZipcode", "phyZip"), Country: l.text("phyCountry"),
		},
		BIPD: l.thousands("bipdInsuranceOnFile"), Cargo: l.thousands("cargoInsuranceOnFile"), Bond: l.thousands("bondInsuranceOnFile"),
		Rating: l.text("safetyRating"), Rated: day(l.text("safetyRatingDate")), Reviewed: day(l.text("safetyReviewDate", "reviewDate")),
		Vehicle: l.rate("vehicle"),
		Driver:  l.rate("driver"),
		Crashes: feed.Count(l.text("crashTotal")), PowerUnits: feed.Count(l.text("totalPowerUnits")), Drivers: feed.Count(l.text("totalDrivers")),
	}
	if allowed := l.text("allowedToOperate", "allowToOperate"); allowed != "" {
		a.Allowed = new(strings.EqualFold(allowed, "Y"))
	}
	if strings.EqualFold(l.text("bipdInsuranceRequired"), "Y") {
		a.BIPDRequired = l.thousands("bipdRequiredAmount")
	}

	return a
}

func qcDockets(content json.RawMessage) []string {
	var list []loose
	if content == nil || json.Unmarshal(content, &list) != nil {
		return nil
	}
	var all []string
	for _, l := range list {
		if d, err := fmcsa.ParseDocket(l.text("prefix") + l.text("docketNumber")); err == nil {
			all = append(all, d.String())
		}
	}

	return all
}
