// Package pricing prices transports by formulas: lists of factors, each of which changes an amount and says why. It is pure.
//
// Each vehicle has the factors of the carrier pay applied to it, from 0. The factors of the broker fee are applied once, to the carrier
// pay of all vehicles, and the fee is shared among them.
package pricing

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Formula is how a company comes to prices.
type Formula struct {
	Factors []Factor `json:"factors"`
	Options []Option `json:"options"`
}

// Factor changes an amount.
type Factor struct {
	Key   string `json:"key" minLength:"1" maxLength:"40" pattern:"^[a-z][a-z0-9_]*$" patternDescription:"lower-case letters, digits and underscores after a letter" doc:"The name by which later factors refer to the amount after it."`
	Label string `json:"label" minLength:"1" maxLength:"100" doc:"What people read."`
	Of    string `json:"of,omitempty" enum:"carrier_pay,broker_fee" default:"carrier_pay" doc:"carrier_pay: applied to each vehicle. broker_fee: applied once, after those."`
	Kind  string `json:"kind" enum:"miles,set,multiply,add,percent,minimum,maximum,round_up" doc:"miles: by tiers. set: the value. multiply, add: by the value. percent: adds so much of it. minimum, maximum: the value, if that is more, or less. round_up: to a multiple of the value."`
	When  string `json:"when,omitempty" maxLength:"500" doc:"A condition; the factor is skipped where it does not hold." example:"not operable"`
	Value string `json:"value,omitempty" maxLength:"500" doc:"A number or an expression; of miles, none." example:"max(150, carrier_pay * 0.15)"`
	Tiers []Tier `json:"tiers,omitempty" maxItems:"20" nullable:"false" doc:"Of miles."`
	// Required says that there is no price where the value is not known.
	Required bool `json:"required,omitempty" doc:"Whether there is no price if something that the value needs is not known. By default the factor is then skipped, with a warning."`
}

// SchemaName implements web.SchemaNamer.
func (Factor) SchemaName() string { return "PriceFactor" }

// Tier is the price of a mile up to so many miles.
type Tier struct {
	UpTo int64        `json:"up_to,omitempty" minimum:"0" maximum:"100000" doc:"In miles; 0 for all beyond, which is the last tier."`
	Rate money.Amount `json:"rate" doc:"For a mile." example:"0.85"`
}

// SchemaName implements web.SchemaNamer.
func (Tier) SchemaName() string { return "PriceTier" }

// Option is a way in which a transport can be done, at another tariff.
type Option struct {
	Key     string       `json:"key" enum:"standard,priority,guaranteed"`
	Label   string       `json:"label" minLength:"1" maxLength:"60"`
	Percent money.Amount `json:"percent,omitempty" doc:"How much more of the tariff it costs; of standard, nothing." example:"10.00"`
}

// SchemaName implements web.SchemaNamer.
func (Option) SchemaName() string { return "PriceOption" }

// The kinds of factors, and what they are of.
const (
	kindMiles    = "miles"
	kindSet      = "set"
	kindMultiply = "multiply"
	kindAdd      = "add"
	kindPercent  = "percent"
	kindMinimum  = "minimum"
	kindMaximum  = "maximum"
	kindRoundUp  = "round_up"
	ofPay        = "carrier_pay"
	ofFee        = "broker_fee"
	standard     = "standard"
)

// inputs are the names that every expression knows, with their kinds, in the order of the values.
var inputs = []struct {
	name string
	kind formula.Kind
}{
	{"miles", formula.Number},
	{"vehicles", formula.Number},
	{"position", formula.Number},
	{"type", formula.Text},
	{"size", formula.Text},
	{"operable", formula.Boolean},
	{"modified", formula.Boolean},
	{"transport_type", formula.Text},
	{"expedited", formula.Boolean},
	{"origin_state", formula.Text},
	{"destination_state", formula.Text},
	{"origin_zip3", formula.Text},
	{"destination_zip3", formula.Text},
	{"remote_ends", formula.Number},
	{"available_in_days", formula.Number},
	{"month", formula.Number},
	{"lane_loads", formula.Number},
	{"lane_p25", formula.Number},
	{"lane_p50", formula.Number},
	{"lane_p75", formula.Number},
	{"amount", formula.Number},
	{"carrier_pay", formula.Number},
}

// Problem is what is wrong with a formula, at a field such as "factors.3.value".
type Problem struct{ Field, Message string }

// Compiled is a formula that is ready to be applied.
type Compiled struct {
	formula Formula
	steps   []step
	options []optionStep
}

type optionStep struct {
	option Option
	factor *apd.Decimal
}

// step is a factor that is ready to be applied.
type step struct {
	Factor

	when, value *formula.Expr
	tiers       []*apd.Decimal
	reads       []string // by when and value
}

