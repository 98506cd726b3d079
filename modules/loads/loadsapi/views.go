package loadsapi

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Views shows loads to parties. Which fields a party sees is said once, by the tags of the row; the views have the same, and a test says so.
type Views interface {
	// Customer, Carrier and Bidder return a load as a party sees it. Error: ErrNotFound.
	Customer(ctx context.Context, load string) (Shown[CustomerView], error)
	Carrier(ctx context.Context, load string) (Shown[CarrierView], error)
	Bidder(ctx context.Context, load string) (Shown[BidderView], error)
	// Proposed is Bidder of a load as a carrier, "" for any, would have it for another carrier pay, "" for the one that it has: with the payments that the
	// carrier would get then, as it is paid. It changes nothing. Errors: ErrNotFound, ErrPlanFixed, ErrPayBelowCharges.
	Proposed(ctx context.Context, load, carrier, carrierPay string) (Shown[BidderView], error)
}

// Shown is a load as a party sees it: Load for code, and JSON for answers and for what is kept of them, as the operation that reads loads writes it.
// Amounts are decimals and days YYYY-MM-DD; what is not known is "".
type Shown[V CustomerView | CarrierView | BidderView] struct {
	Load V
	JSON json.RawMessage
}

// Custody is where a vehicle is.
type Custody string

// Where a vehicle is: not picked up yet, on the way, or at its destination. A vehicle that was removed from the load is shown to no party.
const (
	VehicleWaiting  Custody = "waiting"
	VehicleOnBoard  Custody = "picked_up"
	VehicleDropped  Custody = "delivered"
	VehicleTakenOff Custody = "removed"
)

// CustomerView is a load as its customer sees it.
type CustomerView struct {
	UUID          string            `json:"uuid"`
	Number        string            `json:"number"`
	State         State             `json:"state"`
	Transport     string            `json:"transport_type"`
	Trailer       string            `json:"trailer_hint"`
	Priority      string            `json:"priority"`
	AvailableFrom string            `json:"available_from"`
	PromisedBy    string            `json:"pickup_promised_by"`
	Stops         []CustomerStop    `json:"stops"`
	Vehicles      []CustomerVehicle `json:"vehicles"`
	Commodities   []CustomerGoods   `json:"commodities"`
	Charges       []ViewCharge      `json:"charges"`
	Plan          []ViewLine        `json:"payment_plan"`
	Payments      []ViewPayment     `json:"payments"`
	PaymentDue    *time.Time        `json:"payment_due_at"`
	CustomerOwes  string            `json:"customer_balance"`
	Currency      string            `json:"currency"`
	Miles         *int64            `json:"miles"`
	FromDays      *int64            `json:"transit_from_days"`
	ToDays        *int64            `json:"transit_to_days"`
	OriginState   string            `json:"origin_state"`
	DestState     string            `json:"destination_state"`
	PickupFrom    *time.Time        `json:"pickup_from"`
	DeliverBy     *time.Time        `json:"deliver_by"`
	VehicleCount  int64             `json:"vehicle_count"`
	Waiting       int64             `json:"waiting_count"`
	OnBoard       int64             `json:"picked_up_count"`
	Dropped       int64             `json:"delivered_count"`
	Tariff        string            `json:"tariff"`
	BookedAt      *time.Time        `json:"booked_at"`
	DispatchedAt  *time.Time        `json:"dispatched_at"`
	PickedUpAt    *time.Time        `json:"picked_up_at"`
	DeliveredAt   *time.Time        `json:"delivered_at"`
}

// CustomerStop is a stop of a CustomerView.
type CustomerStop struct {
	UUID        string        `json:"uuid,omitempty"`
	Kind        string        `json:"kind"`
	Venue       CustomerVenue `json:"venue"`
	Contacts    []ViewContact `json:"contacts,omitempty"`
	Window      *ViewWindow   `json:"window,omitempty"`
	ArrivedAt   *time.Time    `json:"arrived_at,omitempty"`
	DepartedAt  *time.Time    `json:"departed_at,omitempty"`
	BuyerNumber string        `json:"buyer_number,omitempty"`
}

