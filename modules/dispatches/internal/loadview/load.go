// Package loadview reads a load as its carrier sees it: what it shows, in words and in facts that can be compared.
package loadview

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/money"
)

// Load is what the page shows of a load.
type Load struct {
	Number     string         `json:"number"`
	Stops      []Stop         `json:"stops"`
	Vehicles   []Vehicle      `json:"vehicles"`
	Goods      []Goods        `json:"commodities"`
	Plan       []Payment      `json:"payment_plan"`
	Payments   []Payment      `json:"payments"`
	CarrierPay money.Amount   `json:"carrier_pay"`
	Balance    money.Amount   `json:"carrier_balance"`
	Currency   money.Currency `json:"currency"`
	Miles      *int64         `json:"miles"`
	// AvailableFrom is the first day on which the vehicles can be picked up, "" for any.
	AvailableFrom string `json:"available_from"`
	Transport     string `json:"transport_type"`
	Inspection    string `json:"inspection_type"`
	Instructions  string `json:"instructions_carrier"`
	ForBoard      string `json:"instructions_board"`
	References    []struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	} `json:"references"`
}

type Stop struct {
	Kind  string `json:"kind"`
	Notes string `json:"notes"`
	Venue struct {
		Name       string `json:"name"`
		Line1      string `json:"line1"`
		Line2      string `json:"line2"`
		City       string `json:"city"`
		State      string `json:"state"`
		PostalCode string `json:"postal_code"`
		Country    string `json:"country"`
		TimeZone   string `json:"time_zone"`
		Hours      string `json:"hours"`
		ByArrange  bool   `json:"appointment_required"`
		TWIC       bool   `json:"twic_required"`
	} `json:"venue"`
	BuyerNumber string `json:"buyer_number"`
	Contacts    []struct {
		Name   string   `json:"name"`
		Phones []string `json:"phones"`
	} `json:"contacts"`
	Window *struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"window"`
}

type Vehicle struct {
	Year     *int64   `json:"year"`
	Make     string   `json:"make"`
	Model    string   `json:"model"`
	VIN      string   `json:"vin"`
	Color    string   `json:"color"`
	Plate    string   `json:"plate"`
	Lot      string   `json:"lot_number"`
	Buyer    string   `json:"buyer_number"`
	GatePass string   `json:"gate_pass"`
	Notes    string   `json:"notes"`
	Operable *bool    `json:"operable"`
	Photos   []string `json:"photo_uuids"`
}

// Goods are goods that are no vehicle.
type Goods struct {
	Description string `json:"description"`
	Pieces      int64  `json:"pieces"`
	WeightLb    int64  `json:"weight_lb"`
	LengthIn    int64  `json:"length_in"`
	WidthIn     int64  `json:"width_in"`
	HeightIn    int64  `json:"height_in"`
	Stackable   bool   `json:"stackable"`
	Hazmat      *struct {
		Number string `json:"un_number"`
		Class  string `json:"class"`
	} `json:"hazmat"`
}

type Payment struct {
	From   string       `json:"from"`
	To     string       `json:"to"`
	Kind   string       `json:"kind"`
	Amount money.Amount `json:"amount"`
	Event  string       `json:"due_event"`
	Days   int64        `json:"due_days"`
	// Business says that Days are those on which banks are open.
	Business bool      `json:"business_days"`
	Method   string    `json:"method"`
	At       time.Time `json:"at"`
}
