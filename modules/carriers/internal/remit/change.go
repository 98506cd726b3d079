// Package remit keeps how carriers are paid: the changes of that, their proposals, and what is effective.
package remit

import (
	"regexp"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Access is the scope for verifying changes of a remit-to.
const Access = "remit"

// Change is a row of carriers_remit_to_changes. The account number is encrypted in carriers_bank_accounts.
type Change struct {
	resource.Row

	Carrier      uuid.UUID     `json:"carrier_uuid" gorm:"column:carrier_id" field:"required,fixed,item=carriers.carrier"`
	Kind         string        `json:"kind" field:"required,fixed,sort" enum:"carrier,factor" doc:"Who is paid: the carrier, or the factoring company that its invoices are assigned to."`
	Payee        string        `json:"payee" field:"required,fixed,max=200,sort,search,title" example:"Sample Factoring Inc."`
	Method       string        `json:"method" field:"required,fixed,sort" enum:"ach,wire,check,card,other"`
	Address      field.Address `json:"address" field:"fixed" doc:"Mailing address for checks."`
	Bank         string        `json:"bank_name" gorm:"column:bank_name" field:"fixed,max=200,scope=carriers:remit" required:"false"`
	AccountType  *string       `json:"account_type" field:"fixed,scope=carriers:remit" required:"false" enum:"checking,savings"`
	Routing      string        `json:"routing_number" gorm:"column:routing_number" field:"fixed,max=9,scope=carriers:remit" required:"false"`
	Last4        string        `json:"account_last4" gorm:"column:account_last4" field:"readonly,scope=carriers:remit" required:"false" doc:"The last four digits of the account number. The others are never returned."`
	Notice       *uuid.UUID    `json:"notice_uuid" gorm:"column:notice_id" field:"fixed,item=attachments.attachment" doc:"The notice of assignment."`
	NoticeDate   field.Date    `json:"notice_date" field:"fixed" doc:"When the notice of assignment was received."`
	Release      *uuid.UUID    `json:"release_uuid" gorm:"column:release_id" field:"fixed,item=attachments.attachment" doc:"The letter in which the previous factoring company releases the carrier."`
	RequestedBy  string        `json:"requested_by" field:"fixed,max=200" doc:"Who at the carrier requested the change."`
	RequestedVia string        `json:"requested_via" field:"required,fixed,sort" enum:"phone,email,letter,in_person,packet,other" doc:"How the request came in; verify it by another way."`
	Note         string        `json:"note" field:"fixed,max=2000,nofilter"`
	HoldUntil    time.Time     `json:"hold_until" field:"readonly,sort" doc:"Earliest time at which it takes effect, even if it is verified."`
	VerifiedAt   *time.Time    `json:"verified_at" field:"readonly,sort"`
	VerifiedBy   *uuid.UUID    `json:"verified_by_uuid" gorm:"column:verified_by" field:"readonly" doc:"The user who verified it."`
	VerifiedVia  string        `json:"verified_via" field:"readonly" doc:"phone, email, letter or in_person."`
	Channel      string        `json:"verified_channel" gorm:"column:verified_channel" field:"readonly" doc:"The phone or e-mail by which the carrier was reached."`
	VerifiedWith string        `json:"verified_with" field:"readonly" doc:"Who at the carrier confirmed it."`
	VerifiedNote string        `json:"verified_note" field:"readonly,nofilter"`
	Replaces     *uuid.UUID    `json:"replaces_uuid" gorm:"column:replaces_id" field:"readonly" doc:"The change that was effective before it; null if the carrier had no remit-to."`
	EffectiveAt  *time.Time    `json:"effective_at" field:"readonly,sort"`
	EffectiveOn  field.Date    `json:"effective_on" field:"readonly,sort" doc:"The day of effective_at in the company's time zone."`
	EndedAt      *time.Time    `json:"ended_at" field:"readonly" doc:"When it was replaced or cancelled."`
	State        remitState    `json:"state" field:"sort"`
}

// TableName implements GORM's naming.
func (Change) TableName() string { return "carriers_remit_to_changes" }

// MarshalJSON leaves out what the caller may not see.
func (r Change) MarshalJSON() ([]byte, error) {
	type plain Change

	return resource.MarshalRow(&r.Row, plain(r))
}

// SchemaName implements web.SchemaNamer.
func (Change) SchemaName() string { return "RemitToChange" }

type remitState string

// The states.
const (
	Pending        remitState = "pending"
	Effective      remitState = "effective"
	remitReplaced  remitState = "replaced"
	remitCancelled remitState = "cancelled"
)

// Verbs of changes.
const (
	Verify      resource.Verb = "verify"
	Cancel      resource.Verb = "cancel"
	Replace     resource.Verb = "replace"
	TakesEffect resource.Verb = "take_effect"
)

// Kinds of payees, and methods that need a bank account or an address.
const (
	Factor  = "factor"
	ByCheck = "check"
)

// Rules are the rules of changes.
func Rules() resource.Rules[Change] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return resource.Rules[Change]{
		Item: "carriers.remit_to_change", Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "A change of how a carrier is paid. It becomes effective once it is verified and its hold is over.",
		Own:   []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore},
		Life: resource.LifeOf(state.Machine[remitState]{
			Item: "carriers.remit_to_change", Initial: Pending, Final: []remitState{remitReplaced, remitCancelled},
			Steps: []state.Step[remitState]{
				{From: []remitState{Pending}, Verb: string(TakesEffect), To: Effective, Who: service},
				{From: []remitState{Pending, Effective}, Verb: string(Replace), To: remitReplaced, Who: service},
				{From: []remitState{Pending}, Verb: string(Cancel), To: remitCancelled},
			},
		}, func(c *Change) *remitState { return &c.State }),
		Events: resource.Events[Change]{
			resource.Create: func(c Change) events.Event {
				return carriersapi.RemitToProposed{Carrier: c.Carrier.String(), Change: c.ID.String()}
			},
			TakesEffect: func(c Change) events.Event {
				return carriersapi.RemitToChanged{Carrier: c.Carrier.String(), Change: c.ID.String()}
			},
			Cancel: func(c Change) events.Event {
				return carriersapi.RemitToCancelled{Carrier: c.Carrier.String(), Change: c.ID.String()}
			},
		},
	}
}

