// Package assigning decides to whom new loads go that nobody was assigned, by the rules of the company.
package assigning

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Rule is a row of loads_assignment_rules: to whom new loads of a kind go.
type Rule struct {
	resource.Row

	Name     string                     `json:"name" field:"required,max=100,unique=folded,sort,search,title" example:"Texas"`
	Position int64                      `json:"position" field:"min=0,max=10000,sort" doc:"Rules are tried in this order; the first that matches decides."`
	Active   bool                       `json:"active" field:"default=true,sort"`
	From     resource.JSON[[]string]    `json:"origin_states" gorm:"column:origin_states" field:"max=60" doc:"Matches loads from these states; empty for all." example:"[\"TX\"]"`
	To       resource.JSON[[]string]    `json:"destination_states" gorm:"column:destination_states" field:"max=60"`
	Customer *uuid.UUID                 `json:"customer_uuid" gorm:"column:customer_id" field:"item=contacts.contact,on_delete=remove" doc:"Matches loads of this customer."`
	Types    resource.JSON[[]string]    `json:"vehicle_types" gorm:"column:vehicle_types" field:"max=30" doc:"Matches loads with a vehicle of one of these types; empty for all."`
	FromZIP3 resource.JSON[[]string]    `json:"origin_zip3s" gorm:"column:origin_zip3s" field:"max=100" doc:"Matches loads whose first ZIP code begins with one of these three digits; empty for all." example:"[\"752\"]"`
	ToZIP3   resource.JSON[[]string]    `json:"destination_zip3s" gorm:"column:destination_zip3s" field:"max=100"`
	Least    money.Amount               `json:"tariff_from" gorm:"column:tariff_from" field:"scope=margins" required:"false" doc:"Matches loads whose tariff is at least this; null for all. With tariff_from or tariff_below, loads in another currency do not match."`
	Most     money.Amount               `json:"tariff_below" gorm:"column:tariff_below" field:"scope=margins" required:"false" doc:"Matches loads whose tariff is less than this."`
	Currency money.Currency             `json:"currency" field:"filled=company" doc:"Of tariff_from and tariff_below; by default the company's."`
	Hour     *int64                     `json:"hour_from" gorm:"column:hour_from" field:"min=0,max=23" doc:"Matches loads that come at this hour or later, in the company's time zone."`
	Before   *int64                     `json:"hour_before" gorm:"column:hour_before" field:"min=0,max=24" doc:"Matches loads that come before this hour. An earlier one than hour_from is one of the next day." example:"8"`
	Sources  resource.JSON[[]uuid.UUID] `json:"source_uuids" gorm:"column:source_ids" field:"max=50" doc:"Matches loads that came from one of these sources; empty for all, and for loads entered by hand."`
	Method   string                     `json:"method" field:"default=round_robin" enum:"round_robin,weighted,least_open,last_user" doc:"round_robin takes the users in turn, weighted more or less often. least_open takes the one with the fewest open loads. last_user takes who had the customer's newest load, if it is one of the users or there are none; for a new customer, the next rule decides."`
	Users    resource.JSON[[]uuid.UUID] `json:"user_uuids" gorm:"column:user_ids" field:"max=100" doc:"Users of the company. Deactivated ones are passed over. Without any, loads that match are assigned to nobody."`
	Weights  resource.JSON[[]int64]     `json:"weights" field:"max=100" doc:"For weighted: how many loads of a round each of the users gets, 1 to 100."`
	MaxOpen  int64                      `json:"max_open" field:"min=0,max=100000" doc:"Users who have this many open loads are passed over; 0 for no limit."`
	Turn     int64                      `json:"-" gorm:"column:turn" field:"hidden"`
}

// TableName implements GORM's naming.
func (Rule) TableName() string { return "loads_assignment_rules" }

// MarshalJSON leaves out what the caller may not see.
func (r Rule) MarshalJSON() ([]byte, error) {
	type plain Rule

	return resource.MarshalRow(&r.Row, plain(r))
}

var errRule = errs.New(errs.Invalid, "loads.invalid_assignment_rule", "The given data was invalid.")

// RuleRules are what the operations on rules keep to.
func RuleRules() resource.Rules[Rule] {
	access := web.Scope("settings")

	return resource.Rules[Rule]{
		Item: "loads.assignment_rule", Sort: []string{"position", "name"}, WriteAccess: access, Failures: resource.Failures{Invalid: errRule},
		About: "To whom new loads go that nobody was assigned. The first rule that matches decides.",
		Check: checkRule,
	}
}

