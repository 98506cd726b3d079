package billing

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// plan is a row of billing_plans: a version of a plan. What it costs and grants never changes.
type plan struct {
	database.Global `json:"-"`

	ID          uuid.UUID              `json:"uuid"`
	Code        string                 `json:"code" doc:"The same for all versions." example:"pro"`
	Version     int64                  `json:"version" doc:"Subscriptions keep their version until they are moved."`
	Name        string                 `json:"name"`
	Description string                 `json:"description"`
	Interval    terms.Interval         `json:"interval" gorm:"column:every" enum:"month,year"`
	Price       money.Amount           `json:"price" doc:"For an interval, without tax."`
	Currency    money.Currency         `json:"currency"`
	TrialDays   int64                  `json:"trial_days"`
	Features    resource.JSON[grants]  `json:"features"`
	Limits      resource.JSON[limited] `json:"limits" doc:"By name: users, loads_per_month, storage (in bytes), sms (in a month). What is absent is not limited." example:"{\"users\":5}"`
	Public      bool                   `json:"public" doc:"Whether companies can subscribe to it by themselves."`
	ArchivedAt  *time.Time             `json:"archived_at" doc:"Since when nobody can subscribe to it; null if it is offered."`
	CreatedAt   time.Time              `json:"created_at"`
}

// TableName implements GORM's naming.
func (plan) TableName() string { return "billing_plans" }

// SchemaName implements web.SchemaNamer.
func (plan) SchemaName() string { return "Plan" }

// grants are what a plan grants.
type grants struct {
	Areas []string        `json:"areas" maxItems:"100" nullable:"false" doc:"Areas that the company uses, beside those that every company has."`
	Flags map[string]bool `json:"flags,omitempty" maxProperties:"100" doc:"Further features, by name."`
}

type limited map[string]int64

// limitNames are the limits that areas ask for by limit.Check, and what companies are told that they limit.
var limitNames = map[string]string{
	"users":           "users",
	"loads_per_month": "loads a month",
	"storage":         "the bytes of attachments",
	"sms":             "text messages a month",
}

// price is the price of a plan in units. A plan was checked when it was created.
func (p plan) price() terms.Price {
	units, _ := money.Money{Amount: p.Price, Currency: p.Currency}.Units()

	return terms.Price{Units: units, Interval: p.Interval}
}

// offered reports whether a company can subscribe to it by itself.
func (p plan) offered() bool { return p.Public && p.current() }

// current reports whether the operator can subscribe companies to it.
func (p plan) current() bool { return p.ArchivedAt == nil }

var (
	codePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
)

// maxPrice is the highest price, in the smallest unit of a currency.
const maxPrice = 1_000_000_000_000

