package dispatches

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/remark"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sheet is what the links of carriers are for: to an offer, and then to the load that the carrier has; or to a dispatch.
const sheet link.Purpose = "dispatches.carrier"

const (
	sheetLife    = 90 * 24 * time.Hour
	maxSheetLife = 366 * 24 * time.Hour
)

var (
	errNoSheet   = errs.New(errs.NotFound, "dispatches.link_closed", "This link is no longer valid. Ask for a new one.")
	errAnswer    = errs.New(errs.Invalid, "dispatches.invalid_answer", "The given data was invalid.")
	errNoOffer   = errs.New(errs.Conflict, "dispatches.no_offer", "There is no offer to answer. It was withdrawn, or has been answered.")
	errNoLoad    = errs.New(errs.Conflict, "dispatches.no_load", "You do not have this load.")
	errNotNow    = errs.New(errs.Conflict, "dispatches.not_now", "The load cannot be given to you now. Please call us.")
	errCallUs    = errs.New(errs.Conflict, "carriers.blocked", "The load cannot be given to you. Please call us.")
	errCollected = errs.New(errs.Invalid, "loads.invalid_load", "The given data was invalid.")
	errOnBoard   = errs.New(errs.Conflict, "dispatches.loaded", "The vehicles were picked up already. Call us.")
	errNotYet    = errs.New(errs.Conflict, "dispatches.not_picked_up", "The vehicles were not picked up yet. Say what was paid from the pickup on.")
	errTooEarly  = errs.New(errs.Invalid, "dispatches.invalid_update", "The given data was invalid.")
)

