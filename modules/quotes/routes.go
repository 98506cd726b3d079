package quotes

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

const base = "/quotes/api/v1"

// refusals are those of all that is done to a quote, and more.
func refusals(quotes *resource.Resource[quote], more ...*errs.Error) []*errs.Error {
	return append([]*errs.Error{quotes.NotFound(), errInvalid, state.ErrNotAllowed, state.ErrMoved, loadsapi.ErrNotForSale}, more...)
}

func draftRoutes(r *web.Router, d *drafts) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/quotes", ID: "create_quote", Access: web.Write, Summary: "Make a quote for a load",
		Description: "The load must not be booked yet, and have no other open quote. Without lines, the quote has the prices of the load; without any, those of the formula.",
		Errors:      []*errs.Error{errInvalid, errOpen, loadsapi.ErrNotForSale, loadsapi.ErrPlanFixed},
	}, d.create)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/quotes/{uuid}/calculate", ID: "calculate_quote", Access: web.Write, Summary: "Price a draft by the formula",
		Description: "Lines and options are replaced by those of the formula; charges of the load stay.",
		Errors:      refusals(d.quotes, errFrozen, errNoPrice, loadsapi.ErrPlanFixed, routeengineapi.ErrUnknownPlace, routeengineapi.ErrNoRoad, routeengineapi.ErrFormulaFailed),
	}, func(ctx context.Context, in *oneInput) (*web.Resource[quote], error) {
		row, err := d.recalculate(ctx, in.UUID, in.IfMatch)

		return d.quotes.Answer(ctx, row, err)
	})
}

func sendRoutes(r *web.Router, o *outbox) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/quotes/{uuid}/send", ID: "send_quote", Access: web.Scope("send"), Secret: true, Summary: "Send a quote to the customer",
		Description: "`tariff`, or If-Match, says which price is sent. The quote is frozen, the load has its prices, and is quoted. Only this response has the text of the link, by which the customer accepts or declines. The link always shows the latest offer for the load. If none of the recipients can be reached, nothing is sent, and the quote stays a draft.",
		Errors:      refusals(o.quotes, errChanged, errNoPrice, errTariff, errOnHold, loadsapi.ErrPlanFixed, errLinePaid, share.ErrRecipient, link.ErrPortalOff, notify.ErrNoChannel, state.ErrNotYours),
	}, o.send)
	share.Routes(r, o.given, share.Operations{
		Path: "/quotes/{uuid}/shares", Name: "quote_share", Summary: "by which the customer answers a quote", Access: web.Scope("send"),
		Description: "Of a quote that was sent. It always shows the latest offer for the load.",
		Purpose:     offering, Subject: o.letters.subject, Give: o.letters.give, Errors: []*errs.Error{o.quotes.NotFound(), errDraft},
	})
}

func acceptRoutes(r *web.Router, t *till) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/quotes/{uuid}/accept", ID: "accept_quote", Access: web.Write, Summary: "Accept a quote for the customer",
		Description: "Such as on the phone. The load is booked at the price of the option, which `tariff`, or If-Match, names. The same acceptance again changes nothing.",
		Errors:      refusals(t.quotes, errDraft, errSuperseded, errExpired, errOver, errChanged, errTariff, errNotBookable, errOnHold, loadsapi.ErrPlanFixed, errLinePaid),
	}, func(ctx context.Context, in *acceptInput) (*web.Resource[quote], error) {
		row, err := t.accept(ctx, in.UUID, in.IfMatch, acceptance{
			Option: in.Body.Option, Name: in.Body.Name, AvailableFrom: string(in.Body.AvailableFrom), Note: in.Body.Note, Party: toBroker, Tariff: in.Body.Tariff,
		})

		return t.quotes.Answer(ctx, row, err)
	})
}

func endingRoutes(r *web.Router, s *endings) {
	failures := refusals(s.quotes)
	ending := func(verb, id, summary, description string, do func(ctx context.Context, in *endInput) (quote, error)) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/quotes/{uuid}/" + verb, ID: id, Access: web.Write, Summary: summary, Description: description, Errors: failures,
		}, func(ctx context.Context, in *endInput) (*web.Resource[quote], error) {
			row, err := do(ctx, in)

			return s.quotes.Answer(ctx, row, err)
		})
	}
	ending("decline", "decline_quote", "Decline a quote for the customer", "The load stays quoted: lose it if nothing else is to be offered.",
		func(ctx context.Context, in *endInput) (quote, error) {
			return s.end(ctx, in.UUID, in.IfMatch, verbDecline, in.Body.Reason, customer)
		})
	ending("recall", "recall_quote", "Take a quote back", "The customer can no longer accept it.", func(ctx context.Context, in *endInput) (quote, error) {
		return s.end(ctx, in.UUID, in.IfMatch, verbRecall, in.Body.Reason, toBroker)
	})
}

