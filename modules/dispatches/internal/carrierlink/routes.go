package carrierlink

import (
	"net/http"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Refusals are those of every operation by a carrier's link, and more.
func Refusals(more ...*errs.Error) []*errs.Error {
	return append(append(more, ErrLinkClosed), link.Refusals...)
}

// operation is one by a link whose forms lead back to the page.
func (p *pages) operation(method, path, id, summary, description string, failures []*errs.Error) web.Operation {
	return web.Operation{
		Method: method, Path: "/carrier/{link}" + path, ID: id, Access: web.Public, Summary: summary, Description: description, Errors: failures,
		Page: p.answered(nil),
	}
}

// Routes registers the operation that reads the page.
func Routes(r *web.Router, s *Sheets) {
	show := newPages()
	read := show.operation(http.MethodGet, "", "read_carrier_page", "Read what a carrier was offered, or has, by its link",
		"Reading changes nothing. With Accept: text/html, the response is a page.", Refusals())
	read.Page = show.sheet
	web.Register(r, read, s.read)
}

// ViewedRoutes registers the operation by which the page says that it was shown.
func ViewedRoutes(r *web.Router, v *Viewed) {
	viewed := newPages().operation(http.MethodPost, "/viewed", "note_carrier_view", "Say that a carrier's page was shown in a browser",
		"The page's script does it, so that mail scanners do not count.", Refusals())
	viewed.Page = nil
	web.Register(r, viewed, v.note)
}

// OfferRoutes registers the operations by which a carrier answers an offer.
func OfferRoutes(r *web.Router, a *OfferAnswers) {
	show := newPages()
	answers := func(more ...*errs.Error) []*errs.Error {
		return Refusals(append(more, errAnswer, errNoOffer, store.ErrOfferExpired, store.ErrNotYourTurn, store.ErrNotOpen, store.ErrVehicleTaken,
			store.ErrTermsChanged)...)
	}
	accept := show.operation(http.MethodPost, "/accept", "accept_carrier_offer", "Accept an offer by a link",
		"The carrier has the load, and sees all of it. Accepting twice is accepting once.", answers(store.ErrOutsideWindow, errNotNow, errCallUs, proof.ErrIdentityNeeded))
	accept.Form, accept.Page = acceptForm, show.answered(acceptFields(offerShown{}, ""))
	web.Register(r, accept, a.accept)
	counter := show.operation(http.MethodPost, "/counter", "counter_carrier_offer", "Ask for something else by a link", "What the body leaves out stays as it stands.",
		answers(store.ErrInvalidOffer, store.ErrNothingChanged, store.ErrNoRoundsLeft, store.ErrOutsideWindow))
	counter.Form, counter.Page = formOf("amount", "pickup_date", "delivery_date", "note"), show.answered(counterFields(offerShown{}, ""))
	web.Register(r, counter, a.counter)
	decline := show.operation(http.MethodPost, "/decline", "decline_carrier_offer", "Decline an offer by a link", "", answers())
	decline.Form, decline.Page = formOf("note"), show.answered(declineFields(offerShown{}, ""))
	web.Register(r, decline, a.decline)
}

// DispatchRoutes registers the operations by which a carrier reports of a load that it has.
func DispatchRoutes(r *web.Router, a *DispatchAnswers) {
	show := newPages()
	update := show.operation(http.MethodPost, "/update", "update_carrier_dispatch", "Say by a link who comes, and when", "What the body leaves out stays.",
		Refusals(carrying.ErrInvalidUpdate, store.ErrInvalidDispatch, store.ErrNoLoad))
	update.Form, update.Page = formOf("eta_pickup", "eta_delivery"), show.answered(updateFields(store.Crew{}, "", "", ""))
	web.Register(r, update, a.update)
	confirm := show.operation(http.MethodPost, "/confirm", "confirm_carrier_dispatch", "Accept by a link the terms of a load as they are now",
		"Such as another pay, or other days. Accepting twice is accepting once.", Refusals(errAnswer, store.ErrTermsChanged, store.ErrNoLoad))
	confirm.Form, confirm.Page = confirmForm, show.answered(confirmFields(0, ""))
	web.Register(r, confirm, a.confirm)
	collected := show.operation(http.MethodPost, "/collected", "note_carrier_collection", "Say by a link what the customer has paid to the carrier",
		"In cash or otherwise, at the pickup or the delivery, as the payment plan says, from the pickup on. By default all that is left of it. "+
			"The same again within five minutes is one report.",
		Refusals(carrying.ErrInvalidCollection, loadsapi.ErrNothingToCollect, carrying.ErrNotPickedUp, store.ErrNoLoad))
	collected.Form, collected.Page = formOf("amount", "method"), show.answered(collectFields("", ""))
	web.Register(r, collected, a.collect)
	cancel := show.operation(http.MethodPost, "/cancel", "cancel_carrier_dispatch", "Give a load back by a link",
		"Before it was picked up. The carrier no longer sees it.", Refusals(store.ErrInvalidDispatch, errOnBoard, store.ErrNoLoad))
	cancel.Form, cancel.Page = formOf("reason", "note"), show.answered(cancelFields(nil, ""))
	web.Register(r, cancel, a.cancel)
}