// CustomerVenue is where a CustomerStop is.
type CustomerVenue struct {
	Name       string    `json:"name,omitempty"`
	Type       string    `json:"type,omitempty"`
	Line1      string    `json:"line1,omitempty"`
	Line2      string    `json:"line2,omitempty"`
	City       string    `json:"city,omitempty"`
	State      string    `json:"state,omitempty"`
	PostalCode string    `json:"postal_code,omitempty"`
	Country    string    `json:"country,omitempty"`
	Position   ViewPoint `json:"position,omitzero"`
	TimeZone   string    `json:"time_zone,omitempty"`
	Hours      string    `json:"hours,omitempty"`
}

// CustomerVehicle is a vehicle of a CustomerView. Without Pickup and Delivery, it is carried from the first stop to the last.
type CustomerVehicle struct {
	UUID       string     `json:"uuid,omitempty"`
	VIN        string     `json:"vin,omitempty"`
	Year       *int64     `json:"year,omitempty"`
	Make       string     `json:"make,omitempty"`
	Model      string     `json:"model,omitempty"`
	Trim       string     `json:"trim,omitempty"`
	Color      string     `json:"color,omitempty"`
	Plate      string     `json:"plate,omitempty"`
	PlateState string     `json:"plate_state,omitempty"`
	Type       string     `json:"type,omitempty"`
	Size       string     `json:"size,omitempty"`
	Operable   *bool      `json:"operable,omitempty"`
	Conditions []string   `json:"conditions,omitempty"`
	Modified   []string   `json:"modified,omitempty"`
	LengthIn   int64      `json:"length_in,omitempty"`
	WidthIn    int64      `json:"width_in,omitempty"`
	HeightIn   int64      `json:"height_in,omitempty"`
	WeightLb   int64      `json:"weight_lb,omitempty"`
	Keys       *int64     `json:"keys_count,omitempty"`
	Lot        string     `json:"lot_number,omitempty"`
	Buyer      string     `json:"buyer_number,omitempty"`
	Declared   string     `json:"declared_value,omitempty"`
	Pickup     string     `json:"pickup_stop_uuid,omitempty"`
	Delivery   string     `json:"delivery_stop_uuid,omitempty"`
	Tariff     string     `json:"tariff,omitempty"`
	Custody    Custody    `json:"custody,omitempty"`
	PickedUpAt *time.Time `json:"picked_up_at,omitempty"`
	DroppedAt  *time.Time `json:"delivered_at,omitempty"`
}

// Name is the vehicle as people call it: "2003 Honda Accord"; "" if nothing is known.
func (v CustomerVehicle) Name() string { return vehicleName(v.Year, v.Make, v.Model) }

// CustomerGoods are goods of a CustomerView that are no vehicle.
type CustomerGoods struct {
	UUID        string      `json:"uuid,omitempty"`
	Description string      `json:"description"`
	Kind        string      `json:"kind,omitempty"`
	Pieces      int64       `json:"pieces,omitempty"`
	WeightLb    int64       `json:"weight_lb,omitempty"`
	LengthIn    int64       `json:"length_in,omitempty"`
	WidthIn     int64       `json:"width_in,omitempty"`
	HeightIn    int64       `json:"height_in,omitempty"`
	Stackable   bool        `json:"stackable,omitempty"`
	Hazmat      *ViewHazmat `json:"hazmat,omitempty"`
	Declared    string      `json:"declared_value,omitempty"`
	Pickup      string      `json:"pickup_stop_uuid,omitempty"`
	Delivery    string      `json:"delivery_stop_uuid,omitempty"`
}

