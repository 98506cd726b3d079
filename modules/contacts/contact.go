package contacts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// contact is a row of contacts_contacts.
type contact struct {
	resource.Row

	Kind       string                   `json:"kind" field:"default=person,sort" enum:"person,company"`
	Name       string                   `json:"name" field:"max=200,sort,search,title,personal" doc:"Display name; by default composed of the parts of the name." example:"Ann Lee"`
	FirstName  string                   `json:"first_name" field:"max=100,search,personal"`
	MiddleName string                   `json:"middle_name" field:"max=100,personal"`
	LastName   string                   `json:"last_name" field:"max=100,sort,search,personal"`
	Suffix     string                   `json:"suffix" field:"max=20,personal" example:"Jr."`
	LegalName  string                   `json:"legal_name" field:"max=200,search,personal" doc:"Of a company."`
	DBA        string                   `json:"dba" gorm:"column:dba" field:"max=200,search,personal" doc:"The name under which a company does business."`
	Title      string                   `json:"title" field:"max=100,search" doc:"Job title of a person." example:"Accounts payable"`
	Parent     *uuid.UUID               `json:"parent_uuid" gorm:"column:parent_id" field:"item=contacts.contact,on_delete=clear" doc:"The company contact that a person belongs to."`
	Receives   resource.JSON[[]topic]   `json:"receives" field:"max=10" doc:"Kinds of messages that the person receives for the company."`
	Customer   bool                     `json:"customer" field:"sort" doc:"Whether it orders transports."`
	Shipper    bool                     `json:"shipper" field:"sort" doc:"Whether vehicles are picked up from it."`
	Consignee  bool                     `json:"consignee" field:"sort" doc:"Whether vehicles are delivered to it."`
	BillTo     bool                     `json:"bill_to" field:"sort" doc:"Whether it is invoiced."`
	Vendor     bool                     `json:"vendor" field:"sort"`
	Carrier    bool                     `json:"carrier" field:"sort"`
	Email      field.Email              `json:"email" field:"readonly,sort,search,personal" doc:"The primary e-mail address in lower case."`
	Phone      field.Phone              `json:"phone" field:"readonly,search,personal" doc:"The primary phone number."`
	Emails     resource.JSON[[]email]   `json:"emails" field:"max=20,personal"`
	Phones     resource.JSON[[]phone]   `json:"phones" field:"max=20,personal"`
	Addresses  resource.JSON[[]address] `json:"addresses" field:"max=20,personal"`
	USDOT      field.USDOT              `json:"usdot" gorm:"column:usdot" field:"search" doc:"USDOT number of a carrier."`
	Source     string                   `json:"source" field:"max=100,search" doc:"Where it came from." example:"website"`
	Owner      *uuid.UUID               `json:"owner_user_uuid" gorm:"column:owner_id" field:"user" doc:"The user responsible for the contact."`
	Status     string                   `json:"status" field:"default=active,sort" enum:"lead,active,inactive,do_not_contact"`
	BlockedAt  *time.Time               `json:"blocked_at" field:"readonly,sort" doc:"When it was blocked; null if it is not."`
	Reason     string                   `json:"block_reason" gorm:"column:block_reason" field:"readonly,nofilter"`
	Language   string                   `json:"language" field:"max=35" doc:"A BCP 47 tag." example:"en-US"`
	TimeZone   string                   `json:"time_zone" field:"max=64" doc:"An IANA name." example:"America/Chicago"`
	TaxLast4   string                   `json:"tax_id_last4" gorm:"column:tax_id_last4" field:"max=4,personal" pattern:"^([0-9]{4})?$" patternDescription:"four digits" doc:"The last four digits of the tax ID. The others are not stored."`
	TaxExempt  bool                     `json:"tax_exempt"`
	ExemptTo   field.Date               `json:"exempt_until" gorm:"column:exempt_until"`
	Proof      *uuid.UUID               `json:"tax_certificate_uuid" gorm:"column:certificate_id" field:"item=attachments.attachment,on_delete=clear" doc:"The certificate of the exemption."`
	NetDays    *int64                   `json:"net_days" field:"min=0,max=365,sort" doc:"Days within which it pays."`
	Limit      money.Amount             `json:"credit_limit" gorm:"column:credit_limit" field:"sort"`
	Currency   money.Currency           `json:"credit_currency" gorm:"column:credit_currency" doc:"Null is the company's."`
	CreditHold bool                     `json:"credit_hold"`
	Consents   resource.JSON[[]consent] `json:"consents" field:"readonly" doc:"Consents given and refused; PUT …/consents changes them."`
	MergedInto *uuid.UUID               `json:"merged_into_uuid" gorm:"column:merged_into_id" field:"readonly" doc:"The contact that it was merged into. Lists omit merged contacts unless they filter by this field."`
	MergedAt   *time.Time               `json:"merged_at" field:"readonly"`
	ErasedAt   *time.Time               `json:"erased_at" field:"readonly" doc:"When its personal data were erased."`
	Duplicates []match                  `json:"duplicates,omitempty" field:"-" gorm:"-" doc:"Contacts that may be the same; only in the response to a create."`
}

