package assigning

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/identity"
)

// round is the assignment of loads that are stored together. What is asked is asked once for all of them, and each load counts for the next.
type round struct {
	desk  *Desk
	rules []Rule
	users map[uuid.UUID]identity.NamedUser
	// last is who has the newest load of each customer, nil if no rule asks.
	last map[uuid.UUID]uuid.UUID
	// open is how many loads each user has, nil if no rule asks.
	open map[uuid.UUID]int64
	// turns are the first ones of the rules that are held, taken is how many were taken.
	turns, taken map[uuid.UUID]int64
}

func (s *Desk) newRound(ctx context.Context, rules []Rule, all []Load) (*round, error) {
	r := &round{desk: s, rules: rules, turns: map[uuid.UUID]int64{}, taken: map[uuid.UUID]int64{}}
	users := usersOf(rules...)
	var err error
	if slices.ContainsFunc(rules, func(r Rule) bool { return r.Method == lastUser }) {
		var customers []uuid.UUID
		for _, l := range all {
			if l.Customer != nil {
				customers = append(customers, *l.Customer)
			}
		}
		if r.last, err = s.loads.LastUsers(ctx, customers); err != nil {
			return nil, err
		}
		for _, id := range r.last {
			users = append(users, id)
		}
	}
	if r.users, err = s.users.UserNames(ctx, users); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(rules, func(r Rule) bool { return r.Method == leastOpen || r.MaxOpen > 0 }) {
		r.open, err = s.loads.Open(ctx, users)
	}

	return r, err
}

// assign says to whom a load goes, nil for nobody.
func (r *round) assign(ctx context.Context, l Load) (*uuid.UUID, error) {
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.mismatch(l) != "" {
			continue
		}
		all := r.candidates(rule, l)
		if len(all) == 0 && (len(rule.Users.V) > 0 || rule.Method == lastUser) {
			continue
		}
		if len(all) == 0 {
			return nil, nil //nolint:nilnil // the rule says nobody
		}
		to, err := r.choose(ctx, rule, all)
		if err != nil {
			return nil, err
		}
		if r.open != nil {
			r.open[to]++
		}
		if r.last != nil && l.Customer != nil {
			r.last[*l.Customer] = to
		}

		return &to, nil
	}

	return nil, nil //nolint:nilnil // no rule matches
}

// candidate is a user who may be chosen.
type candidate struct {
	id     uuid.UUID
	weight int64
}

// candidates are the users of a rule to whom a load may go.
func (r *round) candidates(rule *Rule, l Load) (all []candidate) {
	may := func(id uuid.UUID) bool {
		return r.users[id].Active && (rule.MaxOpen == 0 || r.open[id] < rule.MaxOpen) && (l.Not == nil || *l.Not != id)
	}
	if rule.Method == lastUser {
		if l.Customer == nil {
			return nil
		}
		last, known := r.last[*l.Customer]
		if known && may(last) && (len(rule.Users.V) == 0 || slices.Contains(rule.Users.V, last)) {
			all = append(all, candidate{id: last})
		}

		return all
	}
	for i, id := range rule.Users.V {
		c := candidate{id: id, weight: 1}
		if rule.Method == byWeight {
			c.weight = rule.Weights.V[i]
		}
		if may(id) {
			all = append(all, c)
		}
	}

	return all
}

// choose takes one of the candidates of a rule.
func (r *round) choose(ctx context.Context, rule *Rule, all []candidate) (uuid.UUID, error) {
	switch rule.Method {
	case lastUser:
		return all[0].id, nil
	case leastOpen:
		return slices.MinFunc(all, func(a, b candidate) int { return int(r.open[a.id] - r.open[b.id]) }).id, nil
	}
	turn, err := r.turn(ctx, rule.ID)
	if err != nil {
		return uuid.Nil, err
	}
	var full int64
	for _, c := range all {
		full += c.weight
	}
	turn %= full
	for _, c := range all {
		if turn -= c.weight; turn < 0 {
			return c.id, nil
		}
	}

	return all[0].id, nil
}

// turn takes the next turn of a rule, which is held from the first one on.
func (r *round) turn(ctx context.Context, rule uuid.UUID) (int64, error) {
	if _, held := r.turns[rule]; !held {
		first, err := r.desk.rows.takeTurn(ctx, rule)
		if err != nil {
			return 0, err
		}
		r.turns[rule] = first
	}
	n := r.turns[rule] + r.taken[rule]
	r.taken[rule]++

	return n, nil
}

// end keeps how many turns were taken.
func (r *round) end(ctx context.Context) error {
	for rule, n := range r.taken {
		if n > 1 {
			if err := r.desk.rows.addTurns(ctx, rule, n-1); err != nil {
				return err
			}
		}
	}

	return nil
}
