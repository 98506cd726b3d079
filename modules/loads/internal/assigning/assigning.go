package assigning

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Load is a load as rules see it.
type Load struct {
	// From and To are states, "" for none.
	From, To         string
	Customer, Source *uuid.UUID
	// Types are those of its vehicles.
	Types []string
}

// Loads is what the package needs of loads.
type Loads interface {
	// ToAssign returns a load as rules see it. Error: loadsapi.ErrNotFound.
	ToAssign(ctx context.Context, id uuid.UUID) (Load, error)
	// Open returns how many loads that are not over each of some users has.
	Open(ctx context.Context, users []uuid.UUID) (map[string]int64, error)
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

// Desk decides to whom loads go.
type Desk struct {
	loads Loads
	rules *resource.Resource[Rule]
	users *identity.Service
	rows  repository
}

// NewDesk returns a Desk.
func NewDesk(loads Loads, rules *resource.Resource[Rule], users *identity.Service, db *database.DB) *Desk {
	return &Desk{loads, rules, users, repository{db}}
}

// Assign says to whom each of some loads goes, nil for nobody. Rules that take turns are held until the transaction in ctx ends, so that of
// two loads at a time each takes a turn of its own.
func (s *Desk) Assign(ctx context.Context, all []Load) ([]*uuid.UUID, error) {
	to := make([]*uuid.UUID, len(all))
	if len(all) == 0 {
		return to, nil
	}
	rules, err := s.rules.Where(ctx, "active")
	if err != nil || len(rules) == 0 {
		return to, err
	}
	sortRules(rules)
	users, err := s.users.UserNames(ctx, usersOf(rules...))
	if err != nil {
		return nil, err
	}
	for i, l := range all {
		for k := range rules {
			r := &rules[k]
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
			if to[i], err = s.choose(ctx, r, who); err != nil {
				return nil, err
			}

			break
		}
	}

	return to, nil
}

// choose takes one of the users of a rule.
func (s *Desk) choose(ctx context.Context, r *Rule, who []uuid.UUID) (*uuid.UUID, error) {
	if r.Method == "least_open" {
		open, err := s.loads.Open(ctx, who)
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

// Decide refuses rules that name users whom the company does not have.
func (s *Desk) Decide(ctx context.Context, all []*resource.Change[Rule]) error {
	var rules []Rule
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

// Routes registers the operation that explains rules.
func Routes(r *web.Router, s *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/assignment", ID: "explain_load_assignment", Access: web.Read, Summary: "Explain which rule assigns a load",
		Description: "Tries all rules on the load as it is, without assigning it.", Errors: []*errs.Error{loadsapi.ErrNotFound},
	}, s.explain)
}

type explainInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type explainOutput struct {
	Body struct {
		Rules []trial `json:"rules" nullable:"false"`
	}
}

func (s *Desk) explain(ctx context.Context, in *explainInput) (*explainOutput, error) {
	l, err := s.loads.ToAssign(ctx, in.UUID)
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
		t := trial{Rule: r.ID, Name: r.Name, Why: r.mismatch(l)}
		if t.Matches = t.Why == ""; t.Matches && decided {
			t.Why = "An earlier rule decides."
		}
		decided = decided || t.Matches
		out.Body.Rules = append(out.Body.Rules, t)
	}

	return out, nil
}
