package routeengineapi

import (
	"context"
	"encoding/json"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Formula is the type of the items that are formulas.
const Formula = "route_engine.formula"

// The failures of Pricing.
var (
	// ErrFormulaFailed is for a transport that the company's formula has no price for; the details "factor" and "reason" say why.
	ErrFormulaFailed = errs.New(errs.Invalid, "route_engine.formula_failed", "The formula has no price for this transport.")
	// ErrQuoteToken is for a token that is no one of the company's, or no longer valid.
	ErrQuoteToken = errs.New(errs.Invalid, "route_engine.invalid_quote_token", "The given data was invalid.").
			WithField("quote_token", "`quote_token` is not one of a quick quote, or no longer valid. Quote again.")
)

// Pricing prices transports by the formula of the caller's company.
type Pricing interface {
	// Price prices a transport with at least one vehicle. Errors: ErrUnknownPlace, ErrNoRoad, ErrFormulaFailed.
	Price(ctx context.Context, t Transport) (Price, error)
	// Redeem returns what a quick quote was of. Error: ErrQuoteToken.
	Redeem(ctx context.Context, token string) (QuickQuote, error)
}

// Transport is what is to be priced.
type Transport struct {
	Stops    []Stop `json:"stops"`
	Vehicles []Car  `json:"vehicles"`
	// Type is open, enclosed or driveaway.
	Type      string `json:"transport_type"`
	Expedited bool   `json:"expedited,omitempty"`
	// AvailableFrom is a day, YYYY-MM-DD; "" if it is not known.
	AvailableFrom string `json:"available_from,omitempty"`
}

// Car is a vehicle of a transport. Type is that of vehicles, "" if it is not known. Year is 0 if it is not known.
type Car struct {
	Name     string `json:"name,omitempty"`
	Year     int64  `json:"year,omitempty"`
	Make     string `json:"make,omitempty"`
	Model    string `json:"model,omitempty"`
	Type     string `json:"type,omitempty"`
	Size     string `json:"size,omitempty"` // by default that of the type
	Operable bool   `json:"operable"`
	Modified bool   `json:"modified,omitempty"`
}

// Price is a price of a transport. Amounts have the decimals of the currency.
type Price struct {
	// Formula is the uuid of the formula, "" for the one that is shipped, which has the version 0.
	Formula string
	Version int64
	// ContextHash is equal for equal formulas and inputs.
	ContextHash string
	Currency    string
	// Cars are in the order of the vehicles, and add up to the totals.
	Cars                                   []CarPrice
	CarrierPay, BrokerFee, Tariff, Deposit string
	// Options have the standard one first.
	Options []Option
	// Confidence is high, medium or low.
	Confidence string
	Warnings   []string
	// Explanation is for those who sell, never for customers.
	Explanation json.RawMessage
}

// CarPrice is the price of a vehicle.
type CarPrice struct {
	CarrierPay string `json:"carrier_pay"`
	BrokerFee  string `json:"broker_fee"`
	Tariff     string `json:"tariff"`
}

// Option is a way in which a transport can be done: standard, priority or guaranteed.
type Option struct{ Key, Label, Tariff string }

// QuickQuote is a transport, and the prices that a quick quote named for it.
type QuickQuote struct {
	Transport Transport  `json:"transport"`
	Cars      []CarPrice `json:"prices"`
	Currency  string     `json:"currency"`
}

// LanePricing is the hook route_engine.lane.pricing: a lane is about to be priced. An area that knows what carriers got on it lately fills
// in the amounts, for one vehicle.
type LanePricing struct {
	// OriginZIP3 and DestinationZIP3 are the first three digits of ZIP codes.
	OriginZIP3, DestinationZIP3 string
	Currency                    string
	// Loads is how many loads the amounts are of, P25, P50 and P75 their quartiles; "" for fewer than five.
	Loads         int64
	P25, P50, P75 string
}
