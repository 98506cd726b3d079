// Package dispatchesapi is the contract of the dispatches area: its id, its events, and what happens before a carrier gets a load.
package dispatchesapi

// Area is the id of the area; Offer and Dispatch are the types of its items.
const (
	Area     = "dispatches"
	Offer    = "dispatches.offer"
	Dispatch = "dispatches.dispatch"
)

// Accepting is the hook dispatches.dispatch.accepting: a carrier is about to have a load. Areas veto it.
type Accepting struct {
	Load, Carrier string
	// CarrierPay is what the carrier gets, in the currency.
	CarrierPay, Currency string
	// Party is who decides: carrier or broker.
	Party string
}

// AboutOffer names the offer that an event is about.
type AboutOffer struct {
	Offer   string `json:"offer_uuid"`
	Load    string `json:"load_uuid"`
	Carrier string `json:"carrier_uuid"`
}

// EventItem implements events.Named.
func (a AboutOffer) EventItem() (itemType, id string) { return Offer, a.Offer }

// OfferSent is raised when a carrier can answer an offer.
type OfferSent struct{ AboutOffer }

// EventName implements events.Event.
func (OfferSent) EventName() string { return "dispatches.offer.sent" }

// OfferReactivated is raised when a carrier can answer an offer again.
type OfferReactivated struct{ AboutOffer }

// EventName implements events.Event.
func (OfferReactivated) EventName() string { return "dispatches.offer.reactivated" }

// OfferViewed is raised when the carrier of an offer has seen it for the first time.
type OfferViewed struct{ AboutOffer }

// EventName implements events.Event.
func (OfferViewed) EventName() string { return "dispatches.offer.viewed" }

// OfferCountered is raised when a carrier makes a counter-offer.
type OfferCountered struct{ AboutOffer }

// EventName implements events.Event.
func (OfferCountered) EventName() string { return "dispatches.offer.countered" }

// OfferReplied is raised when the company answers a counter-offer with its own.
type OfferReplied struct{ AboutOffer }

// EventName implements events.Event.
func (OfferReplied) EventName() string { return "dispatches.offer.replied" }

// OfferAccepted is raised when an offer is accepted: there is a dispatch.
type OfferAccepted struct{ AboutOffer }

// EventName implements events.Event.
func (OfferAccepted) EventName() string { return "dispatches.offer.accepted" }

// OfferDeclined is raised when either party declines an offer.
type OfferDeclined struct{ AboutOffer }

// EventName implements events.Event.
func (OfferDeclined) EventName() string { return "dispatches.offer.declined" }

// OfferExpired is raised when an offer expires without an answer.
type OfferExpired struct{ AboutOffer }

// EventName implements events.Event.
func (OfferExpired) EventName() string { return "dispatches.offer.expired" }

// OfferWithdrawn is raised when the company takes an offer back.
type OfferWithdrawn struct{ AboutOffer }

// EventName implements events.Event.
func (OfferWithdrawn) EventName() string { return "dispatches.offer.withdrawn" }

// OfferSuperseded is raised when another carrier gets the load of an offer, or the load is no longer offered.
type OfferSuperseded struct{ AboutOffer }

// EventName implements events.Event.
func (OfferSuperseded) EventName() string { return "dispatches.offer.superseded" }

// OfferRevised is raised when the load of an open offer has changed, so that its carrier has to look at it again.
type OfferRevised struct {
	AboutOffer

	// Fields are those of the load, the offer or the terms that changed.
	Fields []string `json:"fields"`
}

// EventName implements events.Event.
func (OfferRevised) EventName() string { return "dispatches.offer.revised" }

// LateResponse is raised when a carrier accepts an offer that has expired.
type LateResponse struct{ AboutOffer }

// EventName implements events.Event.
func (LateResponse) EventName() string { return "dispatches.offer.late_response" }

// Reminded is raised when a carrier is reminded of an offer.
type Reminded struct{ AboutOffer }

// EventName implements events.Event.
func (Reminded) EventName() string { return "dispatches.carrier.reminded" }

// About names the dispatch that an event is about.
type About struct {
	Dispatch string `json:"dispatch_uuid"`
	Load     string `json:"load_uuid"`
	Carrier  string `json:"carrier_uuid"`
}

// EventItem implements events.Named.
func (a About) EventItem() (itemType, id string) { return Dispatch, a.Dispatch }

// Accepted is raised when a carrier has a load.
type Accepted struct{ About }

// EventName implements events.Event.
func (Accepted) EventName() string { return "dispatches.dispatch.accepted" }

// Updated is raised when a dispatch has other times, another driver or other terms.
type Updated struct {
	About

	// Revision is that of its terms, from 1.
	Revision int64 `json:"revision"`
}

// EventName implements events.Event.
func (Updated) EventName() string { return "dispatches.dispatch.updated" }

// Confirmed is raised when a carrier accepts the current terms of a dispatch.
type Confirmed struct{ About }

// EventName implements events.Event.
func (Confirmed) EventName() string { return "dispatches.dispatch.confirmed" }

// PickedUp is raised when a carrier has the vehicles.
type PickedUp struct{ About }

// EventName implements events.Event.
func (PickedUp) EventName() string { return "dispatches.dispatch.picked_up" }

// PutBack is raised when a carrier does not have the vehicles after all.
type PutBack struct{ About }

// EventName implements events.Event.
func (PutBack) EventName() string { return "dispatches.dispatch.put_back" }

// Reopened is raised when a carrier has not delivered the vehicles after all.
type Reopened struct{ About }

// EventName implements events.Event.
func (Reopened) EventName() string { return "dispatches.dispatch.reopened" }

// Delivered is raised when a carrier has delivered the vehicles.
type Delivered struct{ About }

// EventName implements events.Event.
func (Delivered) EventName() string { return "dispatches.dispatch.delivered" }

// Overdue is raised when a carrier has not picked up or delivered by the agreed day: What is pickup or delivery.
type Overdue struct {
	About

	What string `json:"what"`
}

// EventName implements events.Event.
func (Overdue) EventName() string { return "dispatches.dispatch.overdue" }

// DispatchReminded is raised when a carrier is reminded of a load that it has.
type DispatchReminded struct{ About }

// EventName implements events.Event.
func (DispatchReminded) EventName() string { return "dispatches.dispatch.reminded" }

// OfferExtended is raised when an offer can be answered for longer.
type OfferExtended struct{ AboutOffer }

// EventName implements events.Event.
func (OfferExtended) EventName() string { return "dispatches.offer.extended" }

// Cancelled is raised when a carrier no longer has a load.
type Cancelled struct {
	About

	// By is carrier or broker, Reason the id of one of cancel_reasons of the settings, "" for none.
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// EventName implements events.Event.
func (Cancelled) EventName() string { return "dispatches.dispatch.cancelled" }

// Settled is raised when a carrier was paid.
type Settled struct{ About }

// EventName implements events.Event.
func (Settled) EventName() string { return "dispatches.dispatch.settled" }

// Bounced is raised when a carrier gives a load back.
type Bounced struct{ About }

// EventName implements events.Event.
func (Bounced) EventName() string { return "dispatches.dispatch.bounced" }

// LinkingDriver is the hook dispatches.driver.linking: a carrier wants a link by which its driver inspects and signs. The area that takes inspections
// sets the URL.
type LinkingDriver struct {
	Dispatch, Load, Carrier string
	URL                     string
}