// carrierPage is what a carrier sees by its link.
type carrierPage struct {
	Brand    page.Brand           `json:"brand"`
	Broker   brokerShown          `json:"broker"`
	Offer    *offerShown          `json:"offer" doc:"Null if the load was given to the carrier without one."`
	Dispatch *dispatchShown       `json:"dispatch" doc:"Null unless the carrier has the load, or has had it."`
	Proof    *proof               `json:"identity" doc:"What is asked for before the offer can be accepted: a code to one of the channels. Null for nothing."`
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

// sheets are what carriers see and do by their links.
type sheets struct {
	desk  *desk
	notes *remark.Reader
}

func newSheets(d *desk, notes *remark.Reader) sheets { return sheets{d, notes} }

func linkRoutes(r *web.Router, s sheets) {
	show := newPages()
	refusals := append([]*errs.Error{errNoSheet}, link.Refusals...)
	answers := append([]*errs.Error{errAnswer, store.ErrOfferExpired, store.ErrNotYourTurn, store.ErrNotOpen, store.ErrVehicleTaken, store.ErrTermsChanged, errNoOffer}, refusals...)
	one := func(method, path, id, summary, description string, failures []*errs.Error) web.Operation {
		return web.Operation{
			Method: method, Path: "/carrier/{link}" + path, ID: id, Access: web.Public, Summary: summary, Description: description, Errors: failures, Page: show.answered(nil),
		}
	}
	read := one(http.MethodGet, "", "read_carrier_page", "Read what a carrier was offered, or has, by its link", "Reading changes nothing. With Accept: text/html, the response is a page.", refusals)
	read.Page = show.sheet
	web.Register(r, read, s.readSheet)
	viewed := one(http.MethodPost, "/viewed", "note_carrier_view", "Say that a carrier's page was shown in a browser", "The page's script does it, so that mail scanners do not count.", refusals)
	viewed.Page = nil
	web.Register(r, viewed, s.noteView)
	accept := one(http.MethodPost, "/accept", "accept_carrier_offer", "Accept an offer by a link", "The carrier has the load, and sees all of it. Accepting twice is accepting once.",
		append([]*errs.Error{store.ErrOutsideWindow, errNotNow, errCallUs, errIdentity}, answers...))
	accept.Form, accept.Page = acceptForm, show.answered(acceptFields(offerShown{}, ""))
	web.Register(r, accept, s.acceptByLink)
	counter := one(http.MethodPost, "/counter", "counter_carrier_offer", "Ask for something else by a link", "What the body leaves out stays as it stands.", append([]*errs.Error{store.ErrInvalidOffer, store.ErrNothingChanged, store.ErrNoRoundsLeft, store.ErrOutsideWindow}, answers...))
	counter.Form, counter.Page = formOf("amount", "pickup_date", "delivery_date", "note"), show.answered(counterFields(offerShown{}, ""))
	web.Register(r, counter, s.counterByLink)
	decline := one(http.MethodPost, "/decline", "decline_carrier_offer", "Decline an offer by a link", "", answers)
	decline.Form, decline.Page = formOf("note"), show.answered(declineFields(offerShown{}, ""))
	web.Register(r, decline, s.declineByLink)
	update := one(http.MethodPost, "/update", "update_carrier_dispatch", "Say by a link who comes, and when", "What the body leaves out stays.", append([]*errs.Error{errTooEarly, store.ErrInvalidDispatch, errNoLoad}, refusals...))
	update.Form, update.Page = formOf("eta_pickup", "eta_delivery"), show.answered(updateFields(store.Crew{}, "", "", ""))
	web.Register(r, update, s.updateByLink)
	confirm := one(http.MethodPost, "/confirm", "confirm_carrier_dispatch", "Accept by a link the terms of a load as they are now", "Such as another pay, or other days. Accepting twice is accepting once.",
		append([]*errs.Error{errAnswer, store.ErrTermsChanged, errNoLoad}, refusals...))
	confirm.Form, confirm.Page = confirmForm, show.answered(confirmFields(0, ""))
	web.Register(r, confirm, s.confirmByLink)
	collected := one(http.MethodPost, "/collected", "note_carrier_collection", "Say by a link what the customer has paid to the carrier", "In cash or otherwise, at the pickup or the delivery, as the payment plan says, from the pickup on. By default all that is left of it. "+
		"The same again within five minutes is one report.",
		append([]*errs.Error{errCollected, loadsapi.ErrNothingToCollect, errNotYet, errNoLoad}, refusals...))
	collected.Form, collected.Page = formOf("amount", "method"), show.answered(collectFields("", ""))
	web.Register(r, collected, s.collectByLink)
	cancel := one(http.MethodPost, "/cancel", "cancel_carrier_dispatch", "Give a load back by a link", "Before it was picked up. The carrier no longer sees it.", append([]*errs.Error{store.ErrInvalidDispatch, errOnBoard, errNoLoad}, refusals...))
	cancel.Form, cancel.Page = formOf("reason", "note"), show.answered(cancelFields(nil, ""))
	web.Register(r, cancel, s.cancelByLink)
}

// held is what a link leads to. Each may be nil.
type held struct {
	offer    *store.Offer
	dispatch *store.Dispatch
}

// enter returns what a link leads to, and the context of its company. It changes nothing.
func (s sheets) enter(ctx context.Context, text string) (context.Context, held, error) {
	ctx, found, err := s.desk.links.Enter(ctx, sheet, text)
	if err != nil {
		return ctx, held{}, err
	}
	h, id := held{}, found.Subject.ID
	if found.Subject.Type == dispatchesapi.Offer {
		o, err := s.desk.offers.Find(ctx, id)
		switch {
		case errs.IsRefusal(err) && err != nil, err == nil && o.State == store.Queued:
			return ctx, h, errNoSheet
		case err != nil:
			return ctx, h, err
		}
		if h.offer = &o; o.Dispatch == nil {
			return ctx, h, nil
		}
		id = *o.Dispatch
	}
	row, err := s.desk.dispatches.Find(ctx, id)
	if errs.IsRefusal(err) && err != nil {
		err = errNoSheet
	}
	h.dispatch = &row

	return ctx, h, err
}

type readSheetInput struct {
	Link    string `path:"link" maxLength:"200" doc:"Text of the link."`
	Problem string `query:"problem" maxLength:"100" pattern:"^[a-z0-9_.]*$" patternDescription:"the code of an error" doc:"Code of the error that the page explains."`
}

type sheetOutput struct{ Body carrierPage }

func (s sheets) readSheet(ctx context.Context, in *readSheetInput) (*sheetOutput, error) {
	ctx, h, err := s.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return s.show(ctx, h, in.Problem)
}

// show is what a carrier sees.
func (s sheets) show(ctx context.Context, h held, problem string) (*sheetOutput, error) {
	brand, err := s.desk.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	terms, err := s.desk.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	p := carrierPage{
		Brand: page.Brand{Name: brand.Name, Color: brand.PrimaryColor}, Broker: brokerShown{terms.Now.USDOT, terms.Now.Docket, terms.Now.Phone},
		Terms: terms.Now.Terms, Reasons: []preferences.Reason{}, Notes: []string{}, Warnings: []store.Warning{}, Load: rawjson.Object("{}"), Problem: problem,
	}
	company, err := s.desk.brands.Identity(ctx)
	if err != nil {
		return nil, err
	}
	p.Broker.USDOT, p.Broker.Docket = cmp.Or(p.Broker.USDOT, company.USDOT), cmp.Or(p.Broker.Docket, company.Docket)
	var load uuid.UUID
	if o := h.offer; o != nil {
		p.Offer = showOffer(*o, s.desk.now())
		load = o.Load
		if o.IsOpen() && h.dispatch == nil {
			of, err := s.desk.standings.Standing(ctx, load.String())
			if err := store.IgnoreRefusal(err); err != nil {
				return nil, err
			}
			if store.IsCarried(of) { // the offer ends in a moment
				p.Offer.State, p.Offer.YourTurn = store.Superseded, false
			}
		}
	}
	if row := h.dispatch; row != nil {
		p.Dispatch, p.Terms, load = showDispatch(*row), row.Terms, row.Load
		for _, r := range terms.Now.EndReasons {
			if r.Responsible == store.Carrier || r.Responsible == "customer" || r.Responsible == "" {
				p.Reasons = append(p.Reasons, r)
			}
		}
	}
	if h.dispatch == nil && p.Offer.State != store.Offered && p.Offer.State != store.Countered || h.dispatch != nil && !h.dispatch.IsLive() {
		return &sheetOutput{p}, nil
	}
	seen, err := s.seen(ctx, h, load.String())
	if errors.Is(err, loadsapi.ErrNotFound) {
		return &sheetOutput{p}, nil
	}
	if err != nil {
		return nil, err
	}
	p.Load = rawjson.Object(seen)
	p.Warnings = append(p.Warnings, h.warnings(seen)...)
	if h.dispatch != nil {
		p.Inspect = s.linksDrivers()
		p.Notes, err = s.notes.About(ctx, item.Ref{Type: loadsapi.Load, UUID: load}, store.Carrier)

		return &sheetOutput{p}, err
	}
	is, err := loadview.FactsOf(seen, h.offer.Terms(terms.Now.Terms))
	if err != nil {
		return nil, err
	}
	p.Offer.Key = is.Key()
	if p.Offer.Changes = append(p.Offer.Changes, h.offer.ChangesSinceAnswer()...); h.offer.ShownKey != "" {
		p.Offer.Changes = append(p.Offer.Changes, is.ChangesFrom(h.offer.Shown.V)...)
	}
	p.Proof, err = gate{s.desk}.proof(ctx, *h.offer)

	return &sheetOutput{p}, err
}

// seen is a load as a carrier sees it. Of an offer, it is for the current amount, with the payments that are agreed on with it.
func (s sheets) seen(ctx context.Context, h held, load string) ([]byte, error) {
	if h.dispatch == nil {
		seen, err := newViewer(s.desk).seen(ctx, *h.offer)

		return seen.JSON, err
	}
	seen, err := s.desk.views.Carrier(ctx, load)

	return seen.JSON, err
}

// warnings are what may be wrong with the day of a pickup that is still to come.
func (h held) warnings(seen []byte) []store.Warning {
	var l loadview.Load
	if json.Unmarshal(seen, &l) != nil {
		return nil
	}
	of := loadsapi.Standing{AvailableFrom: l.AvailableFrom}
	switch row := h.dispatch; {
	case row == nil:
		return store.WarningsOf(of, h.offer.PickupDate)
	case row.State == store.Assigned:
		return store.WarningsOf(of, row.PickupDate)
	}

	return nil
}

// showOffer is an offer as its carrier sees it at a time.
func showOffer(o store.Offer, now time.Time) *offerShown {
	s := &offerShown{
		Number: o.Number, State: o.State, Shown: len(o.Transactions.V), YourTurn: o.Turn == store.Carrier, Amount: o.Amount, Currency: o.Currency, Pickup: o.PickupDate, Delivery: o.DeliveryDate,
		ExpiresAt: o.ExpiresAt, Message: o.Message, Changes: []loadview.Change{},
	}
	if o.IsOpen() && !o.ExpiresAt.After(now) {
		s.State, s.YourTurn = store.Expired, false
	}

	return s
}

// showDispatch is a dispatch as its carrier sees it. Of one that was canceled, it sees just that.
func showDispatch(d store.Dispatch) *dispatchShown {
	s := &dispatchShown{Number: d.Number, State: d.State}
	if !d.IsLive() {
		return s
	}
	s.Crew = store.Crew{DriverName: d.DriverName, DriverPhone: d.DriverPhone, Truck: d.Truck, TruckPlate: d.TruckPlate}
	s.AcceptedRevision = d.AcceptedRevision
	s.Revision, s.CarrierPay, s.Currency, s.Pickup, s.Delivery, s.ETAPickup, s.ETADelivery = d.Revision, d.CarrierPay, d.Currency, d.PickupDate, d.DeliveryDate, d.ETAPickup, d.ETADelivery

	return s
}

type viewInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

func (s sheets) noteView(ctx context.Context, in *viewInput) (*struct{}, error) {
	ctx, h, err := s.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	now := s.desk.now()
	if o := h.offer; o != nil && o.SeenAt == nil {
		_, err = s.desk.offers.Change(ctx, o.ID, web.IfMatch{}, store.VerbView, func(_ context.Context, o *store.Offer) error {
			o.SeenAt = cmp.Or(o.SeenAt, &now)

			return nil
		})
	}
	if row := h.dispatch; err == nil && row != nil && (row.SeenAt == nil || now.Sub(*row.SeenAt) > time.Hour) {
		_, err = s.desk.dispatches.Change(ctx, row.ID, web.IfMatch{}, store.VerbSeen, func(_ context.Context, row *store.Dispatch) error {
			row.SeenAt = &now

			return nil
		})
	}

	return nil, err
}

type acceptByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Crew     store.Crew `json:"crew,omitzero"`
		Shown    int        `json:"shown" minimum:"1" doc:"The shown of the offer that is accepted."`
		Key      string     `json:"shown_key,omitempty" maxLength:"500" doc:"The shown_key of what was shown. If it is left out, the offer is accepted only if nothing has changed since the transaction that shown names."`
		Pickup   field.Date `json:"pickup_date,omitempty" doc:"By default as it stands."`
		Delivery field.Date `json:"delivery_date,omitempty"`
		Name     string     `json:"name" maxLength:"200" doc:"Who accepts."`
		Accepted bool       `json:"accepted" doc:"Whether the load and the terms are accepted."`
	}
}

