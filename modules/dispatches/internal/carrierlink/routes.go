package carrierlink

import (
	"net/http"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Refusals are those of every operation by a carrier's link, and more.
func Refusals(more ...*errs.Error) []*errs.Error {
	return append(append(more, ErrLinkClosed), link.Refusals...)
}

// operation is one by a link whose form, if it has one, leads back to the page.
func operation(show *face.Face[carrierPage], method, path, id, summary, description string, failures []*errs.Error) web.Operation {
	op := web.Operation{
		Method: method, Path: "/carrier/{link}" + path, ID: id, Access: web.Public, Summary: summary, Description: description, Errors: failures, Page: show.Page,
	}
	if method == http.MethodPost {
		op.TakesForm, op.Page = true, show.After
	}

	return op
}

// Routes registers the operation that reads the page.
func Routes(r *web.Router, s *Sheets) {
	show := newFace()
	read := operation(show, http.MethodGet, "", "read_carrier_page", "Read what a carrier was offered, or has, by its link",
		"Reading changes nothing. With Accept: text/html, the response is a page.", Refusals())
	web.Register(r, read, s.read)
}

// ViewedRoutes registers the operation by which the page says that it was shown.
func ViewedRoutes(r *web.Router, v *Viewed) {
	viewed := operation(newFace(), http.MethodPost, "/viewed", "note_carrier_view", "Say that a carrier's page was shown in a browser",
		"The page's script does it, so that mail scanners do not count.", Refusals())
	viewed.TakesForm, viewed.Page = false, nil
	web.Register(r, viewed, v.note)
}

// OfferRoutes registers the operations by which a carrier answers an offer.
func OfferRoutes(r *web.Router, a *OfferAnswers) {
	show := newFace()
	answers := func(more ...*errs.Error) []*errs.Error {
		return Refusals(append(more, errAnswer, errNoOffer, store.ErrOfferExpired, store.ErrNotYourTurn, store.ErrNotOpen, store.ErrVehicleTaken,
			store.ErrTermsChanged)...)
	}
	accept := operation(show, http.MethodPost, "/accept", "accept_carrier_offer", "Accept an offer by a link",
		"The carrier has the load, and sees all of it. Accepting twice is accepting once.", answers(store.ErrOutsideWindow, errNotNow, errCallUs, proof.ErrIdentityNeeded))
	web.Register(r, accept, a.accept)
	counter := operation(show, http.MethodPost, "/counter", "counter_carrier_offer", "Ask for something else by a link", "What the body leaves out stays as it stands.",
		answers(store.ErrInvalidOffer, store.ErrNothingChanged, store.ErrNoRoundsLeft, store.ErrOutsideWindow))
	web.Register(r, counter, a.counter)
	decline := operation(show, http.MethodPost, "/decline", "decline_carrier_offer", "Decline an offer by a link", "", answers())
	web.Register(r, decline, a.decline)
}

// DispatchRoutes registers the operations by which a carrier reports of a load that it has.
func DispatchRoutes(r *web.Router, a *DispatchAnswers) {
	show := newFace()
	update := operation(show, http.MethodPost, "/update", "update_carrier_dispatch", "Say by a link who comes, and when", "What the body leaves out stays.",
		Refusals(carrying.ErrInvalidUpdate, store.ErrInvalidDispatch, store.ErrNoLoad))
	web.Register(r, update, a.update)
	confirm := operation(show, http.MethodPost, "/confirm", "confirm_carrier_dispatch", "Accept by a link the terms of a load as they are now",
		"Such as another pay, or other days. Accepting twice is accepting once.", Refusals(errAnswer, store.ErrTermsChanged, store.ErrNoLoad))
	web.Register(r, confirm, a.confirm)
	collected := operation(show, http.MethodPost, "/collected", "note_carrier_collection", "Say by a link what the customer has paid to the carrier",
		"In cash or otherwise, at the pickup or the delivery, as the payment plan says, from the pickup on. By default all that is left of it. "+
			"The same again within five minutes is one report.",
		Refusals(carrying.ErrInvalidCollection, loadsapi.ErrNothingToCollect, carrying.ErrNotPickedUp, store.ErrNoLoad))
	web.Register(r, collected, a.collect)
	cancel := operation(show, http.MethodPost, "/cancel", "cancel_carrier_dispatch", "Give a load back by a link",
		"Before it was picked up. The carrier no longer sees it.", Refusals(store.ErrInvalidDispatch, errOnBoard, store.ErrNoLoad))
	web.Register(r, cancel, a.cancel)
}
