// Package history summarizes what happened with a carrier.
package history

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostHistory is how many verdict changes and incidents a history has.
const mostHistory = 100

// Historian summarizes the history of carriers.
type Historian struct {
	carriers  *resource.Resource[store.Carrier]
	incidents *resource.Resource[store.Incident]
	stored    *store.Repository
	sections  *summary.Registry
}

// NewHistorian returns a Historian.
func NewHistorian(
	carriers *resource.Resource[store.Carrier], i *resource.Resource[store.Incident], stored *store.Repository, sections *summary.Registry,
) *Historian {
	return &Historian{carriers, i, stored, sections}
}

// Routes registers the operation that summarizes the history of a carrier.
func Routes(r *web.Router, h *Historian) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carriers/{uuid}/history", ID: "read_carrier_history", Access: web.Read, Summary: "Summarize the history of a carrier",
		Description: "Its incidents and how its verdict changed, the latest first, 100 each at most, and sections that other areas contribute. The timeline of " +
			"the carrier is in the area history.", Errors: []*errs.Error{h.carriers.NotFound()},
	}, h.read)
}

type historyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type historyOutput struct{ Body historyBody }

type historyBody struct {
	Record    recordBody       `json:"record"`
	Incidents []store.Incident `json:"incidents" nullable:"false"`
	Verdicts  []verdictChange  `json:"verdict_changes" nullable:"false"`
	Sections  map[string]any   `json:"sections" doc:"Sections of other areas, by name."`
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

func (h *Historian) read(ctx context.Context, in *historyInput) (*historyOutput, error) {
	c, err := h.carriers.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	today, err := h.carriers.Today(ctx)
	if err != nil {
		return nil, err
	}
	records, err := h.stored.Records(ctx, today, c.ID)
	if err != nil {
		return nil, err
	}
	out := &historyOutput{}
	of := records[c.ID]
	out.Body.Record = recordBody(of)
	if err := h.add(ctx, c.ID, &out.Body); err != nil {
		return nil, err
	}
	own := c.Own()
	out.Body.Sections, err = h.sections.Read(ctx, summary.Subject{
		Item: item.Ref{Type: carriersapi.Item, UUID: c.ID}, Phones: own.Phones, Emails: own.Emails,
	})

	return out, err
}

// add adds the incidents and the verdict changes of a carrier.
func (h *Historian) add(ctx context.Context, id uuid.UUID, to *historyBody) error {
	rows, err := h.stored.LatestIncidents(ctx, id, mostHistory)
	if err != nil {
		return err
	}
	to.Incidents = append([]store.Incident{}, rows...)
	shown := make([]*store.Incident, len(to.Incidents))
	for i := range to.Incidents {
		shown[i] = &to.Incidents[i]
	}
	if err := h.incidents.Show(ctx, nil, shown...); err != nil {
		return err
	}
	changes, err := h.stored.VerdictChanges(ctx, id, mostHistory)
	to.Verdicts = make([]verdictChange, len(changes))
	for i, c := range changes {
		to.Verdicts[i] = verdictChange{c.At, verdict.Status(c.FromStatus), verdict.Status(c.ToStatus), strings.Fields(c.Codes)}
	}

	return err
}