func (s sheets) acceptByLink(ctx context.Context, in *acceptByLinkInput) (*sheetOutput, error) {
	ctx, h, err := s.enter(ctx, in.Link)
	switch {
	case err != nil:
		return nil, err
	case h.offer == nil:
		return nil, errNoOffer
	}
	b := in.Body
	if wrong := consent(b.Name, b.Accepted); len(wrong.Fields) > 0 {
		return nil, wrong
	}
	_, err = s.desk.accept(ctx, h.offer.ID, web.IfMatch{}, store.Proposal{
		Party: store.Carrier, Pickup: b.Pickup, Delivery: b.Delivery, Shown: b.Shown, Key: b.Key, Name: strings.TrimSpace(b.Name), Address: web.ClientIP(ctx),
	}, b.Crew)

	return s.again(ctx, in.Link, toCarrier(err))
}

// toCarrier is a failure as the carrier is told: without what is nobody's business but the company's.
func toCarrier(err error) error {
	switch failure, refused := errors.AsType[*errs.Error](err); {
	case !refused:
		return err
	case failure.Code == errCallUs.Code:
		return errCallUs
	case failure.Code == errOnBoard.Code:
		return errOnBoard
	case failure.Code == store.ErrCancelled.Code:
		return errNoLoad
	case failure.Code == errNoRecord.Code:
		return errNoRecord
	case failure.Code == loadsapi.ErrNotReady.Code, failure.Code == store.ErrUnsigned.Code, failure.Code == store.ErrOnHold.Code, failure.Code == "loads.plan_unbalanced",
		failure.Code == loadsapi.ErrPlanFixed.Code, failure.Code == loadsapi.ErrPayBelowCharges.Code:
		return errNotNow
	}

	return err
}

