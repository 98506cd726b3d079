package dispatches

import (
	"context"
	"slices"
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
	Load         uuid.UUID               `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load,search"`
	Carrier      uuid.UUID               `json:"carrier_uuid" gorm:"column:carrier_id" field:"required,fixed,item=carriers.carrier"`
	Mode         string                  `json:"mode" field:"readonly,default=direct,sort" enum:"direct,broadcast,sequential" doc:"sequential: the next carrier is asked when one has declined or has not answered."`
	Batch        *uuid.UUID              `json:"batch_uuid" gorm:"column:batch_id" field:"readonly" doc:"The offers that were made by one request."`
	Rank         int64                   `json:"rank" field:"readonly,sort" doc:"Which of its batch it is, from 1."`
	State        status                  `json:"state" field:"sort"`
	Amount       money.Amount            `json:"amount" field:"readonly,sort,scope=loads:margins" required:"false" doc:"What the carrier ends up with, as it stands now."`
	Currency     money.Currency          `json:"currency" field:"readonly" doc:"That of the load."`
	PickupDate   field.Date              `json:"pickup_date" field:"readonly,sort" doc:"As it stands now; empty if the carrier is to name it."`
	DeliveryDate field.Date              `json:"delivery_date" field:"readonly,sort"`
	Turn         string                  `json:"turn" field:"readonly" doc:"Who is to answer: carrier or broker; empty if nobody is."`
	Minutes      int64                   `json:"minutes" field:"readonly" doc:"For how long the carrier can answer."`
	ExpiresAt    *time.Time              `json:"expires_at" field:"readonly,sort" doc:"Until when it can be answered; null until it is sent."`
	SentAt       *time.Time              `json:"sent_at" field:"readonly,sort"`
	SeenAt       *time.Time              `json:"first_viewed_at" gorm:"column:first_viewed_at" field:"readonly,sort" doc:"When the carrier first saw its page in a browser."`
	AnsweredAt   *time.Time              `json:"answered_at" field:"readonly,sort" doc:"When the carrier first answered."`
	AnsweredBy   string                  `json:"answered_by" gorm:"column:answered_by" field:"readonly,personal" doc:"The name entered on acceptance."`
	AnsweredFrom string                  `json:"answered_from" gorm:"column:answered_from" field:"readonly,personal" doc:"The IP address of whoever last answered by the link."`
	IdentifiedAt *time.Time              `json:"identified_at" field:"readonly,sort" doc:"When a person with the link proved by a code to be the carrier."`
	ClaimedUSDOT string                  `json:"claimed_usdot" gorm:"column:claimed_usdot" field:"readonly" doc:"The USDOT number that was named by the link of a carrier that the company did not have; until a code proves it, no carrier has it by that."`
	Said         resource.JSON[[]entry]  `json:"transactions" gorm:"column:transactions" field:"readonly" doc:"What both have said, in that order. Nothing is taken off it."`
	Channels     resource.JSON[[]string] `json:"channels" field:"readonly" doc:"How the carrier is written to."`
	Message      string                  `json:"message" field:"readonly,nofilter" doc:"To the carrier."`
	LateAt       *time.Time              `json:"late_response_at" gorm:"column:late_response_at" field:"readonly,sort" doc:"When the carrier accepted although the offer had expired: accept it all the same."`
	Reminders    int64                   `json:"reminders" field:"readonly"`
	RemindedAt   *time.Time              `json:"reminded_at" field:"readonly"`
	Dispatch     *uuid.UUID              `json:"dispatch_uuid" gorm:"column:dispatch_id" field:"readonly" doc:"What came of it."`
	EndReason    string                  `json:"end_reason" field:"readonly,nofilter" doc:"Why it was declined or withdrawn."`
	ShownKey     string                  `json:"shown_key" gorm:"column:shown_key" field:"readonly,nofilter" doc:"Stands for all that the carrier is shown: the load, the pay, the days and the terms. Empty until it is sent."`
	Shown        resource.JSON[facts]    `json:"-" gorm:"column:shown" field:"hidden"`
	Warnings     []offerWarning          `json:"warnings,omitempty" field:"-" gorm:"-" doc:"What may be wrong; only in responses to writes."`
}

// TableName implements GORM's naming.
func (offer) TableName() string { return "dispatches_offers" }

// MarshalJSON leaves out what the caller may not see.
func (o offer) MarshalJSON() ([]byte, error) {
	type plain offer

	return resource.MarshalRow(&o.Row, plain(o))
}

