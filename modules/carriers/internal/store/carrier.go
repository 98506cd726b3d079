// Package store has the rows of carriers, incidents and saved carriers: their rules, and what follows from a row alone. Its Roster finds and holds
// carriers, and its Repository reads and writes what the resources do not.
package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/rulebook"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Carrier is a row of carriers_carriers.
type Carrier struct {
	resource.Row

	LegalName    string                        `json:"legal_name" field:"required,max=200,sort,search,title" example:"Sample Auto Lines LLC"`
	DBA          string                        `json:"dba" gorm:"column:dba" field:"max=200,search" doc:"Name that it does business under."`
	USDOT        *string                       `json:"usdot" gorm:"column:usdot" field:"max=64,unique,search" doc:"USDOT number, in any form; stored as digits." example:"9900001"`
	Docket       *string                       `json:"docket" field:"max=64,unique,search" doc:"MC, MX or FF number, in any form; stored as MC-123456." example:"MC-990001"`
	SCAC         field.SCAC                    `json:"scac" gorm:"column:scac" field:"search" doc:"Standard Carrier Alpha Code." example:"SMPL"`
	Phone        field.Phone                   `json:"phone" field:"search"`
	Email        field.Email                   `json:"email" field:"search"`
	People       resource.JSON[[]Person]       `json:"people" field:"max=50" called:"contact contact_person dispatcher" doc:"People to reach."`
	Equipment    resource.JSON[[]Equipment]    `json:"equipment" field:"max=50"`
	Contact      *uuid.UUID                    `json:"contact_uuid" gorm:"column:contact_id" field:"item=contacts.contact,on_delete=clear" doc:"The contact of the carrier, whose consents limit how it is reached."`
	Lanes        resource.JSON[[]Lane]         `json:"lanes" field:"max=200" doc:"Preferred lanes."`
	Preferred    bool                          `json:"preferred"`
	Rating       *int64                        `json:"rating" field:"min=1,max=5,sort" doc:"Your own rating; 5 is best."`
	Insurance    resource.JSON[[]Policy]       `json:"insurance" field:"max=50" called:"policy insurance_policy cargo_insurance" doc:"Certificates of insurance."`
	CargoExpires field.Date                    `json:"cargo_expires" field:"expires,readonly,sort" doc:"Expiry of the verified cargo certificate with the greatest cover."`
	Signed       field.Date                    `json:"agreement_signed" gorm:"column:agreement_signed" doc:"When the agreement was signed. The completion of its envelope sets it."`
	Agreement    field.Date                    `json:"agreement_expires" gorm:"column:agreement_expires" field:"expires,sort"`
	AgreementDoc *uuid.UUID                    `json:"agreement_file_uuid" gorm:"column:agreement_file_id" field:"item=attachments.attachment,on_delete=clear" doc:"The signed agreement, as an attachment. The completion of its envelope sets it."`
	Envelope     *uuid.UUID                    `json:"agreement_envelope_uuid" gorm:"column:agreement_envelope_id" field:"item=esign.envelope,on_delete=clear" doc:"The envelope in which the agreement is signed."`
	W9Doc        *uuid.UUID                    `json:"w9_file_uuid" gorm:"column:w9_file_id" field:"item=attachments.attachment,on_delete=clear" doc:"The W-9, as an attachment."`
	TIN          string                        `json:"tin_last4" gorm:"column:tin_last4" field:"max=4,personal" pattern:"^([0-9]{4})?$" patternDescription:"four digits" doc:"The last four digits of the tax id on the W-9. The others are not kept."`
	W9           field.Date                    `json:"w9_received" gorm:"column:w9_received" doc:"When its W-9 was received."`
	TermsDays    *int64                        `json:"payment_terms_days" gorm:"column:payment_terms_days" field:"min=0,max=365" doc:"Days until it is paid."`
	Identity     resource.JSON[[]Confirmation] `json:"identity_confirmations" gorm:"column:identity_confirmations" field:"readonly" doc:"The last 20 confirmations that it was reached by the regulator's record, the newest last."`
	Packet       packet.State                  `json:"packet_state" gorm:"column:packet_state" field:"readonly,default=none,sort" enum:"none,sent,started,submitted,approved,rejected,expired,revoked" doc:"State of its newest onboarding packet."`
	Status       Status                        `json:"status" field:"sort"`
	MergedInto   *uuid.UUID                    `json:"merged_into_uuid" gorm:"column:merged_into_id" field:"readonly" doc:"The carrier that it was merged into. Lists leave out those that have one, unless they filter by it."`
	MergedAt     *time.Time                    `json:"merged_at" field:"readonly"`
	Compliance   string                        `json:"-" field:"hidden"`
	Codes        string                        `json:"-" gorm:"column:compliance_codes" field:"hidden"`
	CheckedAt    *time.Time                    `json:"-" gorm:"column:compliance_checked_at" field:"hidden"`
	Prospect     bool                          `json:"prospect" field:"readonly" doc:"Whether nobody has confirmed its identity yet: it was offered a load by its name and address alone. It gets no load until somebody has."`
	Notes        string                        `json:"notes" field:"max=5000,search,nofilter"`
}