// again shows what a link leads to after an answer.
func (s sheets) again(ctx context.Context, text string, err error) (*sheetOutput, error) {
	if err != nil {
		return nil, err
	}

	return s.readSheet(ctx, &readSheetInput{Link: text})
}

type counterByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Shown    int          `json:"shown" minimum:"1" doc:"The shown of the offer that is answered."`
		Key      string       `json:"shown_key,omitempty" maxLength:"500" doc:"The shown_key of what was shown."`
		Amount   money.Amount `json:"amount,omitempty" example:"950.00"`
		Pickup   field.Date   `json:"pickup_date,omitempty"`
		Delivery field.Date   `json:"delivery_date,omitempty"`
		Note     string       `json:"note,omitempty" maxLength:"500"`
	}
}

func (s sheets) counterByLink(ctx context.Context, in *counterByLinkInput) (*sheetOutput, error) {
	return s.answer(ctx, in.Link, func(ctx context.Context, id uuid.UUID) error {
		b := in.Body
		_, err := s.desk.counter(ctx, id, web.IfMatch{}, store.Proposal{
			Party: store.Carrier, Amount: b.Amount, Pickup: b.Pickup, Delivery: b.Delivery, Note: strings.TrimSpace(b.Note), Shown: b.Shown, Key: b.Key, Address: web.ClientIP(ctx),
		})

		return err
	})
}

type declineByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Shown int    `json:"shown" minimum:"1"`
		Note  string `json:"note,omitempty" maxLength:"500"`
	}
}

func (s sheets) declineByLink(ctx context.Context, in *declineByLinkInput) (*sheetOutput, error) {
	return s.answer(ctx, in.Link, func(ctx context.Context, id uuid.UUID) error {
		_, err := s.desk.end(ctx, id, web.IfMatch{}, store.VerbDecline, store.Proposal{Party: store.Carrier, Note: in.Body.Note, Shown: in.Body.Shown, Address: web.ClientIP(ctx)})

		return err
	})
}

// answer does what a carrier answers to an offer.
func (s sheets) answer(ctx context.Context, text string, do func(ctx context.Context, id uuid.UUID) error) (*sheetOutput, error) {
	ctx, h, err := s.enter(ctx, text)
	if err == nil && h.offer == nil {
		err = errNoOffer
	}
	if err == nil {
		err = s.count(ctx, h.offer.ID)
	}
	if err == nil {
		err = do(ctx, h.offer.ID)
	}

	return s.again(ctx, text, err)
}

type updateByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Crew        store.Crew `json:"crew,omitzero"`
		ETAPickup   string     `json:"eta_pickup,omitempty" maxLength:"40" doc:"On a clock at the first stop, or with an offset." example:"2026-12-03T14:00"`
		ETADelivery string     `json:"eta_delivery,omitempty" maxLength:"40" doc:"On a clock at the last stop, or with an offset."`
	}
}

