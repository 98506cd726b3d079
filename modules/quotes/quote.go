package quotes

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/quotes/quotesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// quote is a row of quotes_quotes: a price that is named for a load. Once it was sent, it does not change.
type quote struct {
	resource.Row

	Number       string                           `json:"number" field:"number=Q-{yyyy}-{seq:5},search,title,sort" doc:"Later quotes of a load have the number of the first one, with -v2 and so on."`
	Load         *uuid.UUID                       `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load" doc:"The load must not be booked yet."`
	Revision     int64                            `json:"revision" field:"readonly,sort" doc:"Which quote of the load it is, from 1."`
	State        status                           `json:"state" field:"sort"`
	Currency     money.Currency                   `json:"currency" field:"readonly" doc:"That of the load."`
	Lines        resource.JSON[[]line]            `json:"lines" field:"max=150,scope=loads:margins" required:"false" doc:"Each vehicle of the load has a transport. By default the prices of the load; without any, those of the formula."`
	Options      resource.JSON[[]option]          `json:"options" field:"max=3,scope=loads:margins" required:"false" doc:"Among which the customer chooses; the first is standard."`
	PlanTemplate string                           `json:"plan_template" gorm:"column:plan_template" field:"default=deposit_cod" enum:"deposit_cod,full_pay,carrier_pays_broker,account" doc:"How the customer pays, as in the payment plans of loads."`
	ValidUntil   *time.Time                       `json:"valid_until" field:"sort" doc:"By default valid_days of the settings after it is sent."`
	Message      string                           `json:"message" field:"max=2000,nofilter" doc:"To the customer."`
	Tariff       money.Amount                     `json:"tariff" field:"readonly,sort,scope=loads:margins" required:"false" doc:"What the customer pays with the option standard."`
	CarrierPay   money.Amount                     `json:"carrier_pay" field:"readonly,sort,scope=loads:margins" required:"false" doc:"What a carrier is expected to get."`
	BrokerFee    money.Amount                     `json:"broker_fee" field:"readonly,sort,scope=loads:margins" required:"false"`
	Deposit      money.Amount                     `json:"deposit" field:"readonly,scope=loads:margins" required:"false" doc:"What the customer pays at booking with the option standard, by the plan_template."`
	Offered      resource.JSON[loadsapi.Snapshot] `json:"snapshot" gorm:"column:snapshot" field:"readonly,scope=loads:margins" required:"false" doc:"The load as it was when the quote was made."`
	Priced       resource.JSON[pricing]           `json:"pricing" gorm:"column:pricing" field:"readonly,scope=loads:margins" required:"false" doc:"How the prices were found."`
	Terms        string                           `json:"terms" field:"readonly,nofilter" doc:"The terms of the settings when it was sent."`
	SentAt       *time.Time                       `json:"sent_at" field:"readonly,sort"`
	SeenAt       *time.Time                       `json:"first_viewed_at" gorm:"column:first_viewed_at" field:"readonly,sort" doc:"When the customer saw it first."`
	Views        int64                            `json:"view_count" gorm:"column:view_count" field:"readonly" doc:"How often its page was shown in a browser, up to 1000."`
	Option       string                           `json:"accepted_option" gorm:"column:accepted_option" field:"readonly" doc:"The key of the option that was accepted."`
	AcceptedAt   *time.Time                       `json:"accepted_at" field:"readonly,sort"`
	AcceptedBy   string                           `json:"accepted_by" gorm:"column:accepted_by" field:"readonly,personal" doc:"The name entered on acceptance."`
	Address      string                           `json:"accepted_from" gorm:"column:accepted_from" field:"readonly,personal" doc:"The IP address of the acceptance by link."`
	EndReason    string                           `json:"end_reason" field:"readonly,nofilter" doc:"Why it was declined, recalled or superseded."`
	WarnedAt     *time.Time                       `json:"-" gorm:"column:warned_at" field:"hidden"`
}

// TableName implements GORM's naming.
func (quote) TableName() string { return "quotes_quotes" }

// MarshalJSON leaves out what the caller may not see.
func (q quote) MarshalJSON() ([]byte, error) {
	type plain quote

	return resource.MarshalRow(&q.Row, plain(q))
}

// status is a state of a quote.
type status string

const (
	draft      status = "draft"
	sent       status = "sent"
	viewed     status = "viewed"
	accepted   status = "accepted"
	declined   status = "declined"
	expired    status = "expired"
	recalled   status = "recalled"
	superseded status = "superseded"
)

