// Package vpicapi calls NHTSA's public vPIC API, which decodes VINs that the data of the service lacks.
//
// Jobs call it, never requests. It sends patterns, which have no serial numbers. The text of an error may be logged: it contains
// neither an address nor a part of the response.
package vpicapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/dispatchd/dispatchd/platform/outbound"
)

const (
	// DefaultURL is the base of the public API. It needs no key.
	DefaultURL = "https://vpic.nhtsa.dot.gov/api/vehicles"
	// MaxBatch is the most VINs that the API decodes in one call.
	MaxBatch = 50

	timeout   = 30 * time.Second
	maxAnswer = 4 << 20
	// callsPerSecond is the rate that the API is known to accept; NHTSA publishes no limit.
	callsPerSecond = 5
	// longestValue is the length to which values are cut, in bytes.
	longestValue = 100
)

// ErrIncomplete is the failure of a response without results.
var ErrIncomplete = errors.New("the response of vPIC is incomplete")

// Facts are the details of a VIN pattern: "" and 0 if vPIC does not know them.
type Facts struct {
	Make         string  `json:"make"`
	Model        string  `json:"model"`
	Year         int     `json:"year"`
	Series       string  `json:"series"`
	Trim         string  `json:"trim"`
	BodyClass    string  `json:"body_class"`
	VehicleType  string  `json:"vehicle_type"`
	Doors        int     `json:"doors"`
	Fuel         string  `json:"fuel"`
	SecondFuel   string  `json:"second_fuel"`
	Displacement float64 `json:"displacement_l"`
	Cylinders    int     `json:"cylinders"`
	EngineModel  string  `json:"engine_model"`
}

// Client calls the API at most five times a second. It may be used from several goroutines.
type Client struct {
	api   *outbound.API
	limit *rate.Limiter
}

// New returns a client of the API at an address.
func New(network *outbound.Network, address string) (*Client, error) {
	client, err := network.Client(outbound.Spec{Name: "vehicles.vpic", Timeout: timeout, MaxAnswer: maxAnswer})
	if err != nil {
		return nil, err
	}
	api, err := client.API(address)

	return &Client{api, rate.NewLimiter(callsPerSecond, 1)}, err
}

// result is a row of DecodeVINValuesBatch: all values are strings, "" for unknown ones.
type result struct {
	VIN           string `json:"VIN"`
	Make          string `json:"Make"`
	Model         string `json:"Model"`
	ModelYear     string `json:"ModelYear"`
	Series        string `json:"Series"`
	Trim          string `json:"Trim"`
	BodyClass     string `json:"BodyClass"`
	VehicleType   string `json:"VehicleType"`
	Doors         string `json:"Doors"`
	FuelPrimary   string `json:"FuelTypePrimary"`
	FuelSecondary string `json:"FuelTypeSecondary"`
	DisplacementL string `json:"DisplacementL"`
	Cylinders     string `json:"EngineCylinders"`
	EngineModel   string `json:"EngineModel"`
}

// Decode decodes up to MaxBatch patterns, VINs with * for unknown characters. The result has the facts of each pattern that vPIC
// returned.
func (c *Client) Decode(ctx context.Context, patterns ...string) (map[string]Facts, error) {
	if err := c.limit.Wait(ctx); err != nil {
		return nil, err
	}
	var out struct {
		Results []result `json:"Results"`
	}
	_, err := c.api.Call(ctx, outbound.Request{
		Method: http.MethodPost, Path: "DecodeVINValuesBatch/", Repeat: outbound.RepeatIdempotent(),
		Form: url.Values{"format": {"json"}, "DATA": {strings.Join(patterns, ";")}},
	}, &out)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Facts, len(patterns))
	for _, r := range out.Results {
		found[strings.ToUpper(strings.TrimSpace(r.VIN))] = r.facts()
	}
	for _, p := range patterns {
		if _, ok := found[p]; !ok {
			return nil, ErrIncomplete
		}
	}

	return found, nil
}

func (r result) facts() Facts {
	return Facts{
		Make: value(r.Make), Model: value(r.Model), Year: number(r.ModelYear, 1900, 2100), Series: value(r.Series), Trim: value(r.Trim),
		BodyClass: value(r.BodyClass), VehicleType: value(r.VehicleType), Doors: number(r.Doors, 1, 20),
		Fuel: value(r.FuelPrimary), SecondFuel: value(r.FuelSecondary), Displacement: liters(r.DisplacementL),
		Cylinders: number(r.Cylinders, 1, 50), EngineModel: value(r.EngineModel),
	}
}

// value returns a text without spaces around it. "Not Applicable" means that there is none.
func value(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}

		return r
	}, text)
	if strings.EqualFold(text, "Not Applicable") {
		return ""
	}

	return strings.ToValidUTF8(text[:min(len(text), longestValue)], "")
}

// number returns a number within limits, or 0.
func number(text string, least, most int) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < least || n > most {
		return 0
	}

	return n
}

func liters(text string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n > 0 && n < 100) { // NaN is no displacement either
		return 0
	}

	return n
}
