package dispatches

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// offer is a row of dispatches_offers: a load that is offered to a carrier, and what both have said.
type offer struct {
	resource.Row

	Number       string                  `json:"number" field:"number=O-{yyyy}-{seq:5},search,title,sort"`
	Load         uuid.UUID               `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load"`
	Carrier      uuid.UUID               `json:"carrier_uuid" gorm:"column:carrier_id" field:"required,fixed,item=carriers.carrier"`
	Mode         string                  `json:"mode" field:"readonly,default=direct,sort" enum:"direct,broadcast,sequential" doc:"sequential: the next carrier is asked when one has declined or has not answered."`
	Batch        *uuid.UUID              `json:"batch_uuid" gorm:"column:batch_id" field:"readonly" doc:"The offers that were made by one request."`
	Rank         int64                   `json:"rank" field:"readonly,sort" doc:"Which of its batch it is, from 1."`
	State        status                  `json:"state" field:"sort"`
	Amount       money.Amount            `json:"amount" field:"readonly,sort" doc:"What the carrier ends up with, as it stands now."`
	Currency     money.Currency          `json:"currency" field:"readonly" doc:"That of the load."`
	PickupDate   field.Date              `json:"pickup_date" field:"readonly,sort" doc:"As it stands now; empty if the carrier is to name it."`
	DeliveryDate field.Date              `json:"delivery_date" field:"readonly,sort"`
	Turn         string                  `json:"turn" field:"readonly" doc:"Who is to answer: carrier or broker; empty if nobody is."`
	Minutes      int64                   `json:"minutes" field:"readonly" doc:"For how long the carrier can answer."`
	ExpiresAt    *time.Time              `json:"expires_at" field:"readonly,sort" doc:"Until when it can be answered; null until it is sent."`
	SentAt       *time.Time              `json:"sent_at" field:"readonly,sort"`
	SeenAt       *time.Time              `json:"first_viewed_at" gorm:"column:first_viewed_at" field:"readonly,sort" doc:"When the carrier first saw its page in a browser."`
	AnsweredAt   *time.Time              `json:"answered_at" field:"readonly,sort" doc:"When the carrier first answered."`
	AnsweredBy   string                  `json:"answered_by" gorm:"column:answered_by" field:"readonly,personal" doc:"The name that was entered by whoever accepted it."`
	AnsweredFrom string                  `json:"answered_from" gorm:"column:answered_from" field:"readonly,personal" doc:"The IP address of whoever last answered by the link."`
	IdentifiedAt *time.Time              `json:"identified_at" field:"readonly,sort" doc:"When whoever has the link has proved by a code to be the carrier."`
	Said         resource.JSON[[]entry]  `json:"transactions" gorm:"column:transactions" field:"readonly" doc:"What both have said, in that order. Nothing is taken off it."`
	Channels     resource.JSON[[]string] `json:"channels" field:"readonly" doc:"How the carrier is written to."`
	Message      string                  `json:"message" field:"readonly,nofilter" doc:"To the carrier."`
	LateAt       *time.Time              `json:"late_response_at" gorm:"column:late_response_at" field:"readonly,sort" doc:"When the carrier accepted although the offer had expired: accept it all the same."`
	Reminders    int64                   `json:"reminders" field:"readonly"`
	RemindedAt   *time.Time              `json:"reminded_at" field:"readonly"`
	Dispatch     *uuid.UUID              `json:"dispatch_uuid" gorm:"column:dispatch_id" field:"readonly" doc:"What came of it."`
	EndReason    string                  `json:"end_reason" field:"readonly,nofilter" doc:"Why it was declined or withdrawn."`
}

// TableName implements GORM's naming.
func (offer) TableName() string { return "dispatches_offers" }