func (s sheets) updateByLink(ctx context.Context, in *updateByLinkInput) (*sheetOutput, error) {
	return s.carry(ctx, in.Link, func(ctx context.Context, row store.Dispatch) error {
		wrong := errTooEarly
		first, last := loadview.Zones(row.Snapshot)
		var etas [2]*time.Time
		for i, one := range []struct {
			name, text string
			in         *time.Location
		}{{"eta_pickup", in.Body.ETAPickup, first}, {"eta_delivery", in.Body.ETADelivery, last}} {
			if one.text == "" {
				continue
			}
			at, err := momentOf(one.text, one.in)
			if err != nil {
				wrong = wrong.WithField(one.name, "The time must be one on a clock at the stop, such as 2026-12-03T14:00.")
			}
			etas[i] = &at
		}
		if len(wrong.Fields) > 0 {
			return wrong
		}
		_, err := s.desk.dispatches.Change(ctx, row.ID, web.IfMatch{}, resource.Update, func(_ context.Context, row *store.Dispatch) error {
			in.Body.Crew.ApplyTo(row)
			was := *row
			row.ETAPickup, row.ETADelivery = cmp.Or(etas[0], row.ETAPickup), cmp.Or(etas[1], row.ETADelivery)
			if wrong := row.CheckETAs(was, s.desk.now(), errTooEarly); len(wrong.Fields) > 0 {
				return wrong
			}

			return nil
		})

		return err
	})
}

type confirmByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Revision int64  `json:"revision" minimum:"1" doc:"The revision of the dispatch that is accepted."`
		Name     string `json:"name" maxLength:"200" doc:"Who accepts."`
		Accepted bool   `json:"accepted" doc:"Whether the terms are accepted."`
	}
}

func (s sheets) confirmByLink(ctx context.Context, in *confirmByLinkInput) (*sheetOutput, error) {
	return s.carry(ctx, in.Link, func(ctx context.Context, row store.Dispatch) error {
		b := in.Body
		if wrong := consent(b.Name, b.Accepted); len(wrong.Fields) > 0 {
			return wrong
		}
		_, err := s.desk.dispatches.Change(ctx, row.ID, web.IfMatch{}, store.VerbConfirm, func(_ context.Context, row *store.Dispatch) error {
			switch now := s.desk.now(); {
			case !row.IsLive():
				return errNoLoad
			case row.Revision != b.Revision:
				return store.ErrTermsChanged
			case row.AcceptedRevision < row.Revision:
				row.AcceptedRevision, row.AcceptedPay, row.AcceptedAt, row.AcceptedBy, row.AcceptedFrom = row.Revision, row.CarrierPay, &now, strings.TrimSpace(b.Name), web.ClientIP(ctx)
			}

			return nil
		})

		return err
	})
}

// consent refuses an acceptance by nobody, and none.
func consent(name string, accepted bool) *errs.Error {
	wrong := errAnswer
	if strings.TrimSpace(name) == "" {
		wrong = wrong.WithField("name", "The name is required.")
	}
	if !accepted {
		wrong = wrong.WithField("accepted", "Accept the load to have it.")
	}

	return wrong
}

type collectByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Amount money.Amount `json:"amount,omitempty" example:"900.00"`
		Method string       `json:"method,omitempty" enum:"cash,certified_check,check,cashiers_check,money_order,comchek,ach,wire,direct_deposit,credit_card,venmo,cashapp,zelle,uship,other" doc:"By default as agreed."`
	}
}

func (s sheets) collectByLink(ctx context.Context, in *collectByLinkInput) (*sheetOutput, error) {
	return s.carry(ctx, in.Link, func(ctx context.Context, row store.Dispatch) error {
		if in.Body.Amount != "" && !store.IsPayable(in.Body.Amount, row.Currency) {
			return errCollected.WithField("amount", store.AmountRule)
		}

		return s.desk.db.InTx(ctx, func(ctx context.Context) error {
			of, err := s.desk.standings.Held(ctx, row.Load.String())
			switch {
			case err != nil:
				return err
			case !store.IsCarried(of) || of.Carrier != row.Carrier.String():
				return errNoLoad
			case of.State == loadsapi.Dispatched:
				return errNotYet
			}
			seen, err := s.desk.views.Carrier(ctx, of.Load)
			if err != nil {
				return err
			}
			if in.Body.Amount != "" && loadview.Load(seen.Load).WasReported(in.Body.Amount, in.Body.Method, s.desk.now().Add(-repeatLife)) {
				return nil
			}

			return s.desk.collections.Collected(ctx, of.Load, loadsapi.Collected{
				Amount: string(in.Body.Amount), Method: in.Body.Method, Note: "Said by the carrier, dispatch " + row.Number + ".",
			})
		})
	})
}

