package store

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Plan is a row of billing_plans: a version of a plan. What it costs and grants never changes.
type Plan struct {
	database.Global `json:"-"`

	ID          uuid.UUID             `json:"uuid"`
	Code        string                `json:"code" doc:"The same for all versions." example:"pro"`
	Version     int64                 `json:"version" doc:"Subscriptions keep their version until they are moved."`
	Name        string                `json:"name"`
	Description string                `json:"description"`
	Interval    terms.Interval        `json:"interval" gorm:"column:every" enum:"month,year"`
	Price       money.Amount          `json:"price" doc:"For an interval, without tax."`
	Currency    money.Currency        `json:"currency"`
	TrialDays   int64                 `json:"trial_days"`
	Features    resource.JSON[Grants] `json:"features"`
	Limits      resource.JSON[Limits] `json:"limits" doc:"By name: users, loads_per_month, storage (in bytes), sms (in a month). What is absent is not limited." example:"{\"users\":5}"`
	Public      bool                  `json:"public" doc:"Whether companies can subscribe to it by themselves."`
	ArchivedAt  *time.Time            `json:"archived_at" doc:"Since when nobody can subscribe to it; null if it is offered."`
	CreatedAt   time.Time             `json:"created_at"`
}

// TableName implements GORM's naming.
func (Plan) TableName() string { return "billing_plans" }

// SchemaName implements web.SchemaNamer.
func (Plan) SchemaName() string { return "Plan" }

// Grants are what a plan grants.
type Grants struct {
	Areas []string        `json:"areas" maxItems:"100" nullable:"false" doc:"Areas that the company uses, beside those that every company has."`
	Flags map[string]bool `json:"flags,omitempty" maxProperties:"100" doc:"Further features, by name."`
}

// Limits are what a plan limits, by name.
type Limits map[string]int64

// LimitNames are the limits that areas ask for by limit.Check, and what companies are told that they limit.
var LimitNames = map[string]string{
	"users":           "users",
	"loads_per_month": "loads a month",
	"storage":         "the bytes of attachments",
	"sms":             "text messages a month",
}

// Cost is the price of a plan in units. A plan was checked when it was created.
func (p Plan) Cost() terms.Price {
	units, _ := money.Money{Amount: p.Price, Currency: p.Currency}.Units()

	return terms.Price{Units: units, Interval: p.Interval}
}

// Offered reports whether a company can subscribe to it by itself.
func (p Plan) Offered() bool { return p.Public && p.Current() }

// Current reports whether the operator can subscribe companies to it.
func (p Plan) Current() bool { return p.ArchivedAt == nil }

var (
	codePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
)

// maxPrice is the highest price, in the smallest unit of a currency.
const maxPrice = 1_000_000_000_000

// Check validates a new plan; areas are those of the deployment.
func (p *Plan) Check(areas []string) error {
	wrong := ErrInvalidPlan
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
		case LimitNames[name] == "":
			wrong = wrong.WithField("limits."+name, "The limits are "+strings.Join(slices.Sorted(maps.Keys(LimitNames)), ", ")+".")
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
		p.Limits.V = Limits{}
	}

	return nil
}
