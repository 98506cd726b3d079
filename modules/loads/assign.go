package loads

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// assignmentRule is a row of loads_assignment_rules: to whom new loads of a kind go.
type assignmentRule struct {
	resource.Row

	Name     string                     `json:"name" field:"required,max=100,unique=folded,sort,search,title" example:"Texas"`
	Position int64                      `json:"position" field:"min=0,max=10000,sort" doc:"Rules are tried in this order; the first that matches decides."`
	Active   bool                       `json:"active" field:"default=true,sort"`
	From     resource.JSON[[]string]    `json:"origin_states" gorm:"column:origin_states" field:"max=60" doc:"Matches loads from these states; empty for all." example:"[\"TX\"]"`
	To       resource.JSON[[]string]    `json:"destination_states" gorm:"column:destination_states" field:"max=60"`
	Customer *uuid.UUID                 `json:"customer_uuid" gorm:"column:customer_id" field:"item=contacts.contact,on_delete=remove" doc:"Matches loads of this customer."`
	Types    resource.JSON[[]string]    `json:"vehicle_types" gorm:"column:vehicle_types" field:"max=30" doc:"Matches loads with a vehicle of one of these types; empty for all."`
	Method   string                     `json:"method" field:"default=round_robin" enum:"round_robin,least_open" doc:"round_robin takes the users in turn. least_open takes the one with the fewest open loads."`
	Users    resource.JSON[[]uuid.UUID] `json:"user_uuids" gorm:"column:user_ids" field:"max=100" doc:"Users of the company. Deactivated ones are passed over. Without any, loads that match are assigned to nobody."`
	Turn     int64                      `json:"-" gorm:"column:turn" field:"hidden"`
}

// TableName implements GORM's naming.
func (assignmentRule) TableName() string { return "loads_assignment_rules" }

var errRule = errs.New(errs.Invalid, "loads.invalid_assignment_rule", "The given data was invalid.")

func ruleRules() resource.Rules[assignmentRule] {
	access := web.Scope("settings")

	return resource.Rules[assignmentRule]{
		Item: "loads.assignment_rule", Sort: []string{"position", "name"}, WriteAccess: access, Failures: resource.Failures{Invalid: errRule},
		About: "To whom new loads go that nobody was assigned. The first rule that matches decides.",
		Check: checkRule,
	}
}