// entry is something that was said of an offer.
type entry struct {
	N        int           `json:"n"`
	Type     string        `json:"type" enum:"offer,counter,accept,decline,withdraw,expire,reactivate,extend,supersede,late_response,ask,revise" doc:"revise: the load is another one than the carrier was shown before."`
	Party    string        `json:"party" enum:"broker,carrier,system"`
	User     *uuid.UUID    `json:"user_uuid,omitempty" doc:"The user who said it for the company."`
	Amount   money.Amount  `json:"amount,omitempty" field:"scope=loads:margins"`
	Pickup   field.Date    `json:"pickup_date,omitempty"`
	Delivery field.Date    `json:"delivery_date,omitempty"`
	Note     string        `json:"note,omitempty"`
	Changes  []offerChange `json:"changes,omitempty" nullable:"false" doc:"Of revise: what has changed."`
	At       time.Time     `json:"at"`
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
	verbRevise     resource.Verb = "revise"
	verbClaim      resource.Verb = "claim_number"
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

// byCarrier reports whether the terms of an offer are those that its carrier named last, and that the company has not answered by its own.
func (o offer) byCarrier() bool {
	for _, e := range slices.Backward(o.Said.V) {
		switch e.Type {
		case "counter":
			return e.Party == carrier
		case "offer", string(verbReactivate):
			return false
		}
	}

	return false
}

// namesVersion reports whether a request is for one version of a row, and not for any.
func namesVersion(match web.IfMatch) bool { return match.IfMatch != "" && match.IfMatch != "*" }

// named refuses a request that does not say which terms it is for.
func named(match web.IfMatch, shown int) error {
	if shown == 0 && !namesVersion(match) {
		return errUnnamed
	}

	return nil
}

// lastRevised are the fields that the last revision has changed.
func (o offer) lastRevised() []string {
	for _, e := range slices.Backward(o.Said.V) {
		if e.Type == string(verbRevise) {
			return fieldsOf(e.Changes)
		}
	}

	return []string{}
}

// unseen is what has changed of the load since its carrier last answered, or was last sent the offer.
func (o offer) unseen() (changes []offerChange) {
	for _, e := range slices.Backward(o.Said.V) {
		switch {
		case e.Type == string(verbRevise):
			changes = append(slices.Clone(e.Changes), changes...)
		case e.Party == carrier, e.Type == "offer", e.Type == string(verbReactivate):
			return changes
		}
	}

	return changes
}

func (o offer) about() dispatchesapi.AboutOffer {
	return dispatchesapi.AboutOffer{Offer: o.ID.String(), Load: o.Load.String(), Carrier: o.Carrier.String()}
}

var (
	errInvalid  = errs.New(errs.Invalid, "dispatches.invalid_offer", "The given data was invalid.")
	errTaken    = errs.New(errs.Conflict, "dispatches.vehicle_taken", "The vehicles are taken. Another carrier has them.")
	errExpired  = errs.New(errs.Conflict, "dispatches.offer_expired", "The offer has expired. Ask for a new one.")
	errTurn     = errs.New(errs.Conflict, "dispatches.not_your_turn", "It is the other side's turn. Wait for its answer.")
	errNothing  = errs.New(errs.Conflict, "dispatches.nothing_changed", "Your counter-offer equals the current terms. Accept them, or change the amount or the days.")
	errRounds   = errs.New(errs.Conflict, "dispatches.rounds_used_up", "No counter-offers are left. Accept the current terms or decline.")
	errWindow   = errs.New(errs.Invalid, "dispatches.dates_outside_window", "The given data was invalid.")
	errTerms    = errs.New(errs.Conflict, "dispatches.terms_changed", "The offer has changed meanwhile. Look at it again. See details.fields.")
	errUnnamed  = errInvalid.WithField("shown", "The `shown` is required: how many transactions the offer had when you read it. Or send If-Match with the ETag of the offer.")
	errOver     = errs.New(errs.Conflict, "dispatches.not_open", "The offer is no longer open.")
	errReminded = errs.New(errs.TooMany, "dispatches.reminded_recently", "The carrier was reminded less than 30 minutes ago.")
	errOpen     = errs.New(errs.Conflict, "dispatches.offer_open", "The carrier has an open offer for the load. Change or withdraw that one.")
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
			verbRevise: func(o offer) events.Event {
				return dispatchesapi.OfferRevised{AboutOffer: o.about(), Fields: o.lastRevised()}
			},
			verbLate:   of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.LateResponse{AboutOffer: a} }),
			verbExtend: of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferExtended{AboutOffer: a} }),
			verbRemind: of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.Reminded{AboutOffer: a} }),
		},
	}
}