// CarrierView is a load as the carrier that has it sees it. The JSON of a BidderView is one of its own, whose other fields are empty.
type CarrierView struct {
	UUID          string           `json:"uuid"`
	Number        string           `json:"number"`
	State         State            `json:"state"`
	Transport     string           `json:"transport_type"`
	Inspection    string           `json:"inspection_type"`
	Trailer       string           `json:"trailer_hint"`
	Priority      string           `json:"priority"`
	AvailableFrom string           `json:"available_from"`
	PromisedBy    string           `json:"pickup_promised_by"`
	Stops         []CarrierStop    `json:"stops"`
	Vehicles      []CarrierVehicle `json:"vehicles"`
	Commodities   []CarrierGoods   `json:"commodities"`
	Plan          []ViewLine       `json:"payment_plan"`
	Payments      []ViewPayment    `json:"payments"`
	CarrierGets   string           `json:"carrier_balance"`
	References    []ViewReference  `json:"references"`
	Currency      string           `json:"currency"`
	ForCarrier    string           `json:"instructions_carrier"`
	ForBoard      string           `json:"instructions_board"`
	Miles         *int64           `json:"miles"`
	Minutes       *int64           `json:"minutes"`
	Measured      bool             `json:"miles_measured"`
	FromDays      *int64           `json:"transit_from_days"`
	ToDays        *int64           `json:"transit_to_days"`
	OriginState   string           `json:"origin_state"`
	DestState     string           `json:"destination_state"`
	PickupFrom    *time.Time       `json:"pickup_from"`
	DeliverBy     *time.Time       `json:"deliver_by"`
	VehicleCount  int64            `json:"vehicle_count"`
	InopCount     int64            `json:"inop_count"`
	Waiting       int64            `json:"waiting_count"`
	OnBoard       int64            `json:"picked_up_count"`
	Dropped       int64            `json:"delivered_count"`
	CarrierPay    string           `json:"carrier_pay"`
	DispatchedAt  *time.Time       `json:"dispatched_at"`
	PickedUpAt    *time.Time       `json:"picked_up_at"`
	DeliveredAt   *time.Time       `json:"delivered_at"`
}

// CarrierStop is a stop of a CarrierView.
type CarrierStop struct {
	UUID        string        `json:"uuid,omitempty"`
	Kind        string        `json:"kind"`
	Venue       CarrierVenue  `json:"venue"`
	Contacts    []ViewContact `json:"contacts,omitempty"`
	Window      *ViewWindow   `json:"window,omitempty"`
	ArrivedAt   *time.Time    `json:"arrived_at,omitempty"`
	DepartedAt  *time.Time    `json:"departed_at,omitempty"`
	BuyerNumber string        `json:"buyer_number,omitempty"`
	Notes       string        `json:"notes,omitempty"`
}

// CarrierVenue is where a CarrierStop is.
type CarrierVenue struct {
	Name        string    `json:"name,omitempty"`
	Type        string    `json:"type,omitempty"`
	Line1       string    `json:"line1,omitempty"`
	Line2       string    `json:"line2,omitempty"`
	City        string    `json:"city,omitempty"`
	State       string    `json:"state,omitempty"`
	PostalCode  string    `json:"postal_code,omitempty"`
	Country     string    `json:"country,omitempty"`
	Position    ViewPoint `json:"position,omitzero"`
	TimeZone    string    `json:"time_zone,omitempty"`
	Hours       string    `json:"hours,omitempty"`
	Appointment bool      `json:"appointment_required,omitempty"`
	TWIC        bool      `json:"twic_required,omitempty"`
}