func checkRule(_ context.Context, r *assignmentRule) error {
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
func (r assignmentRule) mismatch(l *load) string {
	switch {
	case !r.Active:
		return "The rule is not active."
	case len(r.From.V) > 0 && !slices.Contains(r.From.V, l.OriginState):
		return "The load is not from one of its states."
	case len(r.To.V) > 0 && !slices.Contains(r.To.V, l.DestState):
		return "The load is not to one of its states."
	case r.Customer != nil && (l.Customer == nil || *l.Customer != *r.Customer):
		return "The load is of another customer."
	case len(r.Types.V) > 0 && !slices.ContainsFunc(l.Vehicles.V, func(v vehicle) bool { return slices.Contains(r.Types.V, string(v.Type)) }):
		return "The load has no vehicle of its types."
	}

	return ""
}

// trial is what a rule says of a load.
type trial struct {
	Rule    uuid.UUID `json:"rule_uuid"`
	Name    string    `json:"name"`
	Matches bool      `json:"matches"`
	Why     string    `json:"why" doc:"Why it does not match, or that an earlier one decides; empty for the one that decides."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (trial) SchemaName() string { return "AssignmentTrial" }

// assigner decides to whom loads go.
type assigner struct {
	loads *resource.Resource[load]
	rules *resource.Resource[assignmentRule]
	users *identity.Service
	rows  *repository
}

func newAssigner(
	loads *resource.Resource[load], rules *resource.Resource[assignmentRule], users *identity.Service, rows *repository,
) *assigner {
	return &assigner{loads, rules, users, rows}
}

// assign gives new loads that nobody was assigned to whom the rules say. Rules that take turns are held, so that of two loads at a time each
// takes a turn of its own.
func (s *assigner) assign(ctx context.Context, all []*resource.Change[load]) error {
	var open []*load
	for _, c := range all {
		if made := c.Verb == resource.Create && c.After.State != loadsapi.Draft; (made || c.Verb == verbAccept) && c.After.Assigned == nil {
			open = append(open, c.After)
		}
	}
	if len(open) == 0 {
		return nil
	}
	rules, err := s.rules.Where(ctx, "active")
	if err != nil || len(rules) == 0 {
		return err
	}
	sortRules(rules)
	users, err := s.users.UserNames(ctx, usersOf(rules...))
	if err != nil {
		return err
	}
	for _, l := range open {
		for i := range rules {
			r := &rules[i]
			if r.mismatch(l) != "" {
				continue
			}
			if len(r.Users.V) == 0 {
				break
			}
			who := slices.DeleteFunc(slices.Clone(r.Users.V), func(id uuid.UUID) bool { return !users[id].Active })
			if len(who) == 0 {
				continue
			}
			if l.Assigned, err = s.choose(ctx, r, who); err != nil {
				return err
			}

			break
		}
	}

	return nil
}

// usersOf are the users that some rules name.
func usersOf(rules ...assignmentRule) (all []uuid.UUID) {
	for _, r := range rules {
		all = append(all, r.Users.V...)
	}

	return all
}

// decideRules refuses rules that name users whom the company does not have.
func (s *assigner) decideRules(ctx context.Context, all []*resource.Change[assignmentRule]) error {
	var rules []assignmentRule
	for _, c := range all {
		if c.Verb != resource.Delete {
			rules = append(rules, *c.After)
		}
	}
	if len(rules) == 0 {
		return nil
	}
	known, err := s.users.UserNames(ctx, usersOf(rules...))
	if err != nil {
		return err
	}
	for _, c := range all {
		for i, id := range c.After.Users.V {
			if _, there := known[id]; !there && c.Verb != resource.Delete {
				c.Refuse(errRule.WithField(fmt.Sprintf("user_uuids.%d", i), "There is no such user."))
			}
		}
	}

	return nil
}

func sortRules(rules []assignmentRule) {
	slices.SortFunc(rules, func(a, b assignmentRule) int {
		if a.Position != b.Position {
			return int(a.Position - b.Position)
		}

		return strings.Compare(a.Name, b.Name)
	})
}

// choose takes one of the users of a rule.
func (s *assigner) choose(ctx context.Context, r *assignmentRule, who []uuid.UUID) (*uuid.UUID, error) {
	if r.Method == "least_open" {
		open, err := s.loads.CountBy(ctx, "assigned_id", "assigned_id IN ? AND state IN ?", who, openStates)
		if err != nil {
			return nil, err
		}
		least := slices.MinFunc(who, func(a, b uuid.UUID) int { return int(open[a.String()] - open[b.String()]) })

		return &least, nil
	}
	turn, err := s.rows.takeTurn(ctx, r.ID)
	chosen := who[int(turn)%len(who)]

	return &chosen, err
}

func assignRoutes(r *web.Router, s *assigner) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/assignment", ID: "explain_load_assignment", Access: web.Read, Summary: "Explain which rule assigns a load",
		Description: "Tries all rules on the load as it is, without assigning it.", Errors: []*errs.Error{s.loads.NotFound()},
	}, s.explain)
}

type explainOutput struct {
	Body struct {
		Rules []trial `json:"rules" nullable:"false"`
	}
}

func (s *assigner) explain(ctx context.Context, in *readInput) (*explainOutput, error) {
	l, err := s.loads.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	rules, err := s.rules.Where(ctx, "name <> ''")
	if err != nil {
		return nil, err
	}
	sortRules(rules)
	out, decided := &explainOutput{}, false
	out.Body.Rules = []trial{}
	for _, r := range rules {
		t := trial{Rule: r.ID, Name: r.Name, Why: r.mismatch(&l)}
		if t.Matches = t.Why == ""; t.Matches && decided {
			t.Why = "An earlier rule decides."
		}
		decided = decided || t.Matches
		out.Body.Rules = append(out.Body.Rules, t)
	}

	return out, nil
}
