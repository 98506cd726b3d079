package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
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

// Offer is a row of dispatches_offers: a load that is offered to a carrier, and how both negotiate.
type Offer struct {
	resource.Row

	Number       string                        `json:"number" field:"number=O-{yyyy}-{seq:5},search,title,sort"`
	Load         uuid.UUID                     `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load,search"`
	Carrier      uuid.UUID                     `json:"carrier_uuid" gorm:"column:carrier_id" field:"required,fixed,item=carriers.carrier"`
	Mode         string                        `json:"mode" field:"readonly,default=direct,sort" enum:"direct,broadcast,sequential" doc:"sequential: the next carrier is asked when one has declined or has not answered."`
	Batch        *uuid.UUID                    `json:"batch_uuid" gorm:"column:batch_id" field:"readonly" doc:"The offers that were made by one request."`
	Rank         int64                         `json:"rank" field:"readonly,sort" doc:"Which of its batch it is, from 1."`
	State        OfferState                    `json:"state" field:"sort"`
	Amount       money.Amount                  `json:"amount" field:"readonly,sort,scope=loads:margins" required:"false" doc:"What the carrier ends up with, as it stands now."`
	Currency     money.Currency                `json:"currency" field:"readonly" doc:"That of the load."`
	PickupDate   field.Date                    `json:"pickup_date" field:"readonly,sort" doc:"As it stands now; empty if the carrier is to name it."`
	DeliveryDate field.Date                    `json:"delivery_date" field:"readonly,sort"`
	Turn         string                        `json:"turn" field:"readonly" doc:"Who is to answer: carrier or broker; empty if nobody is."`
	Minutes      int64                         `json:"minutes" field:"readonly" doc:"For how long the carrier can answer."`
	ExpiresAt    *time.Time                    `json:"expires_at" field:"readonly,sort" doc:"Until when it can be answered; null until it is sent."`
	SentAt       *time.Time                    `json:"sent_at" field:"readonly,sort"`
	SeenAt       *time.Time                    `json:"first_viewed_at" gorm:"column:first_viewed_at" field:"readonly,sort" doc:"When the carrier first saw its page in a browser."`
	AnsweredAt   *time.Time                    `json:"answered_at" field:"readonly,sort" doc:"When the carrier first answered."`
	AnsweredBy   string                        `json:"answered_by" gorm:"column:answered_by" field:"readonly,personal" doc:"The name entered on acceptance."`
	AnsweredFrom string                        `json:"answered_from" gorm:"column:answered_from" field:"readonly,personal" doc:"The IP address of whoever last answered by the link."`
	IdentifiedAt *time.Time                    `json:"identified_at" field:"readonly,sort" doc:"When a person with the link proved by a code to be the carrier."`
	ClaimedUSDOT string                        `json:"claimed_usdot" gorm:"column:claimed_usdot" field:"readonly" doc:"The USDOT number that was named by the link of a carrier that the company did not have; until a code proves it, no carrier has it by that."`
	Transactions resource.JSON[[]Transaction]  `json:"transactions" gorm:"column:transactions" field:"readonly" doc:"What both have said, in that order. Nothing is taken off it."`
	Channels     resource.JSON[[]string]       `json:"channels" field:"readonly" doc:"How the carrier is written to."`
	Message      string                        `json:"message" field:"readonly,nofilter" doc:"To the carrier."`
	LateAt       *time.Time                    `json:"late_response_at" gorm:"column:late_response_at" field:"readonly,sort" doc:"When the carrier accepted although the offer had expired: accept it all the same."`
	Reminders    int64                         `json:"reminders" field:"readonly"`
	RemindedAt   *time.Time                    `json:"reminded_at" field:"readonly"`
	Dispatch     *uuid.UUID                    `json:"dispatch_uuid" gorm:"column:dispatch_id" field:"readonly" doc:"What came of it."`
	EndReason    string                        `json:"end_reason" field:"readonly,nofilter" doc:"Why it was declined or withdrawn."`
	ShownKey     string                        `json:"shown_key" gorm:"column:shown_key" field:"readonly,nofilter" doc:"Stands for all that the carrier is shown: the load, the pay, the days and the terms. Empty until it is sent."`
	Shown        resource.JSON[loadview.Facts] `json:"-" gorm:"column:shown" field:"hidden"`
	Warnings     []Warning                     `json:"warnings,omitempty" field:"-" gorm:"-" doc:"What may be wrong; only in responses to writes."`
}

