package carriers

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostHistory is how many verdict changes and incidents a history has.
const mostHistory = 100

// historian summarizes the history of carriers.
type historian struct {
	carriers  *resource.Resource[carrier]
	evidence  *evidence
	incidents *resource.Resource[incident]
	stored    *repository
	sections  *summary.Registry
}

func newHistorian(
	carriers *resource.Resource[carrier], e *evidence, i *resource.Resource[incident], stored *repository, sections *summary.Registry,
) *historian {
	return &historian{carriers, e, i, stored, sections}
}

func historyRoutes(r *web.Router, h *historian) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carriers/{uuid}/history", ID: "read_carrier_history", Access: web.Read, Summary: "Summarize the history of a carrier",
		Description: "Its incidents and how its verdict changed, the latest first, 100 each at most, and sections that other areas contribute. The timeline of " +
			"the carrier is in the area history.", Errors: []*errs.Error{h.carriers.NotFound()},
	}, h.read)
}

func incidentRoutes(r *web.Router, i *incidents) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/incidents", ID: "report_incident", Access: web.Write, Summary: "Report an incident with a carrier",
		Description: "The same as an incident with the carrier_uuid.", Errors: append([]*errs.Error{i.roster.missing()}, i.rows.WriteErrors()...),
	}, i.post)
}

type historyOutput struct{ Body historyBody }

type historyBody struct {
	Record    recordBody      `json:"record"`
	Incidents []incident      `json:"incidents" nullable:"false"`
	Verdicts  []verdictChange `json:"verdict_changes" nullable:"false"`
	Sections  map[string]any  `json:"sections" doc:"Sections of other areas, by name."`
}

// SchemaName implements web.SchemaNamer.
func (historyBody) SchemaName() string { return "CarrierHistory" }

// recordBody counts what happened in the last 365 days.
type recordBody struct {
	Open      int `json:"open_incidents" doc:"Open incidents."`
	Confirmed int `json:"confirmed_incidents"`
	Bounces   int `json:"bounces" doc:"Loads that the carrier gave back or did not come for, without dismissed incidents."`
}

// verdictChange is a verdict that differs from the previous one.
type verdictChange struct {
	At    time.Time      `json:"at"`
	From  verdict.Status `json:"from"`
	To    verdict.Status `json:"to"`
	Codes []string       `json:"codes" nullable:"false" doc:"Codes of the findings that block or warn from then on."`
}

func (h *historian) read(ctx context.Context, in *carrierInput) (*historyOutput, error) {
	c, err := h.carriers.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	today, err := h.carriers.Today(ctx)
	if err != nil {
		return nil, err
	}
	records, err := h.evidence.records(ctx, today, c.ID)
	if err != nil {
		return nil, err
	}
	out := &historyOutput{}
	of := records[c.ID]
	out.Body.Record = recordBody(of)
	if err := h.add(ctx, c.ID, &out.Body); err != nil {
		return nil, err
	}
	own := c.own()
	out.Body.Sections, err = h.sections.Read(ctx, summary.Subject{
		Item: item.Ref{Type: carriersapi.Item, UUID: c.ID}, Phones: own.Phones, Emails: own.Emails,
	})

	return out, err
}

// add adds the incidents and the verdict changes of a carrier.
func (h *historian) add(ctx context.Context, id uuid.UUID, to *historyBody) error {
	rows, err := h.stored.latestIncidents(ctx, id, mostHistory)
	if err != nil {
		return err
	}
	to.Incidents = append([]incident{}, rows...)
	shown := make([]*incident, len(to.Incidents))
	for i := range to.Incidents {
		shown[i] = &to.Incidents[i]
	}
	if err := h.incidents.Show(ctx, nil, shown...); err != nil {
		return err
	}
	changes, err := h.stored.verdictChanges(ctx, id, mostHistory)
	to.Verdicts = make([]verdictChange, len(changes))
	for i, c := range changes {
		to.Verdicts[i] = verdictChange{c.At, verdict.Status(c.FromStatus), verdict.Status(c.ToStatus), strings.Fields(c.Codes)}
	}

	return err
}

// removals asks other areas before carriers are deleted.
type removals struct{ hooks *hook.Bus }

func newRemovals(hooks *hook.Bus) *removals { return &removals{hooks} }

// ask refuses deletions that another area refuses.
func (r *removals) ask(ctx context.Context, all []*resource.Change[carrier]) error {
	for _, c := range all {
		if c.Verb != resource.Delete {
			continue
		}
		if err := hook.Run(ctx, r.hooks, &carriersapi.Removing{Carrier: c.After.ID.String()}); err != nil {
			c.Refuse(err)
		}
	}

	return nil
}
