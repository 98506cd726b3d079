package compliance

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/fmcsa"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errDeclared = errs.New(errs.Invalid, "carriers.invalid_value", "The given data was invalid.").
	WithField("for.declared_value", "`declared_value` must not be negative.")

// Routes registers the operations that judge carriers.
func Routes(r *web.Router, d *Desk) {
	carriers := d.carriers
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/carriers/validate", ID: "validate_carrier", Access: web.Scope("validate"), Summary: "Judge a carrier",
		Description: "Says whether a carrier may take a load, and why: what blocks, what warns, what to note, and what is not known. Every verdict is " +
			"200. The answer never waits for the regulator: `sources` say how old the facts are.",
		Errors: []*errs.Error{regulatorapi.ErrInvalidNumber, number.ErrOne, errDeclared, regulatorapi.ErrNotInRegistry, carriers.NotFound()},
	}, d.validate)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/compliance", ID: "list_compliance", Access: web.Read, Summary: "List the results of the last verdicts",
		Description: "A job judges a carrier after each change of it, of an override and of a rule, and every night. Carriers come in the order of their ids; " +
			"`after` is the last one of the page before.",
		Errors: []*errs.Error{database.ErrUnavailable},
	}, d.compliance)
}

// Desk answers requests about verdicts.
type Desk struct {
	carriers *resource.Resource[store.Carrier]
	judge    *Judge
	registry *registry.Registry
	stored   *store.Repository
}

// NewDesk returns a Desk.
func NewDesk(carriers *resource.Resource[store.Carrier], j *Judge, r *registry.Registry, stored *store.Repository) *Desk {
	return &Desk{carriers, j, r, stored}
}

type validateInput struct {
	Body struct {
		USDOT   string    `json:"usdot,omitempty" maxLength:"64" example:"9900017"`
		MC      string    `json:"mc,omitempty" maxLength:"64" doc:"MC, MX or FF number." example:"MC-990017"`
		Carrier uuid.UUID `json:"carrier_uuid,omitempty" doc:"A carrier of the company."`
		For     *struct {
			Declared money.Amount `json:"declared_value,omitempty" doc:"Sum of the declared values of the vehicles, in US dollars." example:"86000.00"`
			Delivery field.Date   `json:"delivery,omitempty" doc:"Day of the delivery, in the company's time zone." example:"2026-12-09"`
		} `json:"for,omitempty" doc:"The load that it is to carry."`
	}
}

type validateOutput struct{ Body validated }

// validated is a verdict on a carrier.
type validated struct {
	Carrier struct {
		UUID    *uuid.UUID `json:"uuid" doc:"Null for a carrier that the company does not have."`
		Name    string     `json:"name"`
		USDOT   *string    `json:"usdot"`
		Dockets []string   `json:"dockets" nullable:"false"`
	} `json:"carrier"`
	verdict.Verdict
}

// SchemaName implements web.SchemaNamer.
func (validated) SchemaName() string { return "CarrierVerdict" }

func (d *Desk) validate(ctx context.Context, in *validateInput) (*validateOutput, error) {
	if load := in.Body.For; load != nil && load.Declared.Negative() {
		return nil, errDeclared
	}
	row, f, err := d.subject(ctx, in)
	if err != nil {
		return nil, err
	}
	var load *verdict.Load
	if in.Body.For != nil {
		load = &verdict.Load{Declared: in.Body.For.Declared, Delivery: in.Body.For.Delivery}
	}
	out := &validateOutput{}
	of := &out.Body.Carrier
	if row != nil {
		of.UUID, of.Name, of.USDOT = &row.ID, row.LegalName, row.USDOT
		all, err := d.judge.verdicts(ctx, load, *row)
		if err != nil {
			return nil, err
		}
		out.Body.Verdict, f = all[0].verdict, all[0].facts
	} else {
		of.Name = f.Identity.LegalName
		if out.Body.Verdict, err = d.judge.stranger(ctx, f, load); err != nil {
			return nil, err
		}
	}
	if f.USDOT > 0 {
		of.USDOT = new(fmcsa.USDOT{Number: f.USDOT}.String())
	}
	of.Dockets = []string{}
	for _, docket := range f.Authority.Dockets {
		of.Dockets = append(of.Dockets, docket.Number)
	}

	return out, nil
}

// subject finds the carrier that a verdict is requested for: of the company or, without one, of the regulator.
func (d *Desk) subject(ctx context.Context, in *validateInput) (*store.Carrier, regulatorapi.Facts, error) {
	var none regulatorapi.Facts
	body := in.Body
	given := 0
	for _, is := range []bool{body.USDOT != "", body.MC != "", body.Carrier != uuid.Nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, none, number.OnFields("Exactly one of usdot, mc and carrier_uuid is required.", "usdot", "mc", "carrier_uuid")
	}
	if body.Carrier != uuid.Nil {
		row, err := d.carriers.Find(ctx, body.Carrier)

		return &row, none, err
	}
	stored, column := "", "usdot"
	var f func() (regulatorapi.Facts, error)
	if body.MC != "" {
		docket, err := number.Docket("mc", body.MC)
		if err != nil {
			return nil, none, err
		}
		stored, column = docket.String(), "docket"
		f = func() (regulatorapi.Facts, error) { return d.registry.FindDocket(ctx, docket.String()) }
	} else {
		usdot, err := number.USDOT("usdot", body.USDOT)
		if err != nil {
			return nil, none, err
		}
		stored = usdot.String()
		f = func() (regulatorapi.Facts, error) { return d.registry.Find(ctx, usdot.Number) }
	}
	rows, err := d.carriers.Where(ctx, "merged_into_id IS NULL AND "+column+" = ?", stored)
	if err != nil {
		return nil, none, err
	}
	if len(rows) > 0 {
		return &rows[0], none, nil
	}
	facts, err := f()
	if err != nil || column == "usdot" || facts.USDOT == 0 {
		return nil, facts, err
	}
	// The company may have the carrier by its USDOT number.
	if rows, err = d.carriers.Where(ctx, "merged_into_id IS NULL AND usdot = ?", fmcsa.USDOT{Number: facts.USDOT}.String()); err == nil && len(rows) > 0 {
		return &rows[0], facts, nil
	}

	return nil, facts, err
}

type complianceInput struct {
	Status  string    `query:"status" enum:"unknown,eligible,warned,blocked,expired"`
	Carrier uuid.UUID `query:"carrier_uuid" doc:"This carrier alone."`
	After   uuid.UUID `query:"after"`
	PerPage int       `query:"per_page" minimum:"1" maximum:"200" default:"50"`
}

type complianceOutput struct {
	Body struct {
		Data []standing `json:"data" nullable:"false"`
	}
}

// standing is the result of the last verdict on a carrier.
type standing struct {
	Carrier   uuid.UUID      `json:"carrier_uuid"`
	Name      string         `json:"legal_name"`
	Status    verdict.Status `json:"status" enum:"unknown,eligible,warned,blocked,expired"`
	Codes     []string       `json:"codes" nullable:"false" doc:"Codes of the findings that block or warn."`
	CheckedAt *time.Time     `json:"checked_at" doc:"Null until the first verdict."`
}

func (d *Desk) compliance(ctx context.Context, in *complianceInput) (*complianceOutput, error) {
	rows, err := d.stored.Standings(ctx, in.Status, in.Carrier, in.After, in.PerPage)
	out := &complianceOutput{}
	out.Body.Data = make([]standing, len(rows))
	for i, row := range rows {
		out.Body.Data[i] = standing{row.ID, row.LegalName, row.LastVerdict(), strings.Fields(row.Codes), row.CheckedAt}
	}

	return out, err
}