// TableName implements GORM's naming.
func (Offer) TableName() string { return "dispatches_offers" }

// MarshalJSON leaves out what the caller may not see.
func (o Offer) MarshalJSON() ([]byte, error) {
	type plain Offer

	return resource.MarshalRow(&o.Row, plain(o))
}

// Transaction is one step of the negotiation of an offer.
type Transaction struct {
	N        int               `json:"n"`
	Type     string            `json:"type" enum:"offer,counter,accept,decline,withdraw,expire,reactivate,extend,supersede,late_response,ask,revise" doc:"revise: the load is another one than the carrier was shown before."`
	Party    string            `json:"party" enum:"broker,carrier,system"`
	User     *uuid.UUID        `json:"user_uuid,omitempty" doc:"The user who said it for the company."`
	Amount   money.Amount      `json:"amount,omitempty" field:"scope=loads:margins"`
	Pickup   field.Date        `json:"pickup_date,omitempty"`
	Delivery field.Date        `json:"delivery_date,omitempty"`
	Note     string            `json:"note,omitempty"`
	Changes  []loadview.Change `json:"changes,omitempty" nullable:"false" doc:"Of revise: what has changed."`
	At       time.Time         `json:"at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Transaction) SchemaName() string { return "OfferTransaction" }

// OfferState is a state of an offer.
type OfferState string

// The states of an offer.
const (
	Queued     OfferState = "queued"
	Offered    OfferState = "offered"
	Countered  OfferState = "countered"
	Accepted   OfferState = "accepted"
	Declined   OfferState = "declined"
	Expired    OfferState = "expired"
	Withdrawn  OfferState = "withdrawn"
	Superseded OfferState = "superseded"
)

// The parties of an offer.
const (
	Broker  = "broker"
	Carrier = "carrier"
	System  = "system"
)

// What is done to an offer, beside what is done to every resource.
const (
	VerbSend       resource.Verb = "send"
	VerbView       resource.Verb = "view"
	verbAsk        resource.Verb = "ask"
	VerbCounter    resource.Verb = "counter_by_carrier"
	VerbReply      resource.Verb = "counter"
	VerbAccept     resource.Verb = "accept"
	VerbDecline    resource.Verb = "decline"
	VerbWithdraw   resource.Verb = "withdraw"
	VerbExpire     resource.Verb = "expire"
	VerbSupersede  resource.Verb = "supersede"
	VerbReactivate resource.Verb = "reactivate"
	VerbLate       resource.Verb = "answer_late"
	VerbRemind     resource.Verb = "remind"
	VerbExtend     resource.Verb = "extend"
	VerbIdentify   resource.Verb = "identify"
	VerbRevise     resource.Verb = "revise"
	VerbClaim      resource.Verb = "claim_number"
)

// offerLife is the life of offers.
var offerLife = state.Machine[OfferState]{
	Item: dispatchesapi.Offer, Initial: Queued, Final: []OfferState{Accepted, Superseded},
	Steps: []state.Step[OfferState]{
		{From: []OfferState{Queued}, Verb: string(VerbSend), To: Offered},
		{From: []OfferState{Offered}, Verb: string(VerbCounter), To: Countered, Guard: state.NewTimedGuard("it has not expired", unexpired), Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []OfferState{Countered}, Verb: string(VerbReply), To: Offered, Guard: state.NewTimedGuard("it has not expired", unexpired)},
		{From: []OfferState{Offered, Countered}, Verb: string(VerbAccept), To: Accepted, Guard: state.NewTimedGuard("it has not expired, or its carrier accepted it afterwards", acceptedInTime)},
		{From: []OfferState{Expired}, Verb: string(VerbAccept), To: Accepted, Guard: state.NewGuard("its carrier accepted it afterwards", acceptedLate)},
		{From: []OfferState{Offered, Countered}, Verb: string(VerbDecline), To: Declined},
		{From: []OfferState{Queued, Offered, Countered}, Verb: string(VerbWithdraw), To: Withdrawn},
		{From: []OfferState{Offered, Countered}, Verb: string(VerbExpire), To: Expired, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []OfferState{Queued, Offered, Countered}, Verb: string(VerbSupersede), To: Superseded, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []OfferState{Declined, Expired, Withdrawn}, Verb: string(VerbReactivate), To: Offered},
	},
}

// unexpired refuses an offer that has expired, though nothing has moved it on yet.
func unexpired(_ context.Context, o Offer, now time.Time) error {
	if o.IsPast(now) {
		return ErrOfferExpired
	}

	return nil
}

// acceptedInTime refuses an offer that has expired and that its carrier has not accepted afterwards.
func acceptedInTime(ctx context.Context, o Offer, now time.Time) error {
	if o.LateAt != nil {
		return nil
	}

	return unexpired(ctx, o, now)
}

// acceptedLate refuses an offer that its carrier has not accepted after it expired.
func acceptedLate(_ context.Context, o Offer) error {
	if o.LateAt == nil {
		return ErrOfferExpired
	}

	return nil
}

// About names the offer in events.
func (o Offer) About() dispatchesapi.AboutOffer {
	return dispatchesapi.AboutOffer{Offer: o.ID.String(), Load: o.Load.String(), Carrier: o.Carrier.String()}
}

// OfferRules are the rules of offers.
func OfferRules() resource.Rules[Offer] {
	of := func(make func(a dispatchesapi.AboutOffer) events.Event) func(o Offer) events.Event {
		return func(o Offer) events.Event { return make(o.About()) }
	}

	return resource.Rules[Offer]{
		Item: dispatchesapi.Offer, Sort: []string{"-created_at"}, KeepDeleted: true, WriteAccess: web.Scope("offer"),
		About: "A load that is offered to a carrier, and what both have said of it.",
		Life:  resource.LifeOf(offerLife, func(o *Offer) *OfferState { return &o.State }),
		Own: []resource.Verb{
			resource.Create, resource.Update, resource.Delete, resource.Restore, VerbSend, VerbCounter, VerbReply, VerbAccept, VerbDecline, VerbWithdraw, VerbReactivate,
		},
		Failures: resource.Failures{Invalid: ErrInvalidOffer, Taken: ErrOfferOpen},
		Errors:   []*errs.Error{ErrVehicleTaken, loadsapi.ErrNotReady},
		Events: resource.Events[Offer]{
			VerbSend:       of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferSent{AboutOffer: a} }),
			VerbReactivate: of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferReactivated{AboutOffer: a} }),
			VerbView:       of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferViewed{AboutOffer: a} }),
			VerbCounter:    of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferCountered{AboutOffer: a} }),
			VerbReply:      of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferReplied{AboutOffer: a} }),
			VerbAccept:     of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferAccepted{AboutOffer: a} }),
			VerbDecline:    of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferDeclined{AboutOffer: a} }),
			VerbExpire:     of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferExpired{AboutOffer: a} }),
			VerbWithdraw:   of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferWithdrawn{AboutOffer: a} }),
			VerbSupersede:  of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferSuperseded{AboutOffer: a} }),
			VerbRevise: func(o Offer) events.Event {
				return dispatchesapi.OfferRevised{AboutOffer: o.About(), Fields: o.LastRevisedFields()}
			},
			VerbLate:   of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.LateResponse{AboutOffer: a} }),
			VerbExtend: of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.OfferExtended{AboutOffer: a} }),
			VerbRemind: of(func(a dispatchesapi.AboutOffer) events.Event { return dispatchesapi.Reminded{AboutOffer: a} }),
		},
	}
}