// Compile makes a formula ready, or returns what is wrong with it.
func Compile(f Formula) (*Compiled, []Problem) {
	c, problems := &Compiled{formula: f}, []Problem{}
	wrong := func(at, format string, args ...any) {
		problems = append(problems, Problem{at, fmt.Sprintf(format, args...)})
	}
	if len(f.Factors) == 0 {
		wrong("factors", "A formula has at least one factor.")
	}
	var keys []string
	for i, factor := range f.Factors {
		at := "factors." + strconv.Itoa(i)
		if factor.Of == "" {
			factor.Of = ofPay
		}
		if slices.Contains(keys, factor.Key) || known(factor.Key) >= 0 {
			wrong(at+".key", "The key %s is taken: by an input, or by another factor.", factor.Key)
		}
		if factor.Of == ofPay && i > 0 && f.Factors[i-1].Of == ofFee {
			wrong(at+".of", "The factors of the carrier pay come before those of the broker fee.")
		}
		s := step{Factor: factor}
		s.compile(at, names(factor, keys, f.Factors[i:]), wrong)
		c.steps, keys = append(c.steps, s), append(keys, factor.Key)
	}
	c.compileOptions(wrong)

	return c, problems
}

// known is the index of an input, -1 for none.
func known(name string) int {
	return slices.IndexFunc(inputs, func(in struct {
		name string
		kind formula.Kind
	},
	) bool {
		return in.name == name
	})
}

// names are what a factor can refer to: inputs, and the factors before it.
func names(of Factor, before []string, rest []Factor) formula.Names {
	return func(name string) (formula.Kind, int, error) {
		if i := known(name); i >= 0 {
			if name == "carrier_pay" && of.Of != ofFee {
				return "", 0, formula.Error("refers to carrier_pay, which only factors of the broker fee know.")
			}

			return inputs[i].kind, i, nil
		}
		if i := slices.Index(before, name); i >= 0 {
			return formula.Number, len(inputs) + i, nil
		}
		if slices.ContainsFunc(rest, func(f Factor) bool { return f.Key == name }) {
			return "", 0, formula.Error("refers to " + name + ", which is not computed before it: a factor refers to earlier ones alone.")
		}

		return "", 0, formula.Error("refers to " + name + ", which is neither an input nor an earlier factor.")
	}
}

func (s *step) compile(at string, n formula.Names, wrong func(at, format string, args ...any)) {
	expression := func(field, text string, want formula.Kind) *formula.Expr {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		made, err := formula.Compile(text, n)
		switch {
		case err != nil:
			wrong(at+"."+field, "The %s %s", field, err)
		case made.Kind != want && made.Kind != formula.Nil:
			wrong(at+"."+field, "The %s must be a %s, and is a %s.", field, want, made.Kind)
		}
		s.reads = append(s.reads, formula.NamesIn(text)...)

		return &made
	}
	s.when, s.value = expression("when", s.When, formula.Boolean), expression("value", s.Value, formula.Number)
	if s.Kind == kindMiles {
		if s.Value != "" {
			wrong(at+".value", "Miles are priced by tiers, and have no value.")
		}
		s.compileTiers(at, wrong)

		return
	}
	if s.value == nil {
		wrong(at+".value", "The value is required.")
	}
	if len(s.Tiers) > 0 {
		wrong(at+".tiers", "Only miles have tiers.")
	}
}

func (s *step) compileTiers(at string, wrong func(at, format string, args ...any)) {
	if len(s.Tiers) == 0 {
		wrong(at+".tiers", "The tiers are required.")
	}
	last := int64(0)
	for i, t := range s.Tiers {
		field := at + ".tiers." + strconv.Itoa(i)
		if t.UpTo == 0 && i < len(s.Tiers)-1 || t.UpTo != 0 && t.UpTo <= last {
			wrong(field+".up_to", "The tiers are in the order of their miles; only the last one has no end.")
		}
		last = t.UpTo
		rate, err := decimal(string(t.Rate))
		if err != nil || rate.Negative {
			wrong(field+".rate", "The rate must be an amount of at least 0.")
		}
		s.tiers = append(s.tiers, rate)
	}
}

func (c *Compiled) compileOptions(wrong func(at, format string, args ...any)) {
	if len(c.formula.Options) == 0 {
		c.formula.Options = []Option{{Key: standard, Label: "Standard"}}
	}
	seen := map[string]bool{}
	for i, o := range c.formula.Options {
		at := "options." + strconv.Itoa(i)
		percent, err := decimal(cmpOr(string(o.Percent), "0"))
		switch {
		case seen[o.Key]:
			wrong(at+".key", "Another option has this key.")
		case (i == 0) != (o.Key == standard):
			wrong(at+".key", "The first option, and no other, must be standard.")
		case err != nil || percent.Negative || i == 0 && !percent.IsZero():
			wrong(at+".percent", "The percent must be a number of at least 0; of standard, nothing.")
		}
		seen[o.Key] = true
		c.options = append(c.options, optionStep{o, percent})
	}
}

func cmpOr(text, other string) string {
	if text == "" {
		return other
	}

	return text
}

var errNumber = errors.New("no number")

func decimal(text string) (*apd.Decimal, error) {
	made, _, err := apd.NewFromString(text)
	if err != nil || made.Form != apd.Finite {
		return new(apd.Decimal), errNumber
	}

	return made, nil
}
