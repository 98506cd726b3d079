package carriers

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/rulebook"
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

// confirmIdentity is the verb of a carrier whose identity was confirmed.
const confirmIdentity resource.Verb = "identity_confirmed"

// mostRead is how many carriers are read at once.
const mostRead = 100

var (
	errNotOnRecord = errs.New(errs.Invalid, "carriers.not_on_record", "The given data was invalid.").
			WithField("channel", "The channel must be a phone or an e-mail of the regulator's record.")
	errDeclared = errs.New(errs.Invalid, "carriers.invalid_value", "The given data was invalid.").WithField("for.declared_value", "`declared_value` must not be negative.")
)

func carrierRoutes(r *web.Router, d *desk) {
	carriers := d.carriers
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/read", ID: "read_carriers", Access: web.Read, Summary: "Read carriers by their numbers",
		Description: "Returns the carriers of the company that have one of the ids, USDOT numbers or dockets; those that it does not have are in `missing`.",
		Errors:      []*errs.Error{regulatorapi.ErrInvalidNumber, number.ErrOne},
	}, d.read)
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
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/rules/effective", ID: "list_effective_rules", Access: web.Read, Summary: "List the rules by which carriers are judged",
		Description: "The default rules, those that you have replaced, and your own; and the facts that conditions may read.",
		Errors:      []*errs.Error{database.ErrUnavailable},
	}, d.effective)
}

// desk answers requests about carriers.
type desk struct {
	carriers *resource.Resource[carrier]
	judge    *judge
	book     *rulebook.Book
	registry *registry.Registry
	stored   *repository
}

func newDesk(carriers *resource.Resource[carrier], j *judge, b *rulebook.Book, r *registry.Registry, stored *repository) *desk {
	return &desk{carriers, j, b, r, stored}
}

type readCarriersInput struct {
	Body struct {
		UUIDs   []uuid.UUID `json:"uuids,omitempty" maxItems:"100"`
		USDOTs  []string    `json:"usdots,omitempty" maxItems:"100" example:"[\"9900001\"]"`
		Dockets []string    `json:"dockets,omitempty" maxItems:"100" example:"[\"MC-990001\"]"`
	}
}

type readCarriersOutput struct {
	Body struct {
		Data    []carrier `json:"data" nullable:"false"`
		Missing []string  `json:"missing" nullable:"false" doc:"Ids and numbers, in their stored form, that no carrier of the company has."`
	}
}

func (d *desk) read(ctx context.Context, in *readCarriersInput) (*readCarriersOutput, error) {
	asked := in.Body
	if n := len(asked.UUIDs) + len(asked.USDOTs) + len(asked.Dockets); n == 0 || n > mostRead {
		return nil, number.OnFields("The uuids, usdots and dockets together must be 1 to 100.", "uuids", "usdots", "dockets")
	}
	usdots, err := normal(asked.USDOTs, "usdots", number.USDOT)
	if err != nil {
		return nil, err
	}
	dockets, err := normal(asked.Dockets, "dockets", number.Docket)
	if err != nil {
		return nil, err
	}
	rows, err := d.carriers.Where(ctx, "id IN ? OR merged_into_id IS NULL AND (usdot IN ? OR docket IN ?)", asked.UUIDs, usdots, dockets)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b carrier) int { return slices.Compare(a.ID[:], b.ID[:]) })
	shown := make([]*carrier, len(rows))
	has := map[string]bool{}
	for i := range rows {
		shown[i] = &rows[i]
		has[rows[i].ID.String()] = true
		for _, number := range []*string{rows[i].USDOT, rows[i].Docket} {
			if number != nil {
				has[*number] = true
			}
		}
	}
	if err := d.carriers.Show(ctx, nil, shown...); err != nil {
		return nil, err
	}
	out := &readCarriersOutput{}
	out.Body.Data, out.Body.Missing = rows, []string{}
	ids := make([]string, len(asked.UUIDs))
	for i, id := range asked.UUIDs {
		ids[i] = id.String()
	}
	for _, name := range slices.Concat(ids, usdots, dockets) {
		if !has[name] {
			out.Body.Missing = append(out.Body.Missing, name)
		}
	}

	return out, nil
}

// normal returns numbers in their stored form.
func normal[N interface{ String() string }](texts []string, key string, read func(field, text string) (N, error)) ([]string, error) {
	numbers := make([]string, len(texts))
	for i, text := range texts {
		one, err := read(key, text)
		if err != nil {
			return nil, err
		}
		numbers[i] = one.String()
	}

	return numbers, nil
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

func (d *desk) validate(ctx context.Context, in *validateInput) (*validateOutput, error) {
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
func (d *desk) subject(ctx context.Context, in *validateInput) (*carrier, regulatorapi.Facts, error) {
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

func (d *desk) compliance(ctx context.Context, in *complianceInput) (*complianceOutput, error) {
	rows, err := d.stored.standings(ctx, in.Status, in.Carrier, in.After, in.PerPage)
	out := &complianceOutput{}
	out.Body.Data = make([]standing, len(rows))
	for i, row := range rows {
		out.Body.Data[i] = standing{row.ID, row.LegalName, row.compliance(), strings.Fields(row.Codes), row.CheckedAt}
	}

	return out, err
}

type confirmInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Channel string `json:"channel" maxLength:"320" doc:"The phone or e-mail of the regulator's record by which the carrier was reached." example:"+12025550143"`
		Note    string `json:"note,omitempty" maxLength:"500" example:"Spoke to Ann, who confirmed the offer."`
	}
}

type effectiveOutput struct {
	Body struct {
		Rules []verdict.Rule `json:"rules" nullable:"false"`
		Facts []verdict.Fact `json:"facts" nullable:"false"`
	}
}

func (d *desk) effective(ctx context.Context, _ *struct{}) (*effectiveOutput, error) {
	own, err := d.book.Own(ctx)
	out := &effectiveOutput{}
	out.Body.Rules, out.Body.Facts = rulebook.Effective(own), verdict.Facts()

	return out, err
}
