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

// OfferSent tells of an offer that a carrier can answer.
type OfferSent struct{ AboutOffer }

// EventName implements events.Event.
func (OfferSent) EventName() string { return "dispatches.offer.sent" }

// OfferReactivated tells of an offer that a carrier can answer again.
type OfferReactivated struct{ AboutOffer }

// EventName implements events.Event.
func (OfferReactivated) EventName() string { return "dispatches.offer.reactivated" }

// OfferViewed tells of an offer that the carrier has seen for the first time.
type OfferViewed struct{ AboutOffer }

// EventName implements events.Event.
func (OfferViewed) EventName() string { return "dispatches.offer.viewed" }

// OfferCountered tells of a carrier that asks for something else.
type OfferCountered struct{ AboutOffer }

// EventName implements events.Event.
func (OfferCountered) EventName() string { return "dispatches.offer.countered" }

// OfferReplied tells of a company that has answered a counter by another one.
type OfferReplied struct{ AboutOffer }

// EventName implements events.Event.
func (OfferReplied) EventName() string { return "dispatches.offer.replied" }

// OfferAccepted tells of an offer that was accepted: there is a dispatch.
type OfferAccepted struct{ AboutOffer }

// EventName implements events.Event.
func (OfferAccepted) EventName() string { return "dispatches.offer.accepted" }

// OfferDeclined tells of an offer that one side does not want.
type OfferDeclined struct{ AboutOffer }

// EventName implements events.Event.
func (OfferDeclined) EventName() string { return "dispatches.offer.declined" }

// OfferExpired tells of an offer that nobody answered in time.
type OfferExpired struct{ AboutOffer }

// EventName implements events.Event.
func (OfferExpired) EventName() string { return "dispatches.offer.expired" }

// OfferWithdrawn tells of an offer that the company has taken back.
type OfferWithdrawn struct{ AboutOffer }

// EventName implements events.Event.
func (OfferWithdrawn) EventName() string { return "dispatches.offer.withdrawn" }

// OfferSuperseded tells of an offer for a load that another carrier has, or that is no longer there.
type OfferSuperseded struct{ AboutOffer }

// EventName implements events.Event.
func (OfferSuperseded) EventName() string { return "dispatches.offer.superseded" }

// OfferRevised reports that the load of an open offer changed, so that its carrier has to look at it again.
type OfferRevised struct {
	AboutOffer

	// Fields are those of the load, the offer or the terms that changed.
	Fields []string `json:"fields"`
}

// EventName implements events.Event.
func (OfferRevised) EventName() string { return "dispatches.offer.revised" }

// LateResponse tells of a carrier that has accepted after the offer expired.
type LateResponse struct{ AboutOffer }

// EventName implements events.Event.
func (LateResponse) EventName() string { return "dispatches.offer.late_response" }

// Reminded tells of a carrier that was reminded of an offer.
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

// Accepted tells of a carrier that has a load.
type Accepted struct{ About }

// EventName implements events.Event.
func (Accepted) EventName() string { return "dispatches.dispatch.accepted" }

// Updated tells of a dispatch with other times, another driver or other terms.
type Updated struct {
	About

	// Revision is that of its terms, from 1.
	Revision int64 `json:"revision"`
}

// EventName implements events.Event.
func (Updated) EventName() string { return "dispatches.dispatch.updated" }

// Confirmed tells of a carrier that has accepted the terms of a dispatch as they are now.
type Confirmed struct{ About }

// EventName implements events.Event.
func (Confirmed) EventName() string { return "dispatches.dispatch.confirmed" }

// PickedUp tells of a carrier that has the vehicles.
type PickedUp struct{ About }

// EventName implements events.Event.
func (PickedUp) EventName() string { return "dispatches.dispatch.picked_up" }

// PutBack tells of a carrier that does not have the vehicles after all.
type PutBack struct{ About }

// EventName implements events.Event.
func (PutBack) EventName() string { return "dispatches.dispatch.put_back" }

// Reopened tells of a carrier that has not delivered the vehicles after all.
type Reopened struct{ About }

// EventName implements events.Event.
func (Reopened) EventName() string { return "dispatches.dispatch.reopened" }

// Delivered tells of a carrier that has delivered the vehicles.
type Delivered struct{ About }

// EventName implements events.Event.
func (Delivered) EventName() string { return "dispatches.dispatch.delivered" }

// Overdue tells of a carrier that has not done by the agreed day what it was to do: pickup or delivery.
type Overdue struct {
	About

	What string `json:"what"`
}

// EventName implements events.Event.
func (Overdue) EventName() string { return "dispatches.dispatch.overdue" }

// DispatchReminded tells of a carrier that was reminded of a load that it has.
type DispatchReminded struct{ About }

// EventName implements events.Event.
func (DispatchReminded) EventName() string { return "dispatches.dispatch.reminded" }

// OfferExtended tells of an offer that can be answered for longer.
type OfferExtended struct{ AboutOffer }

// EventName implements events.Event.
func (OfferExtended) EventName() string { return "dispatches.offer.extended" }

// Cancelled tells of a load that a carrier no longer has.
type Cancelled struct {
	About

	// By is carrier or broker, Reason the id of one of cancel_reasons of the settings, "" for none.
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// EventName implements events.Event.
func (Cancelled) EventName() string { return "dispatches.dispatch.cancelled" }

// Settled tells of a carrier that was paid.
type Settled struct{ About }

// EventName implements events.Event.
func (Settled) EventName() string { return "dispatches.dispatch.settled" }

// Bounced tells of a carrier that has given a load back.
type Bounced struct{ About }

// EventName implements events.Event.
func (Bounced) EventName() string { return "dispatches.dispatch.bounced" }

// LinkingDriver is the hook dispatches.driver.linking: a carrier wants a link by which its driver inspects and signs. Whoever takes inspections sets the
// URL.
type LinkingDriver struct {
	Dispatch, Load, Carrier string
	URL                     string
}