// Proposal is a proposed change. AccountNumber is stored encrypted.
type Proposal struct {
	Kind          string        `json:"kind" enum:"carrier,factor" doc:"Who is paid: the carrier, or the factoring company that its invoices are assigned to."`
	Payee         string        `json:"payee" minLength:"1" maxLength:"200" example:"Sample Auto Lines LLC"`
	Method        string        `json:"method" enum:"ach,wire,check,card,other"`
	Address       field.Address `json:"address,omitzero" doc:"Mailing address for checks; required for checks."`
	Bank          string        `json:"bank_name,omitempty" maxLength:"200"`
	AccountType   string        `json:"account_type,omitempty" enum:"checking,savings"`
	Routing       string        `json:"routing_number,omitempty" maxLength:"9" doc:"ABA routing number; required for ach and wire." example:"021000021"`
	AccountNumber string        `json:"account_number,omitempty" maxLength:"40" doc:"Required for ach and wire. Stored encrypted and never returned; see account_last4." writeOnly:"true"`
	Notice        *uuid.UUID    `json:"notice_uuid,omitempty" doc:"The notice of assignment, as an attachment; required for a factoring company."`
	NoticeDate    field.Date    `json:"notice_date,omitempty" doc:"When the notice was received; required for a factoring company."`
	Release       *uuid.UUID    `json:"release_uuid,omitempty" doc:"The letter of release, as an attachment; required where the effective remit-to is another factoring company."`
	RequestedBy   string        `json:"requested_by,omitempty" maxLength:"200" doc:"Who at the carrier requested it." example:"Ann Lee"`
	RequestedVia  string        `json:"requested_via" enum:"phone,email,letter,in_person,packet,other" doc:"How the request came in."`
	Note          string        `json:"note,omitempty" maxLength:"2000"`
}

// ErrInvalid is the error of a proposal that is not valid.
var ErrInvalid = errs.New(errs.Invalid, "carriers.invalid_remit_to_change", "The given data was invalid.")

var accountPattern = regexp.MustCompile(`^[0-9]{5,17}$`)

// SchemaName implements web.SchemaNamer.
func (Proposal) SchemaName() string { return "CarriersRemitProposal" }

// Check validates a proposal. No message repeats an account number.
func (p *Proposal) Check() error {
	wrong := ErrInvalid
	if p.Method == "ach" || p.Method == "wire" {
		if !routingNumber(p.Routing) {
			wrong = wrong.WithField("routing_number", "The routing number must be the nine digits of an ABA routing number.")
		}
		if !accountPattern.MatchString(p.AccountNumber) {
			wrong = wrong.WithField("account_number", "The account number must be 5 to 17 digits.")
		}
	} else if p.AccountNumber != "" || p.Routing != "" {
		wrong = wrong.WithField("account_number", "The account number and the routing number are for the methods ach and wire.")
	}
	if p.Method == ByCheck && (p.Address.Line1 == "" || p.Address.City == "") {
		wrong = wrong.WithField("address", "The address must have the line1 and the city that checks are sent to.")
	}
	if p.Kind == Factor {
		if p.Notice == nil {
			wrong = wrong.WithField("notice_uuid", "The notice of assignment is required for a factoring company.")
		}
		if p.NoticeDate == "" {
			wrong = wrong.WithField("notice_date", "The day on which the notice was received is required for a factoring company.")
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// checkRelease refuses a proposal to pay another one than the factoring company of the effective change, nil for none, without its letter of release.
func (p *Proposal) checkRelease(effective *Change) error {
	if e := effective; e != nil && e.Kind == Factor && (p.Kind != Factor || p.Payee != e.Payee) && p.Release == nil {
		return ErrInvalid.WithField("release_uuid", "The letter of release of "+e.Payee+" is required.")
	}

	return nil
}

// routingNumber reports whether a text is nine digits with the checksum of ABA routing numbers, whose weights are 3, 7 and 1.
func routingNumber(text string) bool {
	if len(text) != 9 {
		return false
	}
	sum := 0
	for i, r := range text {
		if r < '0' || r > '9' {
			return false
		}
		sum += int(r-'0') * []int{3, 7, 1}[i%3]
	}

	return sum > 0 && sum%10 == 0
}

// Row returns the change that a proposal makes for a carrier.
func (p *Proposal) Row(carrier uuid.UUID) Change {
	return Change{
		Carrier: carrier, Kind: p.Kind, Payee: p.Payee, Method: p.Method, Address: p.Address, Bank: p.Bank,
		AccountType: web.Optional(p.AccountType), Routing: p.Routing, Last4: p.AccountNumber[max(0, len(p.AccountNumber)-4):], Notice: p.Notice,
		NoticeDate: p.NoticeDate, Release: p.Release, RequestedBy: p.RequestedBy, RequestedVia: p.RequestedVia, Note: p.Note,
	}
}
