package assigning

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Load is a load as rules see it.
type Load struct {
	// From and To are states, "" for none.
	From, To         string
	FromZIP3, ToZIP3 string
	Customer, Source *uuid.UUID
	Tariff           money.Amount
	// Currency is that of the tariff, "" for that of each rule.
	Currency money.Currency
	// At is when it came, in the time zone of the company; the zero time for now.
	At time.Time
	// Types are those of its vehicles.
	Types []string
	// Not is a user to whom it does not go, nil for none.
	Not *uuid.UUID
}

// Loads is what the package needs of loads.
type Loads interface {
	// ToAssign returns a load as rules see it. Error: loadsapi.ErrNotFound.
	ToAssign(ctx context.Context, id uuid.UUID) (Load, error)
	// Open returns how many loads that are not over each of some users has.
	Open(ctx context.Context, users []uuid.UUID) (map[uuid.UUID]int64, error)
	// LastUsers returns, for each of some customers, who has the newest of its loads to which somebody is assigned.
	LastUsers(ctx context.Context, customers []uuid.UUID) (map[uuid.UUID]uuid.UUID, error)
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
	db    *database.DB
	clock clock.Clock
}

// NewDesk returns a Desk.
func NewDesk(loads Loads, rules *resource.Resource[Rule], users *identity.Service, db *database.DB, c clock.Clock) *Desk {
	return &Desk{loads, rules, users, repository{db}, db, c}
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
	if err := s.timed(ctx, rules, all); err != nil {
		return nil, err
	}
	r, err := s.newRound(ctx, rules, all)
	if err != nil {
		return nil, err
	}
	for i, l := range all {
		if to[i], err = r.assign(ctx, l); err != nil {
			return nil, err
		}
	}

	return to, r.end(ctx)
}

// timed says when loads came that come now, where rules ask for it.
func (s *Desk) timed(ctx context.Context, rules []Rule, all []Load) error {
	if !slices.ContainsFunc(rules, func(r Rule) bool { return r.Hour != nil }) {
		return nil
	}
	company, err := s.users.Company(ctx, principal.CompanyOf(ctx))
	for i := range all {
		if all[i].At.IsZero() {
			all[i].At = s.clock.Now().In(company.Zone())
		}
	}

	return err
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
		Method: http.MethodPost, Path: "/assignment_rules/test", ID: "test_assignment_rules", Access: web.Read, Summary: "Try the assignment rules on a load that does not exist",
		Description: "Says which rule decides, and why the others do not. Nobody's turn is taken.", Errors: []*errs.Error{errRule},
	}, s.test)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/assignment_rules/order", ID: "order_assignment_rules", Access: web.Scope("settings"), Summary: "Say in which order the assignment rules are tried",
		Description: "Those that are not named come after those that are, in the order in which they were.", Errors: []*errs.Error{errRule, s.rules.NotFound()},
	}, s.order)
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

	return s.try(ctx, l)
}

// try says of each rule whether it matches a load.
func (s *Desk) try(ctx context.Context, l Load) (*explainOutput, error) {
	rules, err := s.sorted(ctx)
	if err != nil {
		return nil, err
	}
	all := []Load{l}
	if err := s.timed(ctx, rules, all); err != nil {
		return nil, err
	}
	out, decided := &explainOutput{}, false
	out.Body.Rules = []trial{}
	for _, r := range rules {
		t := trial{Rule: r.ID, Name: r.Name, Why: r.mismatch(all[0])}
		if t.Matches = t.Why == ""; t.Matches && decided {
			t.Why = "An earlier rule decides."
		}
		decided = decided || t.Matches
		out.Body.Rules = append(out.Body.Rules, t)
	}

	return out, nil
}

// sorted returns all rules in the order in which they are tried.
func (s *Desk) sorted(ctx context.Context) ([]Rule, error) {
	rules, err := s.rules.Where(ctx, "name <> ''")
	sortRules(rules)

	return rules, err
}

type ruleTestInput struct {
	Body struct {
		From     string         `json:"origin_state,omitempty" maxLength:"2" example:"TX"`
		FromZIP  string         `json:"origin_postal_code,omitempty" maxLength:"10" example:"75201"`
		To       string         `json:"destination_state,omitempty" maxLength:"2"`
		ToZIP    string         `json:"destination_postal_code,omitempty" maxLength:"10"`
		Customer *uuid.UUID     `json:"customer_uuid,omitempty"`
		Source   *uuid.UUID     `json:"source_uuid,omitempty"`
		Types    []string       `json:"vehicle_types,omitempty" maxItems:"50" example:"[\"suv\"]"`
		Tariff   money.Amount   `json:"tariff,omitempty"`
		Currency money.Currency `json:"currency,omitempty" doc:"Of the tariff; by default that of each rule."`
		Hour     *int           `json:"hour,omitempty" minimum:"0" maximum:"23" doc:"When it comes, in the company's time zone; without it, now."`
	}
}

func (s *Desk) test(ctx context.Context, in *ruleTestInput) (*explainOutput, error) {
	b := in.Body
	l := Load{From: b.From, To: b.To, FromZIP3: zip3(b.FromZIP), ToZIP3: zip3(b.ToZIP), Customer: b.Customer, Source: b.Source, Types: b.Types, Tariff: b.Tariff, Currency: b.Currency}
	if b.Hour != nil {
		l.At = time.Date(1, 1, 2, *b.Hour, 0, 0, 0, time.UTC) //nolint:mnd // some day
	}

	return s.try(ctx, l)
}

func zip3(of string) string { return of[:min(len(of), len("752"))] }

type rulesOrderInput struct {
	Body struct {
		Rules []uuid.UUID `json:"rule_uuids" minItems:"1" maxItems:"200" nullable:"false" doc:"In the order in which they are to be tried."`
	}
}

type rulesOrderOutput struct {
	Body struct {
		Rules []uuid.UUID `json:"rule_uuids" nullable:"false" doc:"All rules, in the order in which they are tried."`
	}
}

// order numbers the rules anew, 1, 2, 3 …
func (s *Desk) order(ctx context.Context, in *rulesOrderInput) (out *rulesOrderOutput, err error) {
	out = &rulesOrderOutput{}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		rules, err := s.sorted(ctx)
		if err != nil {
			return err
		}
		place := make(map[uuid.UUID]int, len(in.Body.Rules))
		for i, id := range in.Body.Rules {
			if _, twice := place[id]; twice {
				return errRule.WithField(fmt.Sprintf("rule_uuids.%d", i), "The rule is named twice.")
			}
			if place[id] = i; !slices.ContainsFunc(rules, func(r Rule) bool { return r.ID == id }) {
				return errRule.WithField(fmt.Sprintf("rule_uuids.%d", i), "There is no such rule.")
			}
		}
		at := func(r Rule) int {
			if i, named := place[r.ID]; named {
				return i
			}

			return len(place)
		}
		slices.SortStableFunc(rules, func(a, b Rule) int { return at(a) - at(b) })
		out.Body.Rules = make([]uuid.UUID, len(rules))
		for i, r := range rules {
			out.Body.Rules[i] = r.ID
			if position := int64(i) + 1; r.Position != position {
				if _, err := s.rules.Change(ctx, r.ID, web.IfMatch{}, resource.Update, func(_ context.Context, r *Rule) error {
					r.Position = position

					return nil
				}); err != nil {
					return err
				}
			}
		}

		return nil
	})

	return out, err
}