// TableName implements GORM's naming.
func (Carrier) TableName() string { return "carriers_carriers" }

// Person is a person at a carrier.
type Person struct {
	Name  string      `json:"name" minLength:"1" maxLength:"200"`
	Role  string      `json:"role,omitempty" enum:"dispatch,driver,billing,safety,owner,other"`
	Phone field.Phone `json:"phone,omitempty"`
	Email field.Email `json:"email,omitempty"`
}

// Equipment is what a carrier hauls with.
type Equipment struct {
	Kind     string `json:"kind" enum:"single,wedge,hotshot,open,enclosed,flatbed,tow,drive_away"`
	Slots    int    `json:"slots" minimum:"1" maximum:"12" doc:"How many vehicles it carries."`
	Count    int    `json:"count,omitempty" minimum:"1" maximum:"10000" doc:"How many of them there are."`
	Enclosed bool   `json:"enclosed,omitempty"`
	Winch    bool   `json:"winch,omitempty"`
	Liftgate bool   `json:"liftgate,omitempty"`
}

// Lane is where a carrier likes to drive, and on which days.
type Lane struct {
	From []string `json:"from" minItems:"1" maxItems:"60" doc:"States or provinces, or the beginnings of ZIP codes." example:"[\"TX\",\"75\"]"`
	To   []string `json:"to" minItems:"1" maxItems:"60" example:"[\"FL\"]"`
	Days []string `json:"days,omitempty" maxItems:"7" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday"`
}

// Confirmation records that the carrier was reached by the regulator's record.
type Confirmation struct {
	Channel string     `json:"channel" doc:"The phone or e-mail of the regulator's record."`
	By      *uuid.UUID `json:"by_uuid"`
	At      time.Time  `json:"at"`
	Note    string     `json:"note"`
}

// Status says whether a carrier is used.
type Status string

// The statuses.
const (
	Active   Status = "active"
	Inactive Status = "inactive"
	DoNotUse Status = "do_not_use"
)

// ban and allow are verbs of a carrier's life.
const (
	ban   resource.Verb = "ban"
	allow resource.Verb = "allow"
)

// CarrierRules are the rules of carriers.
func CarrierRules() resource.Rules[Carrier] {
	return resource.Rules[Carrier]{
		Item: carriersapi.Item, Sort: []string{"legal_name"}, Put: true,
		About: "A carrier of the company. Its compliance follows from the regulator's facts, its papers and the company's rules.",
		Life: resource.LifeOf(state.Machine[Status]{
			Item: carriersapi.Item, Initial: Active,
			Steps: []state.Step[Status]{
				{From: []Status{Active}, Verb: "deactivate", To: Inactive},
				{From: []Status{Inactive}, Verb: "activate", To: Active},
				{From: []Status{Active, Inactive}, Verb: string(ban), To: DoNotUse, Reasoned: true},
				{From: []Status{DoNotUse}, Verb: string(allow), To: Active, Who: state.Who{Scope: "override"}},
			},
		}, func(c *Carrier) *Status { return &c.Status }),
		Check:    checkCarrier,
		Decide:   keepBan,
		Expiring: carrierExpiring,
		Errors:   []*errs.Error{regulatorapi.ErrInvalidNumber, ErrMerged, carriersapi.ErrUsed, principal.ErrScopeMissing},

		ListedWhere: "merged_into_id IS NULL", UnlessFiltered: "merged_into_uuid",
	}
}

