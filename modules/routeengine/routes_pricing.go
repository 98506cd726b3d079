package routeengine

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// quickQuotes prices transports in one call, and seals what it answers.
type quickQuotes struct {
	pricer   *pricer
	formulas *formulas
	tokens   *tokens
}

func newQuickQuotes(p *pricer, f *formulas, t *tokens) *quickQuotes {
	return &quickQuotes{pricer: p, formulas: f, tokens: t}
}

func quickQuoteRoutes(r *web.Router, q *quickQuotes) {
	failed := routeengineapi.ErrFormulaFailed
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/quick_quote", ID: "quick_quote", Access: web.Read, Summary: "Price a transport in one call",
		Description: "Nothing is stored. The quote_token makes a load at these prices within 30 minutes: POST /loads/api/v1/quick_loads.",
		Errors:      []*errs.Error{errUnknownPlace, errNoRoad, failed},
	}, q.quickQuote)
}

// formulaDesk answers the operations on formulas.
type formulaDesk struct {
	pricer   *pricer
	formulas *formulas
	rows     *resource.Resource[priceFormula]
	db       *database.DB
	clock    clock.Clock
}

func newFormulaDesk(p *pricer, f *formulas, rows *resource.Resource[priceFormula], db *database.DB, c clock.Clock) *formulaDesk {
	return &formulaDesk{pricer: p, formulas: f, rows: rows, db: db, clock: c}
}

func formulaRoutes(r *web.Router, d *formulaDesk) {
	missing, failed := d.rows.NotFound(), routeengineapi.ErrFormulaFailed
	access := web.Scope("formulas")
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/current_formula", ID: "read_current_formula", Access: web.Read, Summary: "Read the formula that counts",
		Description: "The published one, or the one that is shipped: its revision is 0.", Errors: []*errs.Error{missing},
	}, func(ctx context.Context, _ *struct{}) (*currentOutput, error) {
		if err := web.RequireScope(ctx, marginScope, "Reading the formula"); err != nil {
			return nil, err
		}
		f, err := d.formulas.current(ctx)

		return &currentOutput{currentFormula{f.Name, f.called().UUID, f.Revision, f.Currency, f.Factors, f.Options}}, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/formulas/{uuid}/test", ID: "test_formula", Access: web.Read, Summary: "Try a formula on sample transports",
		Description: "Beside the formula that counts. Own history does not come into it.", Errors: []*errs.Error{missing, errFormula, failed},
	}, func(ctx context.Context, in *formulaInput) (*trialsOutput, error) {
		row, err := d.rows.Find(ctx, in.UUID)
		if err != nil {
			return nil, err
		}
		out := &trialsOutput{}
		out.Body.Data, err = d.pricer.try(ctx, row)

		return out, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/formulas/{uuid}/publish", ID: "publish_formula", Access: access, Summary: "Have a formula count from now on",
		Description: "It is tried on sample transports first, which must all have a price. The one before is retired.",
		Errors:      []*errs.Error{missing, errFormula, failed, state.ErrNotAllowed, state.ErrMoved},
	}, d.publish)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/formulas/{uuid}/revise", ID: "revise_formula", Access: access, Summary: "Make a draft of a formula",
		Errors: []*errs.Error{missing, errFormula},
	}, func(ctx context.Context, in *reviseFormulaInput) (*web.Resource[priceFormula], error) {
		row, err := d.formulas.revise(ctx, in.UUID)

		return d.rows.Answer(ctx, row, err)
	})
}

// marginScope is what reading takes that says what carriers get of a price.
const marginScope = routeengineapi.Area + ":margins"

type reviseFormulaInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type formulaInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type currentOutput struct{ Body currentFormula }

// currentFormula is the formula that counts.
type currentFormula struct {
	Name     string         `json:"name"`
	UUID     string         `json:"uuid" doc:"Empty for the formula that is shipped."`
	Revision int64          `json:"revision"`
	Currency money.Currency `json:"currency"`
	Factors  any            `json:"factors" doc:"As those of formulas."`
	Options  any            `json:"options"`
}

// SchemaName implements web.SchemaNamer.
func (currentFormula) SchemaName() string { return "CurrentFormula" }

type trialsOutput struct {
	Body struct {
		Data []trial `json:"data" nullable:"false"`
	}
}

type publishOutput struct {
	Body struct {
		Formula priceFormula `json:"formula"`
		Trials  []trial      `json:"trials" nullable:"false"`
	}
}

func (d *formulaDesk) publish(ctx context.Context, in *formulaInput) (*publishOutput, error) {
	row, err := d.rows.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	out := &publishOutput{}
	if out.Body.Trials, err = d.pricer.try(ctx, row); err != nil {
		return nil, err
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		out.Body.Formula, err = d.formulas.publish(ctx, in.UUID, in.IfMatch, d.clock.Now())

		return err
	})
	if err != nil {
		return nil, err
	}

	return out, d.rows.Show(ctx, nil, &out.Body.Formula)
}

type quickInput struct {
	Body struct {
		From      string     `json:"from" minLength:"2" maxLength:"120" doc:"A ZIP code, or a city with its state." example:"75201"`
		To        string     `json:"to" minLength:"2" maxLength:"120" example:"Miami, FL"`
		Vehicles  []quickCar `json:"vehicles" minItems:"1" maxItems:"50" nullable:"false"`
		Type      string     `json:"transport_type,omitempty" enum:"open,enclosed,driveaway" default:"open"`
		Expedited bool       `json:"expedited,omitempty"`
		Date      field.Date `json:"date,omitempty" doc:"The first day on which the vehicles can be picked up."`
	}
}

