// Package carrierlink has the page of a carrier, by its link: what it was offered or has, and what it answers.
//
//	door.go                       who enters by a link, and how often
//	shown.go, view.go             what a carrier sees
//	offers.go, dispatches.go      what it answers to an offer, and reports of a load
//	identity.go, driver_links.go  how it proves who it is, and links for its drivers
//	page.go, forms.go             the page
package carrierlink

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// carrierPage is what a carrier sees by its link.
type carrierPage struct {
	Brand    page.Brand           `json:"brand"`
	Broker   brokerShown          `json:"broker"`
	Offer    *offerShown          `json:"offer" doc:"Null if the load was given to the carrier without one."`
	Dispatch *dispatchShown       `json:"dispatch" doc:"Null unless the carrier has the load, or has had it."`
	Proof    *proof.Demand        `json:"identity" doc:"What is asked for before the offer can be accepted: a code to one of the channels. Null for nothing."`
	Load     rawjson.Object       `json:"load" doc:"The load as GET /loads/api/v1/loads/{uuid} shows it, with what the carrier sees of it: without streets, contacts and VINs before it has accepted; {} once the carrier may no longer see it."`
	Terms    string               `json:"terms"`
	Reasons  []preferences.Reason `json:"cancel_reasons" nullable:"false"`
	Inspect  bool                 `json:"driver_links" doc:"Whether the carrier can make a link by which its driver inspects and signs."`
	Notes    []string             `json:"notes" nullable:"false" doc:"What the company has written about the load for the carrier that has it."`
	Warnings []store.Warning      `json:"warnings" nullable:"false" doc:"What may be wrong, such as a pickup before the vehicles are available."`
	Problem  string               `json:"problem" doc:"The problem of the query, for the page."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (carrierPage) SchemaName() string { return "CarrierPage" }

// brokerShown is who offers a load.
type brokerShown struct {
	USDOT  string `json:"usdot"`
	Docket string `json:"docket"`
	Phone  string `json:"phone"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (brokerShown) SchemaName() string { return "BrokerShown" }

// offerShown is an offer as its carrier sees it.
type offerShown struct {
	Number    string            `json:"number"`
	State     store.OfferState  `json:"state" enum:"offered,countered,accepted,declined,expired,withdrawn,superseded"`
	Shown     int               `json:"shown" doc:"Send it along with the answer, so that it is to what was shown."`
	Key       string            `json:"shown_key" doc:"Stands for all that is shown: the load, the pay, the days and the terms. Send it along with the answer. Empty if the offer can no longer be answered."`
	Changes   []loadview.Change `json:"changes" nullable:"false" doc:"What has changed of the load since the carrier last answered, or was sent the offer."`
	YourTurn  bool              `json:"your_turn"`
	Amount    money.Amount      `json:"amount"`
	Currency  money.Currency    `json:"currency"`
	Pickup    field.Date        `json:"pickup_date" doc:"Empty if the answer is to name it."`
	Delivery  field.Date        `json:"delivery_date"`
	ExpiresAt *time.Time        `json:"expires_at"`
	Message   string            `json:"message"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (offerShown) SchemaName() string { return "OfferShown" }

// dispatchShown is a dispatch as its carrier sees it.
type dispatchShown struct {
	Crew             store.Crew          `json:"crew"`
	Number           string              `json:"number"`
	State            store.DispatchState `json:"state" enum:"accepted,picked_up,delivered,settled,cancelled_by_carrier,cancelled_by_broker"`
	Revision         int64               `json:"revision"`
	AcceptedRevision int64               `json:"accepted_revision" doc:"If it is less than the revision, the terms have changed since they were accepted."`
	CarrierPay       money.Amount        `json:"carrier_pay"`
	Currency         money.Currency      `json:"currency"`
	Pickup           field.Date          `json:"pickup_date"`
	Delivery         field.Date          `json:"delivery_date"`
	ETAPickup        *time.Time          `json:"eta_pickup"`
	ETADelivery      *time.Time          `json:"eta_delivery"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (dispatchShown) SchemaName() string { return "DispatchShown" }

// showOffer is an offer as its carrier sees it at a time.
func showOffer(o store.Offer, now time.Time) *offerShown {
	s := &offerShown{
		Number: o.Number, State: o.State, Shown: len(o.Transactions.V), YourTurn: o.Turn == store.Carrier, Amount: o.Amount, Currency: o.Currency,
		Pickup: o.PickupDate, Delivery: o.DeliveryDate, ExpiresAt: o.ExpiresAt, Message: o.Message, Changes: []loadview.Change{},
	}
	if o.IsOpen() && o.IsPast(now) {
		s.State, s.YourTurn = store.Expired, false
	}

	return s
}

// showDispatch is a dispatch as its carrier sees it. Of one that was canceled, it sees just that.
func showDispatch(d store.Dispatch) *dispatchShown {
	if !d.IsLive() {
		return &dispatchShown{Number: d.Number, State: d.State}
	}

	return &dispatchShown{
		Crew:   store.Crew{DriverName: d.DriverName, DriverPhone: d.DriverPhone, Truck: d.Truck, TruckPlate: d.TruckPlate},
		Number: d.Number, State: d.State, Revision: d.Revision, AcceptedRevision: d.AcceptedRevision, CarrierPay: d.CarrierPay, Currency: d.Currency,
		Pickup: d.PickupDate, Delivery: d.DeliveryDate, ETAPickup: d.ETAPickup, ETADelivery: d.ETADelivery,
	}
}
