package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Signature is a row of bills_of_lading_signatures: who signed what at which stage, or why no one did. A role signs once at a stage.
type Signature struct {
	resource.Row

	BOL        uuid.UUID      `json:"bol_uuid" gorm:"column:bol_id" field:"required,fixed,item=bills_of_lading.bol"`
	Load       uuid.UUID      `json:"load_uuid" gorm:"column:load_id" field:"readonly"`
	Stage      Stage          `json:"stage" field:"required,fixed,sort" enum:"pickup,delivery"`
	Role       string         `json:"role" field:"required,fixed,sort" enum:"driver,releasing,receiving"`
	Name       string         `json:"name" field:"readonly,personal,title"`
	Position   string         `json:"title" gorm:"column:title" field:"readonly"`
	Method     string         `json:"method" field:"readonly" enum:"drawn,typed,not_available" doc:"typed: the name is the signature. not_available: no one was there to sign."`
	Touchless  bool           `json:"touchless" field:"readonly" doc:"Whether it was signed by a link, on the signer's own device."`
	Reason     string         `json:"reason" field:"readonly,nofilter" doc:"Why no one could sign."`
	Strokes    string         `json:"strokes" field:"readonly,nofilter,personal" doc:"What was drawn, as the data of an SVG path on a field of 600 by 200: M and L with whole numbers."`
	Statement  string         `json:"statement" field:"readonly,nofilter" doc:"What was signed, as it was shown."`
	SignedAt   *time.Time     `json:"signed_at" field:"readonly,sort" doc:"By the clock of the phone."`
	ClockAhead bool           `json:"clock_ahead" field:"readonly"`
	Place      field.GeoPoint `json:"position" gorm:"column:position" field:"readonly"`
	Address    string         `json:"ip_address" gorm:"column:ip_address" field:"readonly,personal"`
}

// TableName implements GORM's naming.
func (Signature) TableName() string { return "bills_of_lading_signatures" }

func (s Signature) event() events.Event {
	return billsofladingapi.Signed{About: billsofladingapi.About{BOL: s.BOL.String(), Load: s.Load.String()}, Stage: string(s.Stage), Role: s.Role}
}

// The roles of signers, and how they sign.
const (
	Driver       = "driver"
	Releasing    = "releasing"
	Receiving    = "receiving"
	Drawn        = "drawn"
	Typed        = "typed"
	NotAvailable = "not_available"
)

// Counterpart is who signs beside the driver.
func (s Stage) Counterpart() string {
	if s == AtPickup {
		return Releasing
	}

	return Receiving
}

// SignatureRules are the rules of signatures.
func SignatureRules() resource.Rules[Signature] {
	return resource.Rules[Signature]{
		Item: billsofladingapi.Signature, Sort: []string{"created_at"}, KeepDeleted: true, Own: fixed(),
		About:    "Who signed a bill of lading at which stage. `filter[bol_uuid]` lists those of one.",
		Failures: resource.Failures{Invalid: ErrInvalidEntry, Taken: ErrSigned},
		Events:   resource.Events[Signature]{resource.Create: func(s Signature) events.Event { return s.event() }},
	}
}