// checkCarrier validates and normalizes a carrier.
func checkCarrier(_ context.Context, c *Carrier) error {
	if c.USDOT != nil {
		usdot, err := number.USDOT("usdot", *c.USDOT)
		if err != nil {
			return err
		}
		c.USDOT = new(usdot.String())
	}
	if c.Docket != nil {
		docket, err := number.Docket("docket", *c.Docket)
		if err != nil {
			return err
		}
		c.Docket = new(docket.String())
	}
	wrong := ErrCarrier
	for i, p := range c.Insurance.V {
		wrong = p.check("insurance."+strconv.Itoa(i), wrong)
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	c.CargoExpires = c.Cargo("").Expires
	if c.TIN != "" && c.W9 == "" {
		return ErrCarrier.WithField("w9_received", "The w9 received is required with the tax id of the W-9.")
	}

	return nil
}

// overrideScope is that of who may do what the rules forbid.
const overrideScope = carriersapi.Area + string(rulebook.AccessOverride)

// keepBan refuses, to whoever may not take a carrier out of do_not_use, to delete it or to take its numbers away: another one could be made of them.
func keepBan(ctx context.Context, _ *resource.Resource[Carrier], c resource.Change[Carrier]) error {
	if c.Before == nil || c.Before.Status != DoNotUse || !slices.Contains([]resource.Verb{resource.Delete, resource.Update}, c.Verb) {
		return nil
	}
	gone := func(before, after *string) bool { return before != nil && (after == nil || *after != *before) }
	who, _ := principal.From(ctx)
	if who.Allows(overrideScope) || c.Verb == resource.Update && !gone(c.Before.USDOT, c.After.USDOT) && !gone(c.Before.Docket, c.After.Docket) {
		return nil
	}

	return principal.Lacks(overrideScope).WithMessage("A carrier in do_not_use is deleted, and loses its numbers, with the scope %s alone.", overrideScope)
}

// LastVerdict is the status of the last verdict.
func (c *Carrier) LastVerdict() verdict.Status {
	return cmp.Or(verdict.Status(c.Compliance), verdict.Unknown)
}

// Own returns the company's facts about the carrier, which verdicts use besides the regulator's, without its insurance on a day.
func (c *Carrier) Own() verdict.Own {
	own := verdict.Own{
		Saved: true, DoNotUse: c.Status == DoNotUse, Inactive: c.Status == Inactive, Numbered: c.USDOT != nil || c.Docket != nil, Prospect: c.Prospect, Signed: c.Signed != "", Agreement: c.Agreement, W9: c.W9 != "",
		Rating: c.Rating,
	}
	for _, name := range []string{c.LegalName, c.DBA} {
		if name != "" {
			own.Names = append(own.Names, name)
		}
	}
	add := func(phone field.Phone, email field.Email) {
		if phone != "" && !slices.Contains(own.Phones, string(phone)) {
			own.Phones = append(own.Phones, string(phone))
		}
		if email != "" && !slices.Contains(own.Emails, string(email)) {
			own.Emails = append(own.Emails, string(email))
		}
	}
	add(c.Phone, c.Email)
	for _, p := range c.People.V {
		add(p.Phone, p.Email)
	}
	for _, confirmed := range c.Identity.V {
		own.Verified = append(own.Verified, confirmed.Channel)
	}

	return own
}

// carrierExpiring returns the event of a document that expires, for active carriers.
func carrierExpiring(c Carrier, e resource.Expiry) events.Event {
	if c.Status != Active && c.Status != "" {
		return nil
	}

	return carriersapi.CertificateExpiring{
		Carrier: c.ID.String(), Document: strings.TrimSuffix(e.Document, "_expires"), ExpiresOn: string(e.On), Days: e.Days,
	}
}