// repeatLife is for how long the same report of a payment is taken for a repetition, such as a second tap.
const repeatLife = 5 * time.Minute

type cancelByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Reason string `json:"reason" maxLength:"40" doc:"The id of one of cancel_reasons."`
		Note   string `json:"note,omitempty" maxLength:"500"`
	}
}

func (s sheets) cancelByLink(ctx context.Context, in *cancelByLinkInput) (*sheetOutput, error) {
	return s.carry(ctx, in.Link, func(ctx context.Context, row store.Dispatch) error {
		_, err := s.desk.cancel(ctx, row.ID, web.IfMatch{}, store.VerbCarrierCancel, in.Body.Reason, in.Body.Note)

		return toCarrier(err)
	})
}

// carry does what a carrier says of the load that it has.
func (s sheets) carry(ctx context.Context, text string, do func(ctx context.Context, row store.Dispatch) error) (*sheetOutput, error) {
	ctx, h, err := s.enter(ctx, text)
	if err == nil && (h.dispatch == nil || !h.dispatch.IsLive()) {
		err = errNoLoad
	}
	if err == nil {
		err = s.count(ctx, h.dispatch.ID)
	}
	if err == nil {
		err = do(ctx, *h.dispatch)
	}

	return s.again(ctx, text, err)
}

// A carrier changes an offer or a dispatch by a link so often at most.
const changesPerHour, changesPerDay = 60, 200

// count counts a change by a link of an offer or a dispatch. Error: link.ErrTooOften.
func (s sheets) count(ctx context.Context, id uuid.UUID) error {
	return s.desk.given.AllowEntries(ctx, "changes of "+id.String(), 1, changesPerHour, changesPerDay)
}

// formOf makes the body of what a form of the page sends.
func formOf(names ...string) func(form url.Values) any {
	return func(form url.Values) any { return bodyOf(form, names...) }
}

func bodyOf(form url.Values, names ...string) map[string]any {
	body := map[string]any{}
	for _, name := range names {
		if text := strings.TrimSpace(form.Get(name)); text != "" {
			body[name] = text
		}
	}
	if text, entered := body["amount"].(string); entered {
		body["amount"] = page.EnteredAmount(text)
	}
	who := map[string]any{}
	for _, name := range []string{"driver_name", "driver_phone", "truck", "truck_plate"} {
		if text := strings.TrimSpace(form.Get(name)); text != "" {
			who[name] = text
		}
	}
	if len(who) > 0 {
		body["crew"] = who
	}
	if text := form.Get("shown_key"); text != "" {
		body["shown_key"] = text
	}
	if text := form.Get("shown"); text != "" {
		body["shown"] = text
		if n, err := strconv.Atoi(text); err == nil {
			body["shown"] = n
		}
	}

	return body
}

func acceptForm(form url.Values) any {
	body := bodyOf(form, "pickup_date", "delivery_date")
	body["name"], body["accepted"] = form.Get("name"), form.Get("accepted") == "true"

	return body
}

func confirmForm(form url.Values) any {
	body := bodyOf(form, "name", "revision")
	body["accepted"] = form.Get("accepted") == "true"
	if n, err := strconv.Atoi(form.Get("revision")); err == nil {
		body["revision"] = n
	}

	return body
}

const localTime = "2006-01-02T15:04"

// momentOf reads a time with an offset, or one on a clock in a zone.
func momentOf(text string, in *time.Location) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.ParseInLocation(localTime, text, in)
	}

	return at.UTC().Truncate(time.Second), err
}