// CarrierVehicle is a vehicle of a CarrierView. Without Pickup and Delivery, it is carried from the first stop to the last.
type CarrierVehicle struct {
	UUID       string     `json:"uuid,omitempty"`
	VIN        string     `json:"vin,omitempty"`
	Year       *int64     `json:"year,omitempty"`
	Make       string     `json:"make,omitempty"`
	Model      string     `json:"model,omitempty"`
	Trim       string     `json:"trim,omitempty"`
	Color      string     `json:"color,omitempty"`
	Plate      string     `json:"plate,omitempty"`
	PlateState string     `json:"plate_state,omitempty"`
	Type       string     `json:"type,omitempty"`
	Size       string     `json:"size,omitempty"`
	Operable   *bool      `json:"operable,omitempty"`
	Conditions []string   `json:"conditions,omitempty"`
	Modified   []string   `json:"modified,omitempty"`
	LengthIn   int64      `json:"length_in,omitempty"`
	WidthIn    int64      `json:"width_in,omitempty"`
	HeightIn   int64      `json:"height_in,omitempty"`
	WeightLb   int64      `json:"weight_lb,omitempty"`
	Keys       *int64     `json:"keys_count,omitempty"`
	Lot        string     `json:"lot_number,omitempty"`
	Buyer      string     `json:"buyer_number,omitempty"`
	GatePass   string     `json:"gate_pass,omitempty"`
	Pickup     string     `json:"pickup_stop_uuid,omitempty"`
	Delivery   string     `json:"delivery_stop_uuid,omitempty"`
	CarrierPay string     `json:"carrier_pay,omitempty"`
	Custody    Custody    `json:"custody,omitempty"`
	PickedUpAt *time.Time `json:"picked_up_at,omitempty"`
	DroppedAt  *time.Time `json:"delivered_at,omitempty"`
	Photos     []string   `json:"photo_uuids,omitempty"`
	Notes      string     `json:"notes,omitempty"`
}

// Name is the vehicle as people call it: "2003 Honda Accord"; "" if nothing is known.
func (v CarrierVehicle) Name() string { return vehicleName(v.Year, v.Make, v.Model) }

