// Package assigning decides to whom new loads go that nobody was assigned, by the rules of the company.
package assigning

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
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
	Sources  resource.JSON[[]uuid.UUID] `json:"source_uuids" gorm:"column:source_ids" field:"max=50" doc:"Matches loads that came from one of these sources; empty for all, and for loads that somebody entered."`
	Method   string                     `json:"method" field:"default=round_robin" enum:"round_robin,least_open" doc:"round_robin takes the users in turn. least_open takes the one with the fewest open loads."`
	Users    resource.JSON[[]uuid.UUID] `json:"user_uuids" gorm:"column:user_ids" field:"max=100" doc:"Users of the company. Deactivated ones are passed over. Without any, loads that match are assigned to nobody."`
	Turn     int64                      `json:"-" gorm:"column:turn" field:"hidden"`
}

// TableName implements GORM's naming.
func (Rule) TableName() string { return "loads_assignment_rules" }

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
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

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
	case len(r.Sources.V) > 0 && (l.Source == nil || !slices.Contains(r.Sources.V, *l.Source)):
		return "The load is not from one of its sources."
	}

	return ""
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