// quickCar is a vehicle of a quick quote.
type quickCar struct {
	Year     int64  `json:"year,omitempty" minimum:"1900" maximum:"2100" example:"2003"`
	Make     string `json:"make,omitempty" maxLength:"50" example:"Honda"`
	Model    string `json:"model,omitempty" maxLength:"100" example:"Accord"`
	Type     string `json:"type,omitempty" enum:"atv,boat,car,convertible,coupe,dually,exotic,hatchback,heavy_equipment,large_yacht,minivan,motorcycle,pickup,rv,sedan,small_yacht,suv,trailer,travel_trailer,truck,van,wagon,other" doc:"As GET /vehicles/api/v1/types lists them." example:"sedan"`
	Operable *bool  `json:"operable,omitempty" default:"true"`
	Modified bool   `json:"modified,omitempty"`
}

// SchemaName implements web.SchemaNamer.
func (quickCar) SchemaName() string { return "QuickQuoteVehicle" }

type quickOutput struct{ Body quickQuote }

// quickQuote is what a transport costs by the formula that counts.
type quickQuote struct {
	Low          money.Amount    `json:"low"`
	Price        money.Amount    `json:"price" doc:"The tariff of the option standard."`
	High         money.Amount    `json:"high"`
	Currency     money.Currency  `json:"currency"`
	PerMile      money.Amount    `json:"per_mile"`
	CarrierPay   money.Amount    `json:"carrier_pay,omitempty" doc:"With the scope route_engine:margins, as broker_fee and explanation."`
	BrokerFee    money.Amount    `json:"broker_fee,omitempty"`
	Miles        float64         `json:"miles"`
	Days         window          `json:"transit_days"`
	Options      []optionPrice   `json:"options" nullable:"false"`
	Confidence   string          `json:"confidence" enum:"high,medium,low"`
	Warnings     []string        `json:"warnings" nullable:"false"`
	Explanation  json.RawMessage `json:"explanation,omitempty" doc:"How the price came to be; not for customers."`
	ValidMinutes int             `json:"valid_minutes" example:"30"`
	Token        string          `json:"quote_token"`
}

// SchemaName implements web.SchemaNamer.
func (quickQuote) SchemaName() string { return "QuickQuote" }

type optionPrice struct {
	Key    string       `json:"key"`
	Label  string       `json:"label"`
	Tariff money.Amount `json:"tariff"`
}

// SchemaName implements web.SchemaNamer.
func (optionPrice) SchemaName() string { return "QuickQuoteOption" }

func (q *quickQuotes) quickQuote(ctx context.Context, in *quickInput) (*quickOutput, error) {
	b := in.Body
	t := routeengineapi.Transport{
		Stops: []routeengineapi.Stop{placeText(b.From), placeText(b.To)}, Type: b.Type, Expedited: b.Expedited, AvailableFrom: string(b.Date),
	}
	for _, v := range b.Vehicles {
		name := strings.Join(strings.Fields(strings.Join([]string{yearText(v.Year), v.Make, v.Model}, " ")), " ")
		t.Vehicles = append(t.Vehicles, routeengineapi.Car{
			Name: name, Year: v.Year, Make: v.Make, Model: v.Model, Type: v.Type, Operable: v.Operable == nil || *v.Operable, Modified: v.Modified,
		})
	}
	way, err := q.pricer.way(ctx, t, func(i int) string { return []string{"from", "to"}[i] })
	if err != nil {
		return nil, err
	}
	formula, err := q.formulas.current(ctx)
	if err != nil {
		return nil, err
	}
	made, err := q.pricer.apply(ctx, formula, way)
	if err != nil {
		return nil, err
	}
	price, err := priceOf(formula, made)
	if err != nil {
		return nil, err
	}
	out := quickQuote{
		Price: made.Tariff, Currency: formula.Currency, Miles: way.route.Miles, Days: way.route.Days, Options: []optionPrice{}, Confidence: made.Confidence,
		Warnings: made.Warnings, ValidMinutes: int(tokenLife / time.Minute),
	}
	if who, _ := principal.From(ctx); who.Allows(marginScope) {
		out.CarrierPay, out.BrokerFee, out.Explanation = made.CarrierPay, made.BrokerFee, price.Explanation
	}
	for _, o := range made.Options {
		out.Options = append(out.Options, optionPrice{o.Key, o.Label, o.Tariff})
	}
	tariff := money.Money{Amount: made.Tariff, Currency: formula.Currency}
	units, _ := tariff.Units() // made by the formula, in whole units
	out.Low, out.High, out.PerMile = tariff.Amount, tariff.Amount, tariff.Amount
	if way.route.Miles > 0 {
		out.PerMile = money.OfUnits(int64(math.Round(float64(units)/way.route.Miles)), formula.Currency).Amount
	}
	const band = 8                                                          // percent, as the miles are off
	out.Low = money.OfUnits(units-units*band/100, formula.Currency).Amount  //nolint:mnd // percent
	out.High = money.OfUnits(units+units*band/100, formula.Currency).Amount //nolint:mnd // percent
	out.Token, err = q.tokens.issue(ctx, routeengineapi.QuickQuote{Transport: t, Cars: price.Cars, Currency: price.Currency})

	return &quickOutput{out}, err
}

func yearText(year int64) string {
	if year == 0 {
		return ""
	}

	return strconv.FormatInt(year, 10)
}

// placeText reads a ZIP code, or a city with its state.
func placeText(text string) routeengineapi.Stop {
	text = strings.TrimSpace(text)
	if city, state, found := strings.Cut(text, ","); found {
		return routeengineapi.Stop{City: strings.TrimSpace(city), State: strings.TrimSpace(state)}
	}

	return routeengineapi.Stop{ZIP: text}
}
