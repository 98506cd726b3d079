package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Incident is a row of carriers_incidents. Evidence in files is attached to the incident.
type Incident struct {
	resource.Row

	Carrier     uuid.UUID     `json:"carrier_uuid" gorm:"column:carrier_id" field:"required,fixed,item=carriers.carrier"`
	Kind        string        `json:"kind" field:"required,fixed,sort" enum:"double_brokered,no_show,late,held_hostage,damage,fraud,bounce,other"`
	Title       string        `json:"title" field:"required,max=200,search,title" example:"Did not come to the pickup"`
	Description string        `json:"description" field:"max=5000,search,nofilter"`
	Evidence    string        `json:"evidence" field:"max=5000,nofilter" doc:"The evidence. Files are attachments of the incident."`
	HappenedOn  field.Date    `json:"happened_on" field:"sort" doc:"Today by default, in the company's time zone."`
	Item        resource.Item `json:"item" gorm:"embedded;embeddedPrefix:item_" field:"fixed" doc:"The load or the dispatch, or null."`
	Reporter    string        `json:"reporter" field:"readonly" doc:"The area that reported it; empty for a user."`
	ReportKey   *string       `json:"-" field:"hidden"`
	ConfirmedAt *time.Time    `json:"confirmed_at" field:"readonly,sort"`
	DismissedAt *time.Time    `json:"dismissed_at" field:"readonly"`
	State       IncidentState `json:"state" field:"sort"`
}

// TableName implements GORM's naming.
func (Incident) TableName() string { return "carriers_incidents" }

// SchemaName implements web.SchemaNamer.
func (Incident) SchemaName() string { return "CarrierIncident" }

// IncidentState is how far an incident is.
type IncidentState string

// The states.
const (
	IncidentOpen      IncidentState = "open"
	IncidentConfirmed IncidentState = "confirmed"
	IncidentDismissed IncidentState = "dismissed"
	IncidentClosed    IncidentState = "closed"
)

// Verbs of incidents.
const (
	ConfirmIncident resource.Verb = "confirm"
	DismissIncident resource.Verb = "dismiss"
)

// bounces are the kinds in which a carrier gives a load back; bans are those after which the carrier is not used.
var (
	bounces = []string{"bounce", "no_show"}
	bans    = []string{"double_brokered", "fraud"}
)

// IncidentRules are the rules of incidents.
func IncidentRules() resource.Rules[Incident] {
	return resource.Rules[Incident]{
		Item: "carriers.incident", Sort: []string{"-happened_on"},
		About: "Something that went wrong with a carrier. Confirming a double brokering or a fraud sets the carrier to do_not_use. Other companies never see it.",
		Life: resource.LifeOf(state.Machine[IncidentState]{
			Item: "carriers.incident", Initial: IncidentOpen, Final: []IncidentState{IncidentClosed},
			Steps: []state.Step[IncidentState]{
				{From: []IncidentState{IncidentOpen}, Verb: string(ConfirmIncident), To: IncidentConfirmed},
				{From: []IncidentState{IncidentOpen}, Verb: string(DismissIncident), To: IncidentDismissed},
				{From: []IncidentState{IncidentConfirmed, IncidentDismissed}, Verb: "close", To: IncidentClosed},
			},
		}, func(i *Incident) *IncidentState { return &i.State }),
		Events: resource.Events[Incident]{resource.Create: Incident.Reported},
		Errors: []*errs.Error{ErrMerged, principal.ErrScopeMissing}, Decide: keepConfirmed,
	}
}

// keepConfirmed refuses, to whoever may not take a carrier out of do_not_use, to delete a confirmed incident.
func keepConfirmed(ctx context.Context, _ *resource.Resource[Incident], c resource.Change[Incident]) error {
	if who, _ := principal.From(ctx); c.Verb != resource.Delete || c.Before.ConfirmedAt == nil || who.Allows(overrideScope) {
		return nil
	}

	return principal.Lacks(overrideScope).WithMessage("A confirmed incident is deleted with the scope %s alone.", overrideScope)
}

// Reported is the event of an incident.
func (i Incident) Reported() events.Event {
	return carriersapi.IncidentReported{Carrier: i.Carrier.String(), Incident: i.ID.String(), Kind: i.Kind, State: string(i.State)}
}

// Bans reports whether confirming the incident sets its carrier to do_not_use.
func (i Incident) Bans() bool { return slices.Contains(bans, i.Kind) }
