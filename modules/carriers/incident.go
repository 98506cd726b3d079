package carriers

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// incident is a row of carriers_incidents. Evidence in files is attached to the incident.
type incident struct {
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
	State       incidentState `json:"state" field:"sort"`
}

// TableName implements GORM's naming.
func (incident) TableName() string { return "carriers_incidents" }

// SchemaName implements web.SchemaNamer.
func (incident) SchemaName() string { return "CarrierIncident" }

type incidentState string

const (
	incidentOpen      incidentState = "open"
	incidentConfirmed incidentState = "confirmed"
	incidentDismissed incidentState = "dismissed"
	incidentClosed    incidentState = "closed"
)

const (
	confirmIncident resource.Verb = "confirm"
	dismissIncident resource.Verb = "dismiss"
)

// bounces are the kinds in which a carrier gives a load back; bans are those after which the carrier is not used.
var (
	bounces = []string{"bounce", "no_show"}
	bans    = []string{"double_brokered", "fraud"}
)

func incidentRules() resource.Rules[incident] {
	return resource.Rules[incident]{
		Item: "carriers.incident", Sort: []string{"-happened_on"},
		About: "Something that went wrong with a carrier. Confirming a double brokering or a fraud sets the carrier to do_not_use. Other companies never see it.",
		Life: resource.LifeOf(state.Machine[incidentState]{
			Item: "carriers.incident", Initial: incidentOpen, Final: []incidentState{incidentClosed},
			Steps: []state.Step[incidentState]{
				{From: []incidentState{incidentOpen}, Verb: string(confirmIncident), To: incidentConfirmed},
				{From: []incidentState{incidentOpen}, Verb: string(dismissIncident), To: incidentDismissed},
				{From: []incidentState{incidentConfirmed, incidentDismissed}, Verb: "close", To: incidentClosed},
			},
		}, func(i *incident) *incidentState { return &i.State }),
		Events: resource.Events[incident]{resource.Create: incidentEvent},
		Errors: []*errs.Error{errMerged, principal.ErrScopeMissing}, Decide: keepConfirmed,
	}
}

// keepConfirmed refuses, to whoever may not take a carrier out of do_not_use, to delete a confirmed incident.
func keepConfirmed(ctx context.Context, _ *resource.Resource[incident], c resource.Change[incident]) error {
	if who, _ := principal.From(ctx); c.Verb != resource.Delete || c.Before.ConfirmedAt == nil || who.Allows(overrideScope) {
		return nil
	}

	return principal.Lacks(overrideScope).WithMessage("A confirmed incident is deleted with the scope %s alone.", overrideScope)
}

func incidentEvent(i incident) events.Event {
	return carriersapi.IncidentReported{Carrier: i.Carrier.String(), Incident: i.ID.String(), Kind: i.Kind, State: string(i.State)}
}

// incidents reports and decides incidents with carriers.
type incidents struct {
	rows     *resource.Resource[incident]
	roster   *roster
	rechecks *rechecks
	bus      *events.Bus
	clock    clock.Clock
}

func newIncidents(rows *resource.Resource[incident], r *roster, again *rechecks, bus *events.Bus, c clock.Clock) *incidents {
	return &incidents{rows, r, again, bus, c}
}

// decide dates incidents, bans carriers after confirmed fraud, and has verdicts checked again.
func (s *incidents) decide(ctx context.Context, all []*resource.Change[incident]) error {
	today, err := s.rows.Today(ctx)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	var told []events.Event
	for _, c := range all {
		if c.After.HappenedOn == "" {
			c.After.HappenedOn = today
		}
		if c.After.HappenedOn > today && c.Verb != resource.Delete {
			c.Refuse(s.rows.Invalid().WithField("happened_on", "`happened_on` must not be in the future."))
		}
		now := new(s.clock.Now())
		switch c.Verb { //nolint:exhaustive // the others keep these
		case confirmIncident:
			c.After.ConfirmedAt = now
			told = append(told, incidentEvent(*c.After))
			if err := s.ban(ctx, c.After); err != nil {
				return err
			}
		case dismissIncident:
			c.After.DismissedAt = now
			told = append(told, incidentEvent(*c.After))
		}
		ids = append(ids, c.After.Carrier)
	}

	if err := s.bus.Publish(ctx, told...); err != nil {
		return err
	}

	return s.rechecks.enqueue(ctx, distinct(ids))
}

// ban sets a carrier to do_not_use after confirmed fraud.
func (s *incidents) ban(ctx context.Context, i *incident) error {
	if !slices.Contains(bans, i.Kind) {
		return nil
	}

	return s.roster.ban(ctx, i.Carrier, strings.ReplaceAll(i.Kind, "_", " ")+": "+i.Title)
}

// report stores an incident that an area reports, once per key.
func (s *incidents) report(ctx context.Context, r carriersapi.Report) (made incident, err error) {
	err = s.roster.inTx(ctx, func(ctx context.Context) error {
		c, err := s.roster.standingText(ctx, r.Carrier)
		if err != nil {
			return err
		}
		if err := s.roster.hold(ctx, c.ID); err != nil {
			return err
		}
		key := r.Area + ":" + r.Key
		same, err := s.rows.Where(ctx, "report_key = ?", key)
		if err != nil || len(same) > 0 {
			made = append(same, incident{})[0]

			return err
		}
		row := incident{
			Carrier: c.ID, Kind: r.Kind, Title: r.Title, Description: r.Description, HappenedOn: field.Date(r.HappenedOn), Reporter: r.Area, ReportKey: &key,
		}
		if id, err := uuid.Parse(r.ItemUUID); err == nil {
			row.Item = resource.Item{Type: r.ItemType, UUID: id}
		}
		made, err = s.rows.Create(ctx, row)

		return err
	})

	return made, err
}

// remembered is how long incidents and bounces count.
const remembered = 365

// record counts the incidents of a carrier in the last year.
type record struct {
	// Open and Confirmed count incidents by state. Bounces counts the loads that the carrier gave back, without dismissed incidents.
	Open, Confirmed, Bounces int
}

// facts adds a record to the facts about a carrier.
func (r record) facts(own *verdict.Own) {
	own.OpenIncidents, own.ConfirmedIncidents, own.Bounces = r.Open, r.Confirmed, r.Bounces
}

type reportIncidentInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Kind        string        `json:"kind" enum:"double_brokered,no_show,late,held_hostage,damage,fraud,bounce,other"`
		Title       string        `json:"title" minLength:"1" maxLength:"200" example:"Did not come to the pickup"`
		Description string        `json:"description,omitempty" maxLength:"5000"`
		Evidence    string        `json:"evidence,omitempty" maxLength:"5000" doc:"The evidence. Files are attachments of the incident."`
		HappenedOn  field.Date    `json:"happened_on,omitempty" doc:"Today by default."`
		Item        resource.Item `json:"item,omitzero" doc:"The load or the dispatch."`
	}
}

func (s *incidents) post(ctx context.Context, in *reportIncidentInput) (*web.Resource[incident], error) {
	b := in.Body
	var row incident
	err := s.roster.inTx(ctx, func(ctx context.Context) (err error) {
		if err := s.roster.holdStanding(ctx, in.UUID); err != nil {
			return err
		}
		row, err = s.rows.Create(ctx, incident{
			Carrier: in.UUID, Kind: b.Kind, Title: b.Title, Description: b.Description, Evidence: b.Evidence, HappenedOn: b.HappenedOn, Item: b.Item,
		})

		return err
	})

	return s.rows.Answer(ctx, row, err)
}
