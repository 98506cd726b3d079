package routeengine

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/pricing"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// priceFormula is a row of route_engine_formulas: how a company comes to prices. One that was published does not change.
type priceFormula struct {
	resource.Row

	Name        string                          `json:"name" field:"required,max=100,sort,search,title" example:"Winter"`
	Revision    int64                           `json:"revision" field:"readonly,sort" doc:"Which formula of the company it is, from 1."`
	State       formulaState                    `json:"state" field:"sort"`
	Currency    money.Currency                  `json:"currency" field:"filled=company" doc:"By default the company's."`
	Factors     resource.JSON[[]pricing.Factor] `json:"factors" field:"max=50,scope=margins" required:"false" doc:"Applied one after the other. By default those of the formula that is shipped."`
	Options     resource.JSON[[]pricing.Option] `json:"options" field:"max=3,scope=margins" required:"false"`
	Note        string                          `json:"note" field:"max=2000,nofilter"`
	PublishedAt *time.Time                      `json:"published_at" field:"readonly,sort"`
}

// TableName implements GORM's naming.
func (priceFormula) TableName() string { return "route_engine_formulas" }

// MarshalJSON leaves out what the caller may not see.
func (f priceFormula) MarshalJSON() ([]byte, error) {
	type plain priceFormula

	return resource.MarshalRow(&f.Row, plain(f))
}

type formulaState string

const (
	formulaDraft     formulaState = "draft"
	formulaPublished formulaState = "published"
	formulaRetired   formulaState = "retired"
)

const (
	verbPublish resource.Verb = "publish"
	verbRetire  resource.Verb = "retire"
)

var (
	errFormula       = errs.New(errs.Invalid, "route_engine.invalid_formula", "The given data was invalid.")
	errFormulaFrozen = errs.New(errs.Conflict, "route_engine.formula_frozen", "A formula that was published does not change. Revise it.")
)

func formulaRules() resource.Rules[priceFormula] {
	const scope = "formulas"

	return resource.Rules[priceFormula]{
		Item: routeengineapi.Formula, Sort: []string{"-revision"}, Title: "Price formula", WriteAccess: web.Scope(scope), KeepDeleted: true,
		About: "How prices come about: factors that are applied one after the other. One formula of a company is published at a time; without one, the formula that is shipped counts.",
		Own:   []resource.Verb{verbPublish}, Errors: []*errs.Error{errFormulaFrozen}, Failures: resource.Failures{Invalid: errFormula},
		Check: checkFormula, Decide: onlyDraftsChange,
		Life: resource.LifeOf(state.Machine[formulaState]{
			Item: routeengineapi.Formula, Initial: formulaDraft, Final: []formulaState{formulaRetired},
			Steps: []state.Step[formulaState]{
				{From: []formulaState{formulaDraft}, Verb: string(verbPublish), To: formulaPublished},
				{From: []formulaState{formulaPublished}, Verb: string(verbRetire), To: formulaRetired},
			},
		}, func(f *priceFormula) *formulaState { return &f.State }),
	}
}

// checkFormula completes a formula, and names what is wrong with it.
func checkFormula(_ context.Context, f *priceFormula) error {
	if len(f.Factors.V) == 0 {
		f.Factors.V = pricing.Shipped().Factors
	}
	if len(f.Options.V) == 0 {
		f.Options.V = pricing.Shipped().Options
	}
	_, err := f.compile()

	return err
}

// compile makes a formula ready. Error: errFormula.
func (f priceFormula) compile() (*pricing.Compiled, error) {
	c, problems := pricing.Compile(pricing.Formula{Factors: f.Factors.V, Options: f.Options.V})
	wrong := errFormula
	for _, p := range problems {
		wrong = wrong.WithField(p.Field, p.Message)
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}

	return c, nil
}

func onlyDraftsChange(_ context.Context, _ *resource.Resource[priceFormula], c resource.Change[priceFormula]) error {
	if (c.Verb == resource.Update || c.Verb == resource.Delete) && c.Before.State != formulaDraft {
		return errFormulaFrozen
	}

	return nil
}

// formulas publishes formulas, and knows which one counts.
type formulas struct {
	rows   *resource.Resource[priceFormula]
	stored *repository
}

func newFormulas(rows *resource.Resource[priceFormula], stored *repository) *formulas {
	return &formulas{rows, stored}
}

// number gives new formulas their revisions.
func (f *formulas) number(ctx context.Context, all []*resource.Change[priceFormula]) error {
	last := int64(-1)
	for _, c := range all {
		if c.Verb != resource.Create {
			continue
		}
		if last < 0 {
			var err error
			if last, err = f.stored.lastRevision(ctx); err != nil {
				return err
			}
		}
		last++
		c.After.Revision = last
	}

	return nil
}

// current returns the formula that counts: the published one, or the one that is shipped, which has no id.
func (f *formulas) current(ctx context.Context) (priceFormula, error) {
	row, err := f.stored.publishedFormula(ctx)
	if errors.Is(err, errNoFormula) {
		s := pricing.Shipped()

		return priceFormula{
			Name: "Shipped", State: formulaPublished, Currency: "USD", Factors: resource.JSON[[]pricing.Factor]{V: s.Factors}, Options: resource.JSON[[]pricing.Option]{V: s.Options},
		}, nil
	}

	return row, err
}

// publish has a formula count from now on, in place of the one before.
func (f *formulas) publish(ctx context.Context, id uuid.UUID, match web.IfMatch, now time.Time) (priceFormula, error) {
	before, err := f.stored.publishedFormula(ctx)
	if err != nil && !errors.Is(err, errNoFormula) {
		return before, err
	}
	if err == nil && before.ID != id {
		as := principal.AsCompany(ctx, principal.CompanyOf(ctx))
		if _, err := f.rows.Move(as, state.Move{UUID: before.ID, Verb: string(verbRetire), Reason: "Another formula was published."}, web.IfMatch{}); err != nil {
			return before, err
		}
	}

	return f.rows.Change(ctx, id, match, verbPublish, func(ctx context.Context, row *priceFormula) error {
		row.PublishedAt = &now

		return f.rows.Step(ctx, row, state.Move{Verb: string(verbPublish)})
	})
}

// revise makes a draft of a formula.
func (f *formulas) revise(ctx context.Context, id uuid.UUID) (priceFormula, error) {
	row, err := f.rows.Find(ctx, id)
	if err != nil {
		return row, err
	}

	return f.rows.Create(ctx, priceFormula{Name: row.Name, Currency: row.Currency, Factors: row.Factors, Options: row.Options, Note: row.Note})
}
