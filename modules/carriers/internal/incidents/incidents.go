// Package incidents has what went wrong with carriers: who reports it, and what is decided.
package incidents

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/compliance"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Incidents reports and decides incidents with carriers.
type Incidents struct {
	rows     *resource.Resource[store.Incident]
	roster   *store.Roster
	rechecks *compliance.Scheduler
	bus      *events.Bus
	clock    clock.Clock
}

// NewIncidents returns an Incidents.
func NewIncidents(rows *resource.Resource[store.Incident], r *store.Roster, again *compliance.Scheduler, bus *events.Bus, c clock.Clock) *Incidents {
	return &Incidents{rows, r, again, bus, c}
}

// Decide dates incidents, bans carriers after confirmed fraud, and has verdicts checked again.
func (s *Incidents) Decide(ctx context.Context, all []*resource.Change[store.Incident]) error {
	today, err := s.rows.Today(ctx)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	var decided []events.Event
	for _, c := range all {
		if c.After.HappenedOn == "" {
			c.After.HappenedOn = today
		}
		if c.After.HappenedOn > today && c.Verb != resource.Delete {
			c.Refuse(s.rows.Invalid().WithField("happened_on", "`happened_on` must not be in the future."))
		}
		now := new(s.clock.Now())
		switch c.Verb { //nolint:exhaustive // the others keep these
		case store.ConfirmIncident:
			c.After.ConfirmedAt = now
			decided = append(decided, c.After.Reported())
			if err := s.ban(ctx, c.After); err != nil {
				return err
			}
		case store.DismissIncident:
			c.After.DismissedAt = now
			decided = append(decided, c.After.Reported())
		}
		ids = append(ids, c.After.Carrier)
	}

	if err := s.bus.Publish(ctx, decided...); err != nil {
		return err
	}

	return s.rechecks.Schedule(ctx, ids...)
}

// ban sets a carrier to do_not_use after confirmed fraud.
func (s *Incidents) ban(ctx context.Context, i *store.Incident) error {
	if !i.Bans() {
		return nil
	}

	return s.roster.Ban(ctx, i.Carrier, strings.ReplaceAll(i.Kind, "_", " ")+": "+i.Title)
}

// report stores an incident that an area reports, once per key.
func (s *Incidents) report(ctx context.Context, r carriersapi.Report) (made store.Incident, err error) {
	err = s.roster.InTx(ctx, func(ctx context.Context) error {
		c, err := s.roster.Standing(ctx, r.Carrier)
		if err != nil {
			return err
		}
		if err := s.roster.Hold(ctx, c.ID); err != nil {
			return err
		}
		key := r.Area + ":" + r.Key
		same, err := s.rows.Where(ctx, "report_key = ?", key)
		if err != nil || len(same) > 0 {
			made = append(same, store.Incident{})[0]

			return err
		}
		row := store.Incident{
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

func (s *Incidents) post(ctx context.Context, in *reportIncidentInput) (*web.Resource[store.Incident], error) {
	b := in.Body
	var row store.Incident
	err := s.roster.InTx(ctx, func(ctx context.Context) (err error) {
		if err := s.roster.HoldStanding(ctx, in.UUID); err != nil {
			return err
		}
		row, err = s.rows.Create(ctx, store.Incident{
			Carrier: in.UUID, Kind: b.Kind, Title: b.Title, Description: b.Description, Evidence: b.Evidence, HappenedOn: b.HappenedOn, Item: b.Item,
		})

		return err
	})

	return s.rows.Answer(ctx, row, err)
}

// Routes registers the operation that reports an incident.
func Routes(r *web.Router, i *Incidents) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/incidents", ID: "report_incident", Access: web.Write, Summary: "Report an incident with a carrier",
		Description: "The same as an incident with the carrier_uuid.", Errors: append([]*errs.Error{i.roster.Missing()}, i.rows.WriteErrors()...),
	}, i.post)
}

// reports implements carriersapi.Incidents.
type reports struct{ incidents *Incidents }

// NewReports returns the incidents as other areas report them.
func NewReports(i *Incidents) carriersapi.Incidents { return reports{i} }

// Report implements carriersapi.Incidents.
func (r reports) Report(ctx context.Context, report carriersapi.Report) (string, error) {
	row, err := r.incidents.report(ctx, report)
	if err != nil {
		return "", err
	}

	return row.ID.String(), nil
}
