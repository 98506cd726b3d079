package suggest

import (
	"context"
	"net/http"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostRanked is how many carriers of a company are ranked: the preferred and the best rated ones, if there are more.
const mostRanked = 5_000

var errSuggestion = errs.New(errs.Invalid, "carriers.invalid_suggestion", "The given data was invalid.")

// Suggester ranks carriers for a lane.
type Suggester struct {
	carriers *resource.Resource[store.Carrier]
	stored   *store.Repository
}

// NewSuggester returns a Suggester.
func NewSuggester(carriers *resource.Resource[store.Carrier], stored *store.Repository) *Suggester {
	return &Suggester{carriers, stored}
}

// Routes registers the operation that suggests carriers.
func Routes(r *web.Router, j *Suggester) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/suggestions", ID: "suggest_carriers", Access: web.Read, Summary: "Suggest carriers for a lane",
		Description: "Ranks your active carriers that the last verdict does not block: by the lanes that they like, their equipment, papers on the day of the " +
			"delivery, your rating, and what happened in the last year. Each has its reasons with their points. Validate a carrier before you book it.",
		Errors: []*errs.Error{errSuggestion},
	}, j.suggest)
}

type laneEnd struct {
	State string `json:"state,omitempty" maxLength:"2" doc:"State or province." example:"TX"`
	ZIP   string `json:"zip,omitempty" maxLength:"10" doc:"ZIP code, or its beginning." example:"75201"`
}

func (e laneEnd) place() Place {
	return Place{State: strings.ToUpper(e.State), ZIP: strings.ToUpper(strings.TrimSpace(e.ZIP))}
}

type suggestInput struct {
	Body struct {
		From     laneEnd      `json:"from"`
		To       laneEnd      `json:"to"`
		Vehicles int          `json:"vehicles,omitempty" minimum:"1" maximum:"100"`
		Enclosed bool         `json:"enclosed,omitempty" doc:"Whether an enclosed carrier is needed."`
		Delivery field.Date   `json:"delivery,omitempty" doc:"Day of the delivery, in the company's time zone; today by default."`
		Declared money.Amount `json:"declared_value,omitempty" doc:"Sum of the declared values of the vehicles, in US dollars." example:"86000.00"`
		Limit    int          `json:"limit,omitempty" minimum:"1" maximum:"100" default:"20"`
	}
}

type suggestOutput struct {
	Body struct {
		Data       []suggestion `json:"data" nullable:"false"`
		Considered int          `json:"considered" doc:"How many carriers were ranked."`
	}
}

// suggestion is a carrier for a lane.
type suggestion struct {
	Carrier    uuid.UUID   `json:"carrier_uuid"`
	Name       string      `json:"legal_name"`
	USDOT      *string     `json:"usdot"`
	Phone      field.Phone `json:"phone"`
	Email      field.Email `json:"email"`
	Compliance string      `json:"compliance" enum:"unknown,eligible,warned"`
	Score      int         `json:"score"`
	Reasons    []Reason    `json:"reasons" nullable:"false"`
}

// SchemaName implements web.SchemaNamer.
func (suggestion) SchemaName() string { return "CarrierSuggestion" }

func (j *Suggester) suggest(ctx context.Context, in *suggestInput) (*suggestOutput, error) {
	b := in.Body
	for key, end := range map[string]laneEnd{"from": b.From, "to": b.To} {
		if end.State == "" && end.ZIP == "" {
			return nil, errSuggestion.WithField(key, "The "+key+" must have a state or a ZIP code.")
		}
	}
	if b.Declared.Negative() {
		return nil, errSuggestion.WithField("declared_value", "`declared_value` must not be negative.")
	}
	today, err := j.carriers.Today(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := j.stored.Candidates(ctx, mostRanked)
	if err != nil {
		return nil, err
	}
	records, err := j.stored.Records(ctx, today)
	if err != nil {
		return nil, err
	}
	known, all := make(map[string]*store.Carrier, len(rows)), make([]Carrier, len(rows))
	for i := range rows {
		known[rows[i].ID.String()], all[i] = &rows[i], ranked(&rows[i], records[rows[i].ID], max(today, b.Delivery))
	}
	ask := Ask{
		From: b.From.place(), To: b.To.place(), Vehicles: b.Vehicles, Enclosed: b.Enclosed, Delivery: string(max(today, b.Delivery)), Covered: covers(b.Declared),
	}
	out := &suggestOutput{}
	out.Body.Data, out.Body.Considered = []suggestion{}, len(rows)
	for _, s := range Rank(ask, all, b.Limit) {
		c := known[s.Carrier.ID]
		out.Body.Data = append(out.Body.Data, suggestion{c.ID, c.LegalName, c.USDOT, c.Phone, c.Email, string(c.LastVerdict()), s.Score, s.Reasons})
	}

	return out, nil
}

// covers returns a function that reports whether a cover is at least the declared value, or nil if none is declared.
func covers(declared money.Amount) func(string) bool {
	value, _, err := apd.NewFromString(string(declared))
	if err != nil {
		return nil
	}

	return func(cover string) bool {
		of, _, err := apd.NewFromString(cover)

		return err == nil && of.Cmp(value) >= 0
	}
}

// ranked returns a carrier in the form of package suggest, with its insurance by a day.
func ranked(c *store.Carrier, r store.Record, by field.Date) Carrier {
	cargo := c.Cargo(by)
	made := Carrier{
		ID: c.ID.String(), Name: c.LegalName, Compliance: string(c.LastVerdict()), Agreement: c.Signed != "", AgreementExpires: string(c.Agreement),
		CargoCover: string(cargo.Cover), CargoExpires: string(cargo.Expires), Rating: c.Rating, Preferred: c.Preferred,
		Incidents: r.Open + r.Confirmed, Bounces: r.Bounces,
	}
	for _, l := range c.Lanes.V {
		made.Lanes = append(made.Lanes, Lane{From: l.From, To: l.To})
	}
	for _, e := range c.Equipment.V {
		made.Equipment = append(made.Equipment, Equipment{Slots: e.Slots, Enclosed: e.Enclosed || e.Kind == "enclosed"})
	}

	return made
}