// openStates are those of which a load has one quote at most.
var openStates = []status{draft, sent, viewed}

// What is done to a quote, beside what is done to every resource.
const (
	verbSend    resource.Verb = "send"
	verbView    resource.Verb = "view"
	verbAccept  resource.Verb = "accept"
	verbDecline resource.Verb = "decline"
	verbExpire  resource.Verb = "expire"
	verbRecall  resource.Verb = "recall"
	verbRevise  resource.Verb = "revise"
	verbWarn    resource.Verb = "warn"
	// verbSupersede ends an open quote because of what became of its load.
	verbSupersede resource.Verb = "supersede"
)

// lifecycle is the life of quotes. Whatever a customer was shown ends in a state of its own, and is kept.
var lifecycle = state.Machine[status]{
	Item: quotesapi.Quote, Initial: draft, Final: []status{accepted, superseded},
	Steps: []state.Step[status]{
		{From: []status{draft}, Verb: string(verbSend), To: sent, Who: state.Who{Scope: "send"}},
		{From: []status{sent}, Verb: string(verbView), To: viewed, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []status{sent, viewed}, Verb: string(verbAccept), To: accepted, Guard: state.NewTimedGuard("it has not expired", unexpired)},
		{From: []status{sent, viewed}, Verb: string(verbDecline), To: declined},
		{From: []status{sent, viewed}, Verb: string(verbExpire), To: expired, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []status{sent, viewed}, Verb: string(verbRecall), To: recalled},
		{From: []status{sent, viewed, declined, expired, recalled}, Verb: string(verbRevise), To: superseded},
		{From: openStates, Verb: string(verbSupersede), To: superseded, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
	},
}

// unexpired refuses a quote that was sent and has expired, though nothing has moved it on yet.
func unexpired(_ context.Context, q quote, now time.Time) error {
	if !q.ValidUntil.After(now) {
		return errExpired
	}

	return nil
}

func (q quote) open() bool { return q.State == sent || q.State == viewed }

func (q quote) about() quotesapi.About {
	a := quotesapi.About{Quote: q.ID.String()}
	if q.Load != nil {
		a.Load = q.Load.String()
	}

	return a
}

var (
	errInvalid    = errs.New(errs.Invalid, "quotes.invalid_quote", "The given data was invalid.")
	errOpen       = errs.New(errs.Conflict, "quotes.open", "The load has an open quote. Revise it, or delete its draft.")
	errFrozen     = errs.New(errs.Conflict, "quotes.frozen", "A quote that was sent does not change. Revise it.")
	errChanged    = errs.New(errs.Conflict, "quotes.load_changed", "The load has changed since the quote was made. Calculate a draft again, or save it again to keep its prices; revise a quote that was sent.")
	errSuperseded = errs.New(errs.Conflict, "quotes.superseded", "There is a newer offer. Answer that one.")
	errExpired    = errs.New(errs.Conflict, "quotes.expired", "The offer has expired. Ask for a new one.")
	errOver       = errs.New(errs.Conflict, "quotes.not_open", "The offer is no longer open.")
	errNoPrice    = errs.New(errs.Conflict, "quotes.no_price", "The quote has no price yet. Give its lines amounts, or calculate it.")
)

func rules() resource.Rules[quote] {
	return resource.Rules[quote]{
		Item: quotesapi.Quote, Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "A price that is named for a load, with up to three options. Once it was sent, it does not change.",
		Life:  resource.LifeOf(lifecycle, func(q *quote) *status { return &q.State }),
		Own:   []resource.Verb{resource.Create, verbSend, verbAccept, verbDecline, verbRecall, verbRevise},
		Errors: []*errs.Error{
			errOpen, errFrozen, loadsapi.ErrNotFound, loadsapi.ErrNotForSale, loadsapi.ErrPlanFixed,
		},
		Failures: resource.Failures{Invalid: errInvalid},
		Events: resource.Events[quote]{
			verbSend:    func(q quote) events.Event { return quotesapi.Sent{About: q.about()} },
			verbView:    func(q quote) events.Event { return quotesapi.Viewed{About: q.about()} },
			verbAccept:  func(q quote) events.Event { return quotesapi.Accepted{About: q.about()} },
			verbDecline: func(q quote) events.Event { return quotesapi.Declined{About: q.about()} },
			verbExpire:  func(q quote) events.Event { return quotesapi.Expired{About: q.about()} },
			verbWarn:    func(q quote) events.Event { return quotesapi.Expiring{About: q.about()} },
		},
	}
}