func vehicleName(year *int64, brand, model string) string {
	words := []string{brand, model}
	if year != nil {
		words = []string{strconv.FormatInt(*year, 10), brand, model}
	}

	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// CarrierGoods are goods of a CarrierView or a BidderView that are no vehicle.
type CarrierGoods struct {
	UUID        string      `json:"uuid,omitempty"`
	Description string      `json:"description"`
	Kind        string      `json:"kind,omitempty"`
	Pieces      int64       `json:"pieces,omitempty"`
	WeightLb    int64       `json:"weight_lb,omitempty"`
	LengthIn    int64       `json:"length_in,omitempty"`
	WidthIn     int64       `json:"width_in,omitempty"`
	HeightIn    int64       `json:"height_in,omitempty"`
	Stackable   bool        `json:"stackable,omitempty"`
	Hazmat      *ViewHazmat `json:"hazmat,omitempty"`
	Pickup      string      `json:"pickup_stop_uuid,omitempty"`
	Delivery    string      `json:"delivery_stop_uuid,omitempty"`
}

// BidderView is a load as a carrier sees it that may be going to have it.
type BidderView struct {
	UUID          string          `json:"uuid"`
	Number        string          `json:"number"`
	State         State           `json:"state"`
	Transport     string          `json:"transport_type"`
	Inspection    string          `json:"inspection_type"`
	Trailer       string          `json:"trailer_hint"`
	Priority      string          `json:"priority"`
	AvailableFrom string          `json:"available_from"`
	PromisedBy    string          `json:"pickup_promised_by"`
	Stops         []BidderStop    `json:"stops"`
	Vehicles      []BidderVehicle `json:"vehicles"`
	Commodities   []CarrierGoods  `json:"commodities"`
	Plan          []ViewLine      `json:"payment_plan"`
	Currency      string          `json:"currency"`
	ForBoard      string          `json:"instructions_board"`
	Miles         *int64          `json:"miles"`
	Minutes       *int64          `json:"minutes"`
	Measured      bool            `json:"miles_measured"`
	FromDays      *int64          `json:"transit_from_days"`
	ToDays        *int64          `json:"transit_to_days"`
	OriginState   string          `json:"origin_state"`
	DestState     string          `json:"destination_state"`
	PickupFrom    *time.Time      `json:"pickup_from"`
	DeliverBy     *time.Time      `json:"deliver_by"`
	VehicleCount  int64           `json:"vehicle_count"`
	InopCount     int64           `json:"inop_count"`
	CarrierPay    string          `json:"carrier_pay"`
}

// BidderStop is a stop of a BidderView.
type BidderStop struct {
	UUID   string      `json:"uuid,omitempty"`
	Kind   string      `json:"kind"`
	Venue  BidderVenue `json:"venue"`
	Window *ViewWindow `json:"window,omitempty"`
}

// BidderVenue is where a BidderStop is.
type BidderVenue struct {
	Type        string `json:"type,omitempty"`
	City        string `json:"city,omitempty"`
	State       string `json:"state,omitempty"`
	PostalCode  string `json:"postal_code,omitempty"`
	Country     string `json:"country,omitempty"`
	TimeZone    string `json:"time_zone,omitempty"`
	Appointment bool   `json:"appointment_required,omitempty"`
	TWIC        bool   `json:"twic_required,omitempty"`
}

// BidderVehicle is a vehicle of a BidderView. Without Pickup and Delivery, it is carried from the first stop to the last.
type BidderVehicle struct {
	UUID       string   `json:"uuid,omitempty"`
	Year       *int64   `json:"year,omitempty"`
	Make       string   `json:"make,omitempty"`
	Model      string   `json:"model,omitempty"`
	Trim       string   `json:"trim,omitempty"`
	Type       string   `json:"type,omitempty"`
	Size       string   `json:"size,omitempty"`
	Operable   *bool    `json:"operable,omitempty"`
	Conditions []string `json:"conditions,omitempty"`
	Modified   []string `json:"modified,omitempty"`
	LengthIn   int64    `json:"length_in,omitempty"`
	WidthIn    int64    `json:"width_in,omitempty"`
	HeightIn   int64    `json:"height_in,omitempty"`
	WeightLb   int64    `json:"weight_lb,omitempty"`
	Pickup     string   `json:"pickup_stop_uuid,omitempty"`
	Delivery   string   `json:"delivery_stop_uuid,omitempty"`
	CarrierPay string   `json:"carrier_pay,omitempty"`
}

// ViewPoint is a point on the earth in degrees of WGS 84.
type ViewPoint struct {
	Lat json.Number `json:"lat"`
	Lng json.Number `json:"lng"`
}

// ViewContact is a person at a stop.
type ViewContact struct {
	Name   string   `json:"name,omitempty"`
	Title  string   `json:"title,omitempty"`
	Phones []string `json:"phones,omitempty"`
	Email  string   `json:"email,omitempty"`
}

// ViewWindow is when a stop may be visited. From and To are days, or times of a clock at the stop; FromAt and ToAt are in UTC.
type ViewWindow struct {
	Kind   string     `json:"kind,omitempty"`
	From   string     `json:"from,omitempty"`
	To     string     `json:"to,omitempty"`
	FromAt *time.Time `json:"from_at,omitempty"`
	ToAt   *time.Time `json:"to_at,omitempty"`
}

// ViewHazmat names hazardous material.
type ViewHazmat struct {
	Number string `json:"un_number"`
	Class  string `json:"class"`
}

// ViewLine is a line of the payment plan.
type ViewLine struct {
	UUID         string `json:"uuid,omitempty"`
	From         string `json:"from"`
	To           string `json:"to"`
	Kind         string `json:"kind"`
	Amount       string `json:"amount"`
	Method       string `json:"method,omitempty"`
	Event        string `json:"due_event"`
	Days         int64  `json:"due_days,omitempty"`
	BusinessDays bool   `json:"business_days,omitempty"`
}

// ViewPayment is a payment that was recorded; negative if it takes one back.
type ViewPayment struct {
	UUID   string    `json:"uuid"`
	Line   string    `json:"line_uuid"`
	From   string    `json:"from"`
	To     string    `json:"to"`
	Amount string    `json:"amount"`
	Method string    `json:"method"`
	At     time.Time `json:"at"`
}

// ViewCharge is what the customer pays beside the transport of the vehicles.
type ViewCharge struct {
	UUID        string `json:"uuid,omitempty"`
	Kind        string `json:"kind"`
	Description string `json:"description,omitempty"`
	Vehicle     string `json:"vehicle_uuid,omitempty"`
	Quantity    string `json:"quantity,omitempty"`
	UnitPrice   string `json:"unit_price,omitempty"`
	Amount      string `json:"amount,omitempty"`
	Payer       string `json:"payer,omitempty"`
	Taxable     bool   `json:"taxable,omitempty"`
}

// ViewReference is a number by which others know the load.
type ViewReference struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}