// entry is something that was said of an offer.
type entry struct {
	N        int          `json:"n"`
	Type     string       `json:"type" enum:"offer,counter,accept,decline,withdraw,expire,reactivate,extend,supersede,late_response,ask"`
	Party    string       `json:"party" enum:"broker,carrier,system"`
	User     *uuid.UUID   `json:"user_uuid,omitempty" doc:"The user who said it for the company."`
	Amount   money.Amount `json:"amount,omitempty"`
	Pickup   field.Date   `json:"pickup_date,omitempty"`
	Delivery field.Date   `json:"delivery_date,omitempty"`
	Note     string       `json:"note,omitempty"`
	At       time.Time    `json:"at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (entry) SchemaName() string { return "OfferTransaction" }

// status is a state of an offer.
type status string

const (
	queued     status = "queued"
	offered    status = "offered"
	countered  status = "countered"
	accepted   status = "accepted"
	declined   status = "declined"
	expired    status = "expired"
	withdrawn  status = "withdrawn"
	superseded status = "superseded"
)

// The parties of an offer.
const (
	broker  = "broker"
	carrier = "carrier"
	system  = "system"
)

// What is done to an offer, beside what is done to every resource.
const (
	verbSend       resource.Verb = "send"
	verbView       resource.Verb = "view"
	verbAsk        resource.Verb = "ask"
	verbCounter    resource.Verb = "counter_by_carrier"
	verbReply      resource.Verb = "counter"
	verbAccept     resource.Verb = "accept"
	verbDecline    resource.Verb = "decline"
	verbWithdraw   resource.Verb = "withdraw"
	verbExpire     resource.Verb = "expire"
	verbSupersede  resource.Verb = "supersede"
	verbReactivate resource.Verb = "reactivate"
	verbLate       resource.Verb = "answer_late"
	verbRemind     resource.Verb = "remind"
	verbExtend     resource.Verb = "extend"
	verbIdentify   resource.Verb = "identify"
)

// life is the life of offers.
var life = state.Machine[status]{
	Item: dispatchesapi.Offer, Initial: queued, Final: []status{accepted, superseded},
	Steps: []state.Step[status]{
		{From: []status{queued}, Verb: string(verbSend), To: offered},
		{From: []status{offered}, Verb: string(verbCounter), To: countered, Guard: state.NewTimedGuard("it has not expired", unexpired), Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []status{countered}, Verb: string(verbReply), To: offered, Guard: state.NewTimedGuard("it has not expired", unexpired)},
		{From: []status{offered, countered}, Verb: string(verbAccept), To: accepted, Guard: state.NewTimedGuard("it has not expired, or its carrier accepted it afterwards", acceptedInTime)},
		{From: []status{expired}, Verb: string(verbAccept), To: accepted, Guard: state.NewGuard("its carrier accepted it afterwards", acceptedLate)},
		{From: []status{offered, countered}, Verb: string(verbDecline), To: declined},
		{From: []status{queued, offered, countered}, Verb: string(verbWithdraw), To: withdrawn},
		{From: []status{offered, countered}, Verb: string(verbExpire), To: expired, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []status{queued, offered, countered}, Verb: string(verbSupersede), To: superseded, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []status{declined, expired, withdrawn}, Verb: string(verbReactivate), To: offered},
	},
}

// unexpired refuses an offer that has expired, though nothing has moved it on yet.
func unexpired(_ context.Context, o offer, now time.Time) error {
	if o.past(now) {
		return errExpired
	}

	return nil
}

func (o offer) past(now time.Time) bool { return !o.ExpiresAt.After(now) }

// acceptedInTime refuses an offer that has expired and that its carrier has not accepted afterwards.
func acceptedInTime(ctx context.Context, o offer, now time.Time) error {
	if o.LateAt != nil {
		return nil
	}

	return unexpired(ctx, o, now)
}

// acceptedLate refuses an offer that its carrier has not accepted after it expired.
func acceptedLate(_ context.Context, o offer) error {
	if o.LateAt == nil {
		return errExpired
	}

	return nil
}

// open reports whether an offer can be answered, if it has not expired meanwhile.
func (o offer) open() bool { return o.State == offered || o.State == countered }

func (o offer) about() dispatchesapi.AboutOffer {
	return dispatchesapi.AboutOffer{Offer: o.ID.String(), Load: o.Load.String(), Carrier: o.Carrier.String()}
}

var (
	errInvalid  = errs.New(errs.Invalid, "dispatches.invalid_offer", "The given data was invalid.")
	errTaken    = errs.New(errs.Conflict, "dispatches.vehicle_taken", "The vehicles are taken. Another carrier has them.")
	errExpired  = errs.New(errs.Conflict, "dispatches.offer_expired", "The offer has expired.")
	errTurn     = errs.New(errs.Conflict, "dispatches.not_your_turn", "It is the other side's turn.")
	errNothing  = errs.New(errs.Conflict, "dispatches.nothing_changed", "This is what stands already. Accept it, or name something else.")
	errRounds   = errs.New(errs.Conflict, "dispatches.rounds_used_up", "There were as many counters as there may be. Accept what stands, or decline.")
	errWindow   = errs.New(errs.Invalid, "dispatches.dates_outside_window", "The given data was invalid.")
	errTerms    = errs.New(errs.Conflict, "dispatches.terms_changed", "The offer has changed meanwhile. Look at it again.")
	errOver     = errs.New(errs.Conflict, "dispatches.not_open", "The offer is no longer open.")
	errReminded = errs.New(errs.TooMany, "dispatches.reminded_recently", "The carrier was reminded a short time ago, or often enough.")
	errOpen     = errs.New(errs.Conflict, "dispatches.offer_open", "The carrier has an open offer for the load.")
)

func offerRules() resource.Rules[offer] {
	of := func(make func(a dispatchesapi.AboutOffer) events.Event) func(o offer) events.Event {
		return func(o offer) events.Event { return make(o.about()) }
	}

	return resource.Rules[offer]{
		Item: dispatchesapi.Offer, Sort: []string{"-created_at"}, KeepDeleted: true, WriteAccess: web.Scope("offer"),
		About: "A load that is offered to a carrier, and what both have said of it.",
		Life:  resource.LifeOf(life, func(o *offer) *status { return &o.State }),
		Own: []resource.Verb{
			resource.Create, resource.Update, resource.Delete, resource.Restore, verbSend, verbCounter, verbReply, verbAccept, verbDecline, verbWithdraw, verbReactivate,
		},
		Failures: resource.Failures{Invalid: errInvalid, Taken: errOpen},
		Errors:   []*errs.Error{errTaken, loadsapi.ErrNotReady},
		Events: resource.Events[offer]{
			verbSend:       of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferSent{AboutOffer: a} }),
			verbReactivate: of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferReactivated{AboutOffer: a} }),
			verbView:       of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferViewed{AboutOffer: a} }),
			verbCounter:    of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferCountered{AboutOffer: a} }),
			verbReply:      of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferReplied{AboutOffer: a} }),
			verbAccept:     of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferAccepted{AboutOffer: a} }),
			verbDecline:    of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferDeclined{AboutOffer: a} }),
			verbExpire:     of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferExpired{AboutOffer: a} }),
			verbWithdraw:   of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferWithdrawn{AboutOffer: a} }),
			verbSupersede:  of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferSuperseded{AboutOffer: a} }),
			verbLate:       of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.LateResponse{AboutOffer: a} }),
			verbExtend:     of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferExtended{AboutOffer: a} }),
			verbRemind:     of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.Reminded{AboutOffer: a} }),
		},
	}
}
