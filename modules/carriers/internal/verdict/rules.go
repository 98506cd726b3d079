package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/platform/formula"
)

// Rules are compiled, and can judge any number of subjects at once.
type Rules struct {
	rules []compiled
}

type compiled struct {
	Rule

	levels []condition
	// requires are the places of the facts without which it cannot be decided, each once.
	requires []int
}

type condition struct {
	severity  Severity
	holds     formula.Expr
	threshold *apd.Decimal
}

// RuleError is what is wrong with a rule, and where.
type RuleError struct {
	At      string // rules.2.levels.0.when
	Message string
}

func (p RuleError) Error() string { return p.At + " " + p.Message }

const (
	mostRules  = 100
	mostLevels = 5
	mostLetter = 500
)

var (
	codePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{1,49}$`)
	severities  = []Severity{Block, Warn, Note, Off}
)

// places are where the values of facts are, by their names.
var places = sync.OnceValue(func() map[string]int {
	made := make(map[string]int, len(facts)+1)
	for i, f := range facts {
		made[f.name] = i
	}
	made[threshold] = len(facts)

	return made
})

// Compile makes rules ready. Its error is a RuleError.
func Compile(rules []Rule) (*Rules, error) {
	if len(rules) > mostRules {
		return nil, RuleError{"rules", fmt.Sprintf("must be at most %d.", mostRules)}
	}
	made := &Rules{rules: make([]compiled, len(rules))}
	codes := map[string]bool{}
	for i, r := range rules {
		at := fmt.Sprintf("rules.%d", i)
		if codes[r.Code] {
			return nil, RuleError{at + ".code", "is the code of another rule."}
		}
		codes[r.Code] = true
		one, err := compile(r, at)
		if err != nil {
			return nil, err
		}
		made.rules[i] = one
	}

	return made, nil
}

func compile(r Rule, at string) (compiled, error) {
	c := compiled{Rule: r}
	switch {
	case !codePattern.MatchString(r.Code):
		return c, RuleError{at + ".code", "must be lower-case letters, digits and underscores."}
	case strings.TrimSpace(r.Title) == "":
		return c, RuleError{at + ".title", "must not be empty."}
	case len(r.Title) > mostLetter:
		return c, RuleError{at + ".title", fmt.Sprintf("must have at most %d characters.", mostLetter)}
	case len(r.Fix) > mostLetter:
		return c, RuleError{at + ".fix", fmt.Sprintf("must have at most %d characters.", mostLetter)}
	case !slices.Contains(severities, r.Unknown):
		return c, RuleError{at + ".unknown", "must be block, warn, note or off."}
	case len(r.Levels) == 0 || len(r.Levels) > mostLevels:
		return c, RuleError{at + ".levels", fmt.Sprintf("must be 1 to %d.", mostLevels)}
	}
	for name, of := range map[string]string{"evidence": r.Evidence, "needed": r.Needed} {
		if _, known := places()[of]; of != "" && !known && of != cargoNeeded {
			return c, RuleError{at + "." + name, unknownFact(of)}
		}
	}
	for j, l := range r.Levels {
		condition, reads, err := compileLevel(l, fmt.Sprintf("%s.levels.%d", at, j))
		if err != nil {
			return c, err
		}
		c.levels = append(c.levels, condition)
		if r.Requires == nil {
			c.requires = append(c.requires, reads...)
		}
	}
	for j, name := range r.Requires {
		place, known := places()[name]
		if !known || name == threshold {
			return c, RuleError{fmt.Sprintf("%s.requires.%d", at, j), unknownFact(name)}
		}
		c.requires = append(c.requires, place)
	}
	slices.Sort(c.requires)
	c.requires = slices.Compact(c.requires)

	return c, nil
}

func compileLevel(l Level, at string) (condition, []int, error) {
	made := condition{severity: l.Severity}
	if !slices.Contains(severities, l.Severity) {
		return made, nil, RuleError{at + ".severity", "must be block, warn, note or off."}
	}
	var reads []int
	names := func(name string) (formula.Kind, int, error) {
		place, known := places()[name]
		switch {
		case !known:
			return "", 0, formula.Error(unknownFact(name))
		case name == threshold && l.Threshold == "":
			return "", 0, formula.Error("reads threshold, which the level does not have.")
		case name == threshold:
			return formula.Number, place, nil
		}
		reads = append(reads, place)

		return facts[place].kind, place, nil
	}
	var err error
	if len(l.When) > 2*mostLetter {
		return made, nil, RuleError{at + ".when", fmt.Sprintf("must have at most %d characters.", 2*mostLetter)}
	}
	if made.holds, err = formula.Compile(l.When, names); err != nil {
		return made, nil, RuleError{at + ".when", err.Error()}
	}
	if made.holds.Kind != formula.Boolean {
		return made, nil, RuleError{at + ".when", "must be true or false, not a " + string(made.holds.Kind) + "."}
	}
	if l.Threshold != "" {
		if made.threshold, _, err = apd.NewFromString(l.Threshold); err != nil || made.threshold.Form != apd.Finite || len(l.Threshold) > 30 {
			return made, nil, RuleError{at + ".threshold", "must be a number, such as 100000 or 1.5."}
		}
	}

	return made, reads, nil
}

// unknownFact says that a name is no fact, and which one is nearest.
func unknownFact(name string) string {
	nearest, least := "", len(name)/2+1
	for _, f := range facts {
		if d := levenshtein.ComputeDistance(name, f.name); d < least {
			nearest, least = f.name, d
		}
	}
	if nearest == "" {
		return fmt.Sprintf("reads %q, which is no fact.", name)
	}

	return fmt.Sprintf("reads %q, which is no fact. Did you mean %s?", name, nearest)
}

// Fact is a name that conditions may read.
type Fact struct {
	Name  string `json:"name" example:"cargo_cover"`
	Kind  string `json:"kind" enum:"text,number,boolean,date"`
	About string `json:"about"`
}

// Facts returns all names that conditions may read, but threshold.
func Facts() []Fact {
	all := make([]Fact, len(facts))
	for i, f := range facts {
		all[i] = Fact{f.name, string(f.kind), f.about}
	}

	return all
}