func checkRule(_ context.Context, r *Rule) error {
	wrong := errRule
	for name, all := range map[string][]string{"origin_states": r.From.V, "destination_states": r.To.V} {
		for i := range all {
			const letters = 2
			if all[i] = strings.ToUpper(strings.TrimSpace(all[i])); len(all[i]) != letters {
				wrong = wrong.WithField(fmt.Sprintf("%s.%d", name, i), "The entry must be a state, such as TX.")
			}
		}
	}
	for name, all := range map[string][]string{"origin_zip3s": r.FromZIP3.V, "destination_zip3s": r.ToZIP3.V} {
		for i, zip3 := range all {
			if !threeDigits.MatchString(zip3) {
				wrong = wrong.WithField(fmt.Sprintf("%s.%d", name, i), "The entry must be the first three digits of a ZIP code, such as 752.")
			}
		}
	}
	for name, amount := range map[string]money.Amount{"tariff_from": r.Least, "tariff_below": r.Most} {
		if _, ok := r.units(amount); amount != "" && !ok {
			wrong = wrong.WithField(name, r.Currency.AmountRule(name, mostUnits))
		}
	}
	if (r.Hour == nil) != (r.Before == nil) {
		wrong = wrong.WithField("hour_before", "Name both hour_from and hour_before, or neither.")
	}
	for i, weight := range r.Weights.V {
		if weight < 1 || weight > mostWeight {
			wrong = wrong.WithField(fmt.Sprintf("weights.%d", i), "The weight must be 1 to 100.")
		}
	}
	if weighted := r.Method == byWeight; weighted && len(r.Weights.V) != len(r.Users.V) || !weighted && len(r.Weights.V) > 0 {
		wrong = wrong.WithField("weights", "The method weighted has one weight for each user; others have none.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// The ways to choose one of the users of a rule, beside round_robin.
const (
	byWeight   = "weighted"
	leastOpen  = "least_open"
	lastUser   = "last_user"
	mostWeight = 100
	// mostUnits is the most that loads cost, in the smallest unit of a currency.
	mostUnits = 10_000_000_000
)

var threeDigits = regexp.MustCompile(`^[0-9]{3}$`)

// mismatch says why a rule does not match a load, "" if it does.
func (r Rule) mismatch(l Load) string {
	switch {
	case !r.Active:
		return "The rule is not active."
	case len(r.From.V) > 0 && !slices.Contains(r.From.V, l.From):
		return "The load is not from one of its states."
	case len(r.To.V) > 0 && !slices.Contains(r.To.V, l.To):
		return "The load is not to one of its states."
	case r.Customer != nil && (l.Customer == nil || *l.Customer != *r.Customer):
		return "The load is of another customer."
	case len(r.Types.V) > 0 && !slices.ContainsFunc(l.Types, func(t string) bool { return slices.Contains(r.Types.V, t) }):
		return "The load has no vehicle of its types."
	case len(r.FromZIP3.V) > 0 && !slices.Contains(r.FromZIP3.V, l.FromZIP3):
		return "The load is not from one of its ZIP codes."
	case len(r.ToZIP3.V) > 0 && !slices.Contains(r.ToZIP3.V, l.ToZIP3):
		return "The load is not to one of its ZIP codes."
	case (r.Least != "" || r.Most != "") && l.Currency != "" && l.Currency != r.Currency:
		return "The load is in " + string(l.Currency) + ", and the amounts of the rule are in " + string(r.Currency) + "."
	case r.Least != "" && (l.Tariff == "" || r.less(l.Tariff, r.Least)):
		return "The tariff is below its range."
	case r.Most != "" && (l.Tariff == "" || !r.less(l.Tariff, r.Most)):
		return "The tariff is above its range."
	case r.Hour != nil && r.Before != nil && !within(int64(l.At.Hour()), *r.Hour, *r.Before):
		return "It is not the hour of the rule."
	case len(r.Sources.V) > 0 && (l.Source == nil || !slices.Contains(r.Sources.V, *l.Source)):
		return "The load is not from one of its sources."
	}

	return ""
}

// less compares two amounts in the currency of a rule.
func (r Rule) less(a, b money.Amount) bool {
	first, _ := r.units(a) // checked before, or 0
	second, _ := r.units(b)

	return first < second
}

// units is an amount in the smallest unit of the currency of a rule. It is false for one that is negative, or not in whole units.
func (r Rule) units(a money.Amount) (int64, bool) {
	made, err := money.Of(a, r.Currency)
	if err != nil {
		return 0, false
	}
	n, ok := made.Units()

	return n, ok && n >= 0
}

// within reports whether an hour is from one until before another one, perhaps of the next day.
func within(hour, from, before int64) bool {
	if from < before {
		return from <= hour && hour < before
	}

	return from <= hour || hour < before
}

// usersOf are the users that some rules name.
func usersOf(rules ...Rule) (all []uuid.UUID) {
	for _, r := range rules {
		all = append(all, r.Users.V...)
	}

	return all
}

func sortRules(rules []Rule) {
	slices.SortFunc(rules, func(a, b Rule) int {
		if a.Position != b.Position {
			return int(a.Position - b.Position)
		}

		return strings.Compare(a.Name, b.Name)
	})
}