// TableName implements GORM's naming.
func (contact) TableName() string { return "contacts_contacts" }

type topic string

type email struct {
	Address  string     `json:"address" maxLength:"254" doc:"Stored as written, with the domain in lower case." example:"ann@example.com"`
	Label    string     `json:"label,omitempty" maxLength:"50"`
	Primary  bool       `json:"primary,omitempty"`
	Verified *time.Time `json:"verified_at,omitempty"`
	Bounced  *time.Time `json:"bounced_at,omitempty" doc:"Since when messages to it bounce."`
}

type phone struct {
	Number    string      `json:"number" maxLength:"60" doc:"As written." example:"(214) 555-0143"`
	E164      field.Phone `json:"e164,omitempty" field:"readonly" doc:"The number in E.164, set by the service."`
	Extension string      `json:"ext,omitempty" maxLength:"10" pattern:"^[0-9*#]*$" patternDescription:"digits, * and #"`
	Label     string      `json:"label,omitempty" maxLength:"50"`
	Kind      string      `json:"kind,omitempty" enum:"mobile,landline,unknown"`
	Primary   bool        `json:"primary,omitempty"`
	SMS       *bool       `json:"sms_ok,omitempty" doc:"Whether it accepts text messages; absent if unknown."`
}

type address struct {
	Label    string         `json:"label,omitempty" maxLength:"50"`
	Address  field.Address  `json:"address"`
	Position field.GeoPoint `json:"position,omitzero"`
}

type consent struct {
	Channel  string    `json:"channel" enum:"sms,email,call"`
	Purpose  string    `json:"purpose" enum:"marketing,service"`
	State    string    `json:"state" enum:"granted,refused"`
	At       time.Time `json:"at" doc:"Since when."`
	Source   string    `json:"source" doc:"Where the consent was given or refused."`
	TextHash string    `json:"text_hash,omitempty" doc:"SHA-256 of the text of the consent."`
}

const (
	person  = "person"
	company = "company"

	doNotContact = "do_not_contact"

	block   resource.Verb = "block"
	unblock resource.Verb = "unblock"
	erase   resource.Verb = "erase"
	agree   resource.Verb = "consent"
)

var topics = []topic{"invoices", "dispatch", "tracking", "marketing"}

var (
	errInvalid = errs.New(errs.Invalid, "contacts.invalid_contact", "The given data was invalid.")
	errMerged  = errs.New(errs.Conflict, "contacts.merged", "The contact was merged into another one. Change that one, or unmerge it.")
	errErased  = errs.New(errs.Conflict, "contacts.erased", "The personal data of the contact were erased. It cannot be changed.")
)

func rules() resource.Rules[contact] {
	return resource.Rules[contact]{
		Item: contactsapi.Item, Sort: []string{"name"},
		About: "A person or a company. A merged contact can still be read by its UUID; merged_into_uuid is the contact that it was merged into.",
		Check: check, Decide: name, ListedWhere: "merged_into_id IS NULL", UnlessFiltered: "merged_into_uuid",
		Failures: resource.Failures{Invalid: errInvalid},
		Errors:   []*errs.Error{errMerged, errErased},
		Events: resource.Events[contact]{
			resource.Create: func(c contact) events.Event { return contactsapi.Created{Contact: c.ID.String()} },
			resource.Update: func(c contact) events.Event { return contactsapi.Updated{Contact: c.ID.String()} },
			block:           func(c contact) events.Event { return contactsapi.Blocked{Contact: c.ID.String()} },
			erase:           func(c contact) events.Event { return contactsapi.Erased{Contact: c.ID.String()} },
		},
	}
}

