package state

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

var (
	itemRule = regexp.MustCompile(`^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$`)
	verbRule = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// Validate reports everything that is wrong with the table: names, two steps for one state and verb,
// states that nothing leads to, and states that nothing leaves though they are not final.
func (m Machine[S]) Validate() error {
	problems := []error{m.checkNames(), m.checkSteps(), m.checkOrder()}
	reachable := m.reachable(append([]S{m.Initial}, m.Starts...)...)
	for _, s := range m.States() {
		final, ends := slices.Contains(m.Final, s), len(m.leaving(s)) == 0
		switch {
		case !slices.Contains(reachable, s):
			problems = append(problems, fmt.Errorf("nothing leads to %q", s))
		case ends && !final:
			problems = append(problems, fmt.Errorf("nothing leaves %q, which is not final", s))
		case final && !ends:
			problems = append(problems, fmt.Errorf("%q is final, but something leaves it", s))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("state machine of %q: %w", m.Item, err)
	}

	return nil
}

func (m Machine[S]) checkNames() error {
	var problems []error
	if !itemRule.MatchString(m.Item) {
		problems = append(problems, errors.New("want an item type such as yard.spot"))
	}
	for _, s := range slices.Concat(m.States(), m.Final) {
		if !verbRule.MatchString(string(s)) {
			problems = append(problems, fmt.Errorf("state %q: want lower case letters, digits and underscores", s))
		}
	}
	for _, s := range m.Final {
		if !slices.Contains(m.States(), s) {
			problems = append(problems, fmt.Errorf("final state %q is not in the table", s))
		}
	}
	for _, verb := range m.Verbs() {
		if !verbRule.MatchString(verb) || verb == "transitions" {
			problems = append(problems, fmt.Errorf("verb %q: want lower case letters, digits and underscores", verb))
		}
	}

	return errors.Join(problems...)
}

func (m Machine[S]) checkSteps() error {
	type edge struct {
		from S
		verb string
	}
	var problems []error
	seen := map[edge]bool{}
	for _, step := range m.Steps {
		if len(step.From) == 0 {
			problems = append(problems, fmt.Errorf("verb %q leads from nowhere to %q", step.Verb, step.To))
		}
		for _, from := range step.From {
			e := edge{from, step.Verb}
			if seen[e] {
				problems = append(problems, fmt.Errorf("verb %q is there twice from %q", step.Verb, from))
			}
			seen[e] = true
		}
	}

	return errors.Join(problems...)
}

func (m Machine[S]) checkOrder() error {
	var problems []error
	var seen []S
	for _, s := range slices.Concat(m.Order...) {
		if !slices.Contains(m.States(), s) {
			problems = append(problems, fmt.Errorf("%q in the order is not in the table", s))
		}
		if slices.Contains(seen, s) {
			problems = append(problems, fmt.Errorf("%q is in the order twice", s))
		}
		seen = append(seen, s)
	}

	return errors.Join(problems...)
}