// check validates a new plan; areas are those of the deployment.
func (p *plan) check(areas []string) error {
	wrong := errPlan
	if !codePattern.MatchString(p.Code) {
		wrong = wrong.WithField("code", "The code must be a lower case letter, and up to 39 more letters, digits, hyphens and underscores.")
	}
	if p.Name = strings.TrimSpace(p.Name); p.Name == "" {
		wrong = wrong.WithField("name", "The name is required.")
	}
	cost, err := money.Of(p.Price, p.Currency)
	units, fits := cost.Units()
	switch {
	case p.Price == "" || p.Currency == "":
		wrong = wrong.WithField("price", "The price and the currency are required.")
	case err != nil:
		wrong = wrong.WithField("price", fmt.Sprintf("The price must have at most %d decimal places.", p.Currency.Digits()))
	case !fits || units < 0 || units > maxPrice:
		wrong = wrong.WithField("price", "The price must be 0 to 10,000,000,000.")
	}
	for _, id := range p.Features.V.Areas {
		if !slices.Contains(areas, id) {
			wrong = wrong.WithField("features.areas", "The area "+id+" is not part of this deployment.")
		}
	}
	for name := range p.Features.V.Flags {
		if !namePattern.MatchString(name) {
			wrong = wrong.WithField("features.flags", "The name of a flag must be lower case letters, digits and underscores.")
		}
	}
	for name, most := range p.Limits.V {
		switch {
		case limitNames[name] == "":
			wrong = wrong.WithField("limits."+name, "The limits are "+strings.Join(slices.Sorted(maps.Keys(limitNames)), ", ")+".")
		case most < 0:
			wrong = wrong.WithField("limits."+name, "The limit must be 0 or more.")
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	p.Features.V.Areas = append([]string{}, p.Features.V.Areas...)
	slices.Sort(p.Features.V.Areas)
	p.Features.V.Areas = slices.Compact(p.Features.V.Areas)
	if p.Limits.V == nil {
		p.Limits.V = limited{}
	}

	return nil
}

// newest returns the newest version of each plan that meets a condition, by price.
func newest(all []plan, of func(plan) bool) []plan {
	latest := map[string]plan{}
	for _, p := range all {
		if known, seen := latest[p.Code]; of(p) && (!seen || known.Version < p.Version) {
			latest[p.Code] = p
		}
	}
	offered := make([]plan, 0, len(latest))
	for _, p := range all {
		if latest[p.Code].ID == p.ID {
			offered = append(offered, p)
		}
	}

	return offered
}

// plans stores plans. They belong to no company.
type plans struct {
	db       *database.DB
	clock    clock.Clock
	features *features
	sellers  *sellers
}

func newPlans(db *database.DB, clk clock.Clock, f *features, s *sellers) *plans {
	return &plans{db, clk, f, s}
}

// create stores a plan as the next version of its code.
func (s *plans) create(ctx context.Context, p plan) (plan, error) {
	seller, err := s.sellers.required(ctx)
	if err != nil {
		return p, err
	}
	areas, err := s.features.areas(ctx, seller.House)
	if err != nil {
		return p, err
	}
	if err := p.check(areas); err != nil {
		return p, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		versions, err := s.where(ctx, "code = ?", p.Code)
		if err != nil {
			return err
		}
		p.ID, p.Version, p.CreatedAt = database.NewID(), 1, s.clock.Now()
		for _, v := range versions {
			p.Version = max(p.Version, v.Version+1)
		}

		return database.DuplicateAs(s.db.Conn(ctx).Create(&p).Error, errPlanTaken)
	})

	return p, err
}

// change offers a plan, or ends the offer. Its subscribers keep it.
func (s *plans) change(ctx context.Context, id uuid.UUID, do func(p *plan, now time.Time)) (p plan, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if p, err = s.find(ctx, id); err != nil {
			return err
		}
		do(&p, s.clock.Now())

		return database.RequireAffected(s.db.Conn(ctx).Model(&plan{}).Where("id = ?", id).
			UpdateColumns(map[string]any{"public": p.Public, "archived_at": p.ArchivedAt}), errPlanNotFound)
	})

	return p, err
}

// find returns a version of a plan, or billing.plan_not_found.
func (s *plans) find(ctx context.Context, id uuid.UUID) (plan, error) {
	return database.One[plan](s.db.Conn(ctx), errPlanNotFound, "id = ?", id)
}

// named returns the newest version of a code that meets a condition, or billing.plan_not_found.
func (s *plans) named(ctx context.Context, code string, of func(plan) bool) (plan, error) {
	versions, err := s.where(ctx, "code = ?", code)
	if err != nil {
		return plan{}, err
	}
	for _, p := range newest(versions, of) {
		return p, nil
	}

	return plan{}, errPlanNotFound
}

// maxPlans is how many versions of plans are listed.
const maxPlans = 1000

// all returns the versions of all plans, by price.
func (s *plans) all(ctx context.Context) ([]plan, error) {
	return database.All[plan](s.db.Conn(ctx).Order("price, code, version DESC").Limit(maxPlans))
}

func (s *plans) where(ctx context.Context, condition string, args ...any) ([]plan, error) {
	return database.All[plan](s.db.Conn(ctx).Where(condition, args...).Order("price, code, version DESC").Limit(maxPlans))
}

// grant has the caller's company use the areas of a plan, or only what every company has.
func (s *plans) grant(ctx context.Context, id uuid.UUID, full bool) error {
	var areas []string
	if full {
		p, err := s.find(ctx, id)
		if err != nil {
			return err
		}
		areas = p.Features.V.Areas
	}

	return s.features.apply(ctx, principal.CompanyOf(ctx), areas)
}