// check brings a contact into its normal form.
func check(_ context.Context, c *contact) error {
	for _, text := range []*string{&c.Name, &c.FirstName, &c.MiddleName, &c.LastName, &c.Suffix, &c.LegalName, &c.DBA} {
		*text = norm.NFC.String(*text)
	}
	wrong := errInvalid
	wrong = c.checkEmails(wrong)
	wrong = c.checkPhones(wrong)
	for i, t := range c.Receives.V {
		if !slices.Contains(topics, t) {
			wrong = wrong.WithField(fmt.Sprintf("receives.%d", i), "The entry must be one of invoices, dispatch, tracking and marketing.")
		}
	}
	if _, err := time.LoadLocation(c.TimeZone); err != nil || c.TimeZone == "Local" {
		wrong = wrong.WithField("time_zone", "The time zone must be an IANA name, such as America/Chicago.")
	}
	if tag, err := language.Parse(c.Language); c.Language != "" {
		if c.Language = tag.String(); err != nil {
			wrong = wrong.WithField("language", "The language must be a BCP 47 tag, such as en-US.")
		}
	}
	if c.Limit.Negative() {
		wrong = wrong.WithField("credit_limit", "`credit_limit` must not be negative.")
	}
	if c.Parent != nil && *c.Parent == c.ID {
		wrong = wrong.WithField("parent_uuid", "A contact cannot belong to itself.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// checkEmails lower-cases the domains of addresses, and selects the primary one: the first, if none is marked.
func (c *contact) checkEmails(wrong *errs.Error) *errs.Error {
	c.Email = ""
	for i := range c.Emails.V {
		e := &c.Emails.V[i]
		var compared field.Email
		e.Address = strings.TrimSpace(e.Address)
		if err := compared.UnmarshalText([]byte(e.Address)); err != nil || compared == "" {
			wrong = wrong.WithField(fmt.Sprintf("emails.%d.address", i), "The address must be an e-mail address, such as ann@example.com.")

			continue
		}
		mailbox, domain, _ := strings.Cut(e.Address, "@")
		e.Address = mailbox + "@" + strings.ToLower(domain)
		if e.Primary && slices.ContainsFunc(c.Emails.V[:i], email.primary) {
			wrong = wrong.WithField(fmt.Sprintf("emails.%d.primary", i), "Only one address can be the primary one.")
		}
		if e.Primary || c.Email == "" {
			c.Email = compared
		}
	}
	if len(c.Emails.V) > 0 && !slices.ContainsFunc(c.Emails.V, email.primary) {
		c.Emails.V[0].Primary = true
	}

	return wrong
}

// checkPhones sets the numbers in E.164, and selects the primary one: the first, if none is marked.
func (c *contact) checkPhones(wrong *errs.Error) *errs.Error {
	c.Phone = ""
	for i := range c.Phones.V {
		p := &c.Phones.V[i]
		p.E164, p.Number = "", strings.TrimSpace(p.Number)
		if err := p.E164.UnmarshalText([]byte(p.Number)); err != nil || p.E164 == "" {
			wrong = wrong.WithField(fmt.Sprintf("phones.%d.number", i), "The number must be a phone number without an extension, such as (214) 555-0143.")

			continue
		}
		if p.Primary && slices.ContainsFunc(c.Phones.V[:i], phone.primary) {
			wrong = wrong.WithField(fmt.Sprintf("phones.%d.primary", i), "Only one number can be the primary one.")
		}
		if p.Primary || c.Phone == "" {
			c.Phone = p.E164
		}
	}
	if len(c.Phones.V) > 0 && !slices.ContainsFunc(c.Phones.V, phone.primary) {
		c.Phones.V[0].Primary = true
	}

	return wrong
}

func (e email) primary() bool { return e.Primary }
func (p phone) primary() bool { return p.Primary }

// name composes the display name of its parts, unless another one was given.
func name(_ context.Context, _ *resource.Resource[contact], c resource.Change[contact]) error {
	if c.Verb == resource.Delete {
		return nil
	}
	if c.Before != nil && c.After.Name == c.Before.Name && c.Before.Name == c.Before.composed() {
		c.After.Name = ""
	}
	if c.After.Name = cmp.Or(c.After.Name, c.After.composed()); c.After.Name == "" {
		return errInvalid.WithField("name", "The name, or a part of it, is required.")
	}

	return nil
}

// composed is the display name that the parts make.
func (c *contact) composed() string {
	if c.Kind == company {
		return cmp.Or(c.DBA, c.LegalName)
	}

	return strings.Join(strings.Fields(strings.Join([]string{c.FirstName, c.MiddleName, c.LastName, c.Suffix}, " ")), " ")
}
