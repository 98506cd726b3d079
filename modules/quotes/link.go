package quotes

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/quotes/quotesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// offering is what the links are for by which customers answer offers. They are to loads: a link always shows the latest offer.
const offering link.Purpose = "quotes.offer"

const (
	linkLife    = 90 * 24 * time.Hour
	maxLinkLife = 366 * 24 * time.Hour
)

var (
	errNotTaken = errs.New(errs.Invalid, "quotes.not_accepted", "The given data was invalid.")
)

// subject is what the links of a quote lead to.
func (d *desk) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	q, err := d.quotes.Find(ctx, id)
	if err != nil {
		return link.Subject{}, err
	}

	return link.Subject{Type: loadsapi.Load, ID: *q.Load}, nil
}

// give is the link to the offers for the load of a quote.
func (d *desk) give(ctx context.Context, id uuid.UUID) (share.Given, error) {
	q, err := d.quotes.Find(ctx, id)
	if err != nil {
		return share.Given{}, err
	}
	if q.State == draft {
		return share.Given{}, errDraft
	}
	of, err := d.sales.ForSale(ctx, q.Load.String())
	if err != nil {
		return share.Given{}, err
	}
	brand, err := d.brands.Brand(ctx)

	return share.Given{
		Purpose: offering, Subject: link.Subject{Type: loadsapi.Load, ID: *q.Load}, Page: base + "/offers/",
		Title: "Your offer for the transport " + of.Number, Text: brand.Name + ": your offer for the transport " + of.Number + " is here.", About: item.Ref{Type: quotesapi.Quote, UUID: q.ID},
	}, err
}