func reviseRoutes(r *web.Router, v *revisions) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/quotes/{uuid}/revise", ID: "revise_quote", Access: web.Write, Summary: "Make a new quote in place of one",
		Description: "The quote is superseded, and can no longer be accepted; the response is a draft with its prices. If the load is another transport by now, the formula prices it.",
		Errors:      refusals(v.quotes, errNoPrice, loadsapi.ErrPlanFixed, routeengineapi.ErrUnknownPlace, routeengineapi.ErrNoRoad, routeengineapi.ErrFormulaFailed),
	}, func(ctx context.Context, in *reviseInput) (*web.Resource[quote], error) {
		row, err := v.revise(ctx, in.UUID, in.IfMatch, in.Body.Calculate)

		return v.quotes.Answer(ctx, row, err)
	})
}

var (
	errDraft       = errs.New(errs.Conflict, "quotes.draft", "The quote was not sent yet. Send it first.")
	errTariff      = errs.New(errs.Conflict, "quotes.tariff_differs", "The quote, or its option, has another tariff than the one that you name. See details.tariff.")
	errOnHold      = errs.New(errs.Conflict, "loads.on_hold", "The load is on hold. Release it first.")
	errLinePaid    = errs.New(errs.Conflict, "loads.line_paid", "Something was paid on a line of the payment plan. Take it back first, or add another line.")
	errNotBookable = errs.New(errs.Conflict, "loads.not_bookable", "The load cannot be booked yet. See details.missing.")
)

const customer = "customer"

type createInput struct {
	Body struct {
		Load         uuid.UUID `json:"load_uuid"`
		Lines        []line    `json:"lines,omitempty" maxItems:"150" nullable:"false" doc:"Each vehicle of the load has a transport."`
		Options      []option  `json:"options,omitempty" maxItems:"3" nullable:"false" doc:"The first is standard, which is there by default."`
		PlanTemplate string    `json:"plan_template,omitempty" enum:"deposit_cod,full_pay,carrier_pays_broker,account" default:"deposit_cod"`
		ValidUntil   time.Time `json:"valid_until,omitzero" doc:"By default valid_days of the settings after it is sent."`
		Message      string    `json:"message,omitempty" maxLength:"2000" doc:"To the customer."`
	}
}

func (d *drafts) create(ctx context.Context, in *createInput) (*web.Resource[quote], error) {
	b := in.Body
	if len(b.Lines) > 0 || len(b.Options) > 0 {
		if err := d.quotes.MaySet(ctx, "lines"); err != nil {
			return nil, err
		}
	}
	q := quote{Load: &b.Load, PlanTemplate: cmp.Or(b.PlanTemplate, "deposit_cod"), Message: b.Message}
	q.Lines.V, q.Options.V = b.Lines, b.Options
	if !b.ValidUntil.IsZero() {
		until := b.ValidUntil.UTC()
		q.ValidUntil = &until
	}
	row, err := d.quotes.Create(ctx, q)

	return d.quotes.Answer(ctx, row, err)
}

type oneInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type sendInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Tariff money.Amount      `json:"tariff,omitempty" doc:"The tariff of the quote, as you read it. Required without If-Match." example:"1100.00"`
		To     []share.Recipient `json:"to,omitempty" maxItems:"5" nullable:"false" doc:"To whom the link is sent."`
	}
}

type sendOutput struct {
	Body struct {
		Quote quote       `json:"quote"`
		Share share.Share `json:"share"`
	}
}

// outbox sends quotes to customers.
type outbox struct {
	quotes  *resource.Resource[quote]
	sender  *sender
	letters *letters
	given   *share.Service
	db      *database.DB
}

func newOutbox(quotes *resource.Resource[quote], s *sender, l *letters, given *share.Service, db *database.DB) *outbox {
	return &outbox{quotes, s, l, given, db}
}

func (o *outbox) send(ctx context.Context, in *sendInput) (*sendOutput, error) {
	out := &sendOutput{}
	err := o.db.InTx(ctx, func(ctx context.Context) (err error) {
		if out.Body.Quote, err = o.sender.release(ctx, in.UUID, in.IfMatch, in.Body.Tariff); err != nil {
			return err
		}
		given, err := o.letters.give(ctx, in.UUID)
		if err != nil {
			return err
		}
		given.Sales = true
		if out.Body.Share, err = o.given.Give(ctx, given, share.Create{To: in.Body.To}); err != nil {
			return err
		}

		return out.Body.Share.Reached()
	})
	if err != nil {
		return nil, err
	}

	return out, o.quotes.Show(ctx, nil, &out.Body.Quote)
}

type acceptInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Option        string       `json:"option,omitempty" enum:"standard,priority,guaranteed" default:"standard"`
		Tariff        money.Amount `json:"tariff,omitempty" doc:"The tariff of the option, as you read it. Required without If-Match." example:"1100.00"`
		Name          string       `json:"name,omitempty" maxLength:"200" doc:"Who accepted it."`
		AvailableFrom field.Date   `json:"available_from,omitempty" doc:"The first day on which the vehicles can be picked up; by default that of the load."`
		Note          string       `json:"note" minLength:"1" maxLength:"500" doc:"How the customer accepted it." example:"On the phone"`
	}
}

type endInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason,omitempty" maxLength:"500"`
	}
}

type reviseInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Calculate bool `json:"calculate,omitempty" doc:"Whether the formula prices it anew."`
	}
}