// offer is a quote as the customer sees it.
type offer struct {
	Brand         page.Brand     `json:"brand"`
	Quote         uuid.UUID      `json:"quote_uuid" doc:"Send it along with the answer, so that it is to what was shown."`
	Number        string         `json:"number"`
	State         status         `json:"state" enum:"sent,viewed,accepted,declined,expired,recalled,superseded"`
	Message       string         `json:"message"`
	From          string         `json:"from"`
	To            string         `json:"to"`
	Stops         []string       `json:"stops" nullable:"false" doc:"All places in their order."`
	Vehicles      []offerVehicle `json:"vehicles" nullable:"false"`
	TransportType string         `json:"transport_type"`
	Miles         int64          `json:"miles" doc:"0 if they are not known."`
	FromDays      int64          `json:"transit_from_days"`
	ToDays        int64          `json:"transit_to_days"`
	AvailableFrom field.Date     `json:"available_from" doc:"The first day on which the vehicles can be picked up; empty if the answer is to name it."`
	Lines         []offerLine    `json:"lines" nullable:"false"`
	Options       []option       `json:"options" nullable:"false"`
	Currency      money.Currency `json:"currency"`
	Deposit       money.Amount   `json:"deposit" doc:"What is due at booking, with the option that was accepted; before, with the option standard."`
	ValidUntil    *time.Time     `json:"valid_until"`
	Zone          string         `json:"time_zone" doc:"Of the first stop, else of the company."`
	Terms         string         `json:"terms"`
	Option        string         `json:"accepted_option"`
	Problem       string         `json:"problem" doc:"The problem of the query, for the page."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (offer) SchemaName() string { return "Offer" }

// offerVehicle is a vehicle as the customer sees it.
type offerVehicle struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Operable bool   `json:"operable"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (offerVehicle) SchemaName() string { return "OfferVehicle" }

// offerLine is a line as the customer sees it.
type offerLine struct {
	Description string       `json:"description"`
	Amount      money.Amount `json:"amount" doc:"Negative for a discount."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (offerLine) SchemaName() string { return "OfferLine" }

func linkRoutes(r *web.Router, d *desk) {
	show := newFace()
	refusals := append([]*errs.Error{d.quotes.NotFound()}, link.Refusals...)
	answering := append([]*errs.Error{errSuperseded, errExpired, errOver, errChanged, errInvalid, state.ErrNotAllowed}, refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/offers/{link}", ID: "read_offer", Access: web.Public, Summary: "Read the latest offer by a link",
		Description: "Reading changes nothing. With Accept: text/html, the response is a page on which the customer accepts or declines.", Errors: refusals, Page: show.Page,
	}, d.readOffer)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{link}/viewed", ID: "note_offer_view", Access: web.Public, Summary: "Say that the offer was shown in a browser",
		Description: "The page's script does it, so that mail scanners do not count.", Errors: refusals,
	}, d.noteView)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{link}/accept", ID: "accept_offer", Access: web.Public, Summary: "Accept the offer by a link",
		Description: "The transport is booked at the price of the option. Accepting twice in the same way is accepting once.",
		Errors:      append([]*errs.Error{errNotTaken, errNotBookable, errOnHold, loadsapi.ErrNotForSale, loadsapi.ErrPlanFixed, errLinePaid}, answering...), TakesForm: true, Page: show.After,
	}, d.acceptOffer)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{link}/decline", ID: "decline_offer", Access: web.Public, Summary: "Decline the offer by a link",
		Errors: answering, TakesForm: true, Page: show.After,
	}, d.declineOffer)
}

// enter returns the latest offer of a link, and the context of its company. It changes nothing.
func (d *desk) enter(ctx context.Context, text string) (context.Context, quote, error) {
	ctx, found, err := d.links.Enter(ctx, offering, text)
	if err != nil {
		return ctx, quote{}, err
	}
	q, err := d.rows.shown(ctx, found.Subject.ID)
	if errors.Is(err, errNone) {
		err = d.quotes.NotFound()
	}

	return ctx, q, err
}

// answered is enter for an answer to an offer, which is to be the one that was shown.
func (d *desk) answered(ctx context.Context, text string, to uuid.UUID) (context.Context, quote, error) {
	ctx, q, err := d.enter(ctx, text)
	if err == nil && q.ID != to {
		err = forCustomer(errSuperseded.WithDetail("current", map[string]any{"uuid": q.ID, "number": q.Number}))
	}

	return ctx, q, err
}

type offerInput struct {
	Link    string `path:"link" maxLength:"200" doc:"Text of the link."`
	Problem string `query:"problem" maxLength:"100" pattern:"^[a-z0-9_.]*$" patternDescription:"the code of an error" doc:"Code of the error that the page explains."`
}

type offerOutput struct{ Body offer }

func (d *desk) readOffer(ctx context.Context, in *offerInput) (*offerOutput, error) {
	ctx, q, err := d.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return d.showOffer(ctx, q, in.Problem)
}

func (d *desk) showOffer(ctx context.Context, q quote, problem string) (*offerOutput, error) {
	brand, err := d.brands.Brand(ctx)
	of := q.Offered.V
	o := offer{
		Brand: page.Brand{Name: brand.Name, Color: brand.PrimaryColor}, Quote: q.ID, Number: q.Number, State: q.State, Message: q.Message, Stops: []string{},
		Vehicles: []offerVehicle{}, TransportType: of.TransportType, Miles: of.Miles, FromDays: of.FromDays, ToDays: of.ToDays, AvailableFrom: field.Date(of.AvailableFrom),
		Lines: []offerLine{}, Options: listed(q.Options.V), Currency: q.Currency, Deposit: q.Deposit, ValidUntil: q.ValidUntil, Terms: q.Terms, Option: q.Option, Problem: problem,
	}
	if booked, is := q.option(q.Option); is {
		o.Deposit = booked.Deposit
	}
	if q.open() && !q.ValidUntil.After(d.now()) {
		o.State = expired
	}
	for _, s := range of.Stops {
		o.Zone = cmp.Or(o.Zone, s.TimeZone)
		o.Stops = append(o.Stops, strings.TrimSpace(strings.Trim(s.City+", "+s.State, ", ")+" "+s.PostalCode))
	}
	if o.Zone == "" {
		company, err := d.brands.Identity(ctx)
		if err != nil {
			return nil, err
		}
		o.Zone = company.TimeZone
	}
	if n := len(o.Stops); n > 0 {
		o.From, o.To = o.Stops[0], o.Stops[n-1]
	}
	for _, v := range of.Vehicles {
		o.Vehicles = append(o.Vehicles, offerVehicle{v.Name, v.Type, v.Operable})
	}
	for _, l := range q.Lines.V {
		amount := l.Amount
		if n, _ := q.units(amount); l.Kind == discount && n > 0 {
			amount = q.amount(-n)
		}
		o.Lines = append(o.Lines, offerLine{l.Description, amount})
	}

	return &offerOutput{o}, err
}

// answer runs an answer to an offer, and returns the offer as it is then.
func (d *desk) answer(ctx context.Context, do func() (quote, error)) (*offerOutput, error) {
	q, err := do()
	if err != nil {
		return nil, forCustomer(err)
	}

	return d.showOffer(ctx, q, "")
}

// forCustomer has a refusal say what it means for the customer: what the company is told to do about it is not for the customer to do.
func forCustomer(err error) error {
	refused, is := errors.AsType[*errs.Error](err)
	if !is {
		return err
	}
	text := problems[refused.Code]
	if _, newer := refused.Details["current"]; refused.Code == errSuperseded.Code && !newer {
		text = closedText
	}
	if text == "" {
		return err
	}

	return refused.WithMessage("%s", text)
}

type viewInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Quote uuid.UUID `json:"quote_uuid"`
	}
}

func (d *desk) noteView(ctx context.Context, in *viewInput) (*struct{}, error) {
	ctx, q, err := d.enter(ctx, in.Link)
	if err != nil || q.ID != in.Body.Quote || !q.open() {
		return nil, err
	}
	now := d.now()

	return nil, d.db.InTx(ctx, func(ctx context.Context) error {
		if err := d.onlyOpen(ctx, q.ID, verbView, func(ctx context.Context, q *quote) error {
			if q.State != sent {
				return nil
			}
			q.SeenAt = &now

			return d.quotes.Step(ctx, q, state.Move{Verb: string(verbView), Party: customer})
		}); err != nil {
			return err
		}

		return d.rows.countView(ctx, q.ID)
	})
}

type acceptOfferInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Quote         uuid.UUID  `json:"quote_uuid" doc:"The offer that was shown."`
		Option        string     `json:"option,omitempty" enum:"standard,priority,guaranteed" default:"standard"`
		Name          string     `json:"name" maxLength:"200" doc:"Who accepts."`
		Accepted      bool       `json:"accepted" doc:"Whether the terms are accepted."`
		AvailableFrom field.Date `json:"available_from,omitempty" doc:"The first day on which the vehicles can be picked up; required if the offer has none."`
	}
}

func (d *desk) acceptOffer(ctx context.Context, in *acceptOfferInput) (*offerOutput, error) {
	ctx, q, err := d.answered(ctx, in.Link, in.Body.Quote)
	if err != nil {
		return nil, err
	}
	wrong := errNotTaken
	if strings.TrimSpace(in.Body.Name) == "" {
		wrong = wrong.WithField("name", "The name is required.")
	}
	if !in.Body.Accepted {
		wrong = wrong.WithField("accepted", "Accept the offer to order the transport.")
	}
	today, err := d.quotes.Today(ctx)
	if err != nil {
		return nil, err
	}
	switch day := in.Body.AvailableFrom; {
	case day == "" && q.Offered.V.AvailableFrom == "" && q.open():
		wrong = wrong.WithField("available_from", "The first day for the pickup is required.")
	case day != "" && day < today:
		wrong = wrong.WithField("available_from", "The first day for the pickup must not be in the past.")
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}

	return d.answer(ctx, func() (quote, error) {
		return d.accept(ctx, q.ID, web.IfMatch{}, acceptance{
			Option: in.Body.Option, Name: strings.TrimSpace(in.Body.Name), Address: web.ClientIP(ctx), AvailableFrom: string(in.Body.AvailableFrom), Party: customer,
		})
	})
}

type declineOfferInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Quote  uuid.UUID `json:"quote_uuid" doc:"The offer that was shown."`
		Reason string    `json:"reason,omitempty" maxLength:"500"`
	}
}

func (d *desk) declineOffer(ctx context.Context, in *declineOfferInput) (*offerOutput, error) {
	ctx, q, err := d.answered(ctx, in.Link, in.Body.Quote)
	if err != nil {
		return nil, err
	}

	return d.answer(ctx, func() (quote, error) {
		if q.State == declined {
			return q, nil
		}
		if err := d.open(ctx, q); err != nil {
			return q, err
		}

		return d.end(ctx, q.ID, web.IfMatch{}, verbDecline, in.Body.Reason, customer)
	})
}
