package fill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/template"
)

// Problem is what is wrong with a value, or with where it goes.
type Problem struct {
	Role  string `json:"role"`
	Label string `json:"label"`
	// Code is for programs.
	Code    string `json:"code" enum:"missing,withheld,bad_value,too_long,unknown_option,tab_gone"`
	Message string `json:"message"`
}

// SchemaName is the name of the problem in the OpenAPI document.
func (Problem) SchemaName() string { return "EsignProblem" }

// The codes of problems.
const (
	Missing       = "missing"
	Withheld      = "withheld"
	BadValue      = "bad_value"
	TooLong       = "too_long"
	UnknownOption = "unknown_option"
	TabGone       = "tab_gone"
)

// Filled is a tab with what it is filled with.
type Filled struct {
	Role  string `json:"role"`
	Label string `json:"label"`
	Type  string `json:"type"`
	Value string `json:"value"`
	// Source is where the value comes from.
	Source string `json:"source" enum:"hand,field,text,fallback"`
	// Sensitive says that it comes from a sensitive field of the item.
	Sensitive bool `json:"-"`
}

// SchemaName is the name of the filled tab in the OpenAPI document.
func (Filled) SchemaName() string { return "EsignFilledTab" }

// Input is what tabs are filled from.
type Input struct {
	Roles []provider.Role
	Rules []Rule
	// Fields and Values are those of the item, nil without one.
	Fields []item.Field
	Values Values
	// Given are values that were said by hand, by role and label; they come before the rules.
	Given map[string]map[string]string
	// Zone is the company's, for times of day.
	Zone *time.Location
}

// Tabs fills the tabs. The problems are all of those which keep the result from being sent.
func Tabs(ctx context.Context, in Input) ([]Filled, []Problem) {
	f := filler{Input: in, tabs: NewIndex(in.Roles), kinds: map[string]item.Field{}, done: map[place]bool{}}
	for _, field := range in.Fields {
		f.kinds[field.Key] = field
	}
	for _, role := range sorted(in.Given) {
		for _, label := range sorted(in.Given[role]) {
			f.setByHand(role, label, in.Given[role][label])
		}
	}
	for _, rule := range in.Rules {
		if !f.done[placeOf(rule.Role, rule.Label)] {
			f.apply(ctx, rule)
		}
	}
	f.locked()

	return f.filled, f.problems
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)

	return keys
}

type filler struct {
	Input

	tabs     Index
	kinds    map[string]item.Field
	done     map[place]bool
	all      map[string]any // the values as texts see them, once they are asked for
	filled   []Filled
	problems []Problem
}

func (f *filler) addProblem(role, label, code, format string, args ...any) {
	f.problems = append(f.problems, Problem{Role: role, Label: label, Code: code, Message: fmt.Sprintf(format, args...)})
}

// setByHand puts in a value that was said by hand.
func (f *filler) setByHand(role, label, text string) {
	f.done[placeOf(role, label)] = true
	tab, ok := f.tabs.Fillable(role, label)
	if !ok {
		f.addProblem(role, label, TabGone, "The template has no tab %q of %q that can be filled.", label, role)

		return
	}
	if tab.Type == typeCheckbox {
		text = strconv.FormatBool(Format{}.checked(text))
	}
	f.setTab(role, tab, text, "hand", false)
}

// apply puts in what a rule says.
func (f *filler) apply(ctx context.Context, rule Rule) {
	f.done[placeOf(rule.Role, rule.Label)] = true
	tab, ok := f.tabs.Fillable(rule.Role, rule.Label)
	if !ok {
		f.addProblem(rule.Role, rule.Label, TabGone, "The template has no tab %q of %q any more that can be filled.", rule.Label, rule.Role)

		return
	}
	text, source, fine := f.value(ctx, rule)
	if !fine {
		return
	}
	if text == "" {
		text, source = rule.Fallback, "fallback"
	}
	required := tab.Required
	if rule.Required != nil {
		required = *rule.Required
	}
	if tab.Type == typeCheckbox && (text != "" || !required) {
		var format Format
		if rule.Format != nil {
			format = *rule.Format
		}
		text = strconv.FormatBool(format.checked(text))
	}
	switch {
	case text != "":
		f.setTab(rule.Role, tab, text, source, f.shows(rule))
	case required:
		f.addProblem(rule.Role, rule.Label, Missing, "The item has no value for %q of %q%s.", rule.Label, rule.Role, ruleSource(rule))
	}
}

// ruleSource says what a rule looks for.
func ruleSource(rule Rule) string {
	if rule.Field != "" {
		return ", from the field " + rule.Field
	}

	return ""
}

// value returns what a rule says, and whether that is fine; if not, the problem is noted.
func (f *filler) value(ctx context.Context, rule Rule) (text, source string, fine bool) {
	if rule.Text != "" {
		text, fine = f.render(ctx, rule)

		return text, "text", fine
	}
	field, known := f.kinds[rule.Field]
	raw, there := f.Values[rule.Field]
	if !there && known && field.Sensitive {
		// A fallback would hide that the caller does not see the value.
		f.addProblem(rule.Role, rule.Label, Withheld, "The field %s is sensitive: it has no value, or you may not see it. Say the value by hand, or have somebody send it who may.", rule.Field)

		return "", "", false
	}
	var format Format
	if rule.Format != nil {
		format = *rule.Format
	}
	text, err := formatValue(raw, field.Kind, format, f.Zone)
	if err != nil {
		f.addProblem(rule.Role, rule.Label, BadValue, "The value of %s cannot be put into %q of %q: %s.", rule.Field, rule.Label, rule.Role, err)
	}

	return text, "field", err == nil
}

// render fills in a text.
func (f *filler) render(ctx context.Context, rule Rule) (string, bool) {
	if f.all == nil {
		f.all = map[string]any{"item": decodeValues(f.Values)}
	}
	text, err := template.Render(ctx, rule.Text, f.all)
	if missing, ok := errors.AsType[*template.MissingError](err); ok {
		if rule.Fallback != "" && !f.sensitive(missing.Names) {
			return "", true
		}
		f.addProblem(rule.Role, rule.Label, Missing, "The text of %q of %q shows what has no value, or what you may not see: %s.", rule.Label, rule.Role, strings.Join(missing.Names, ", "))

		return "", false
	}
	if err != nil {
		f.addProblem(rule.Role, rule.Label, BadValue, "The text of %q of %q cannot be filled in: %s", rule.Label, rule.Role, err)

		return "", false
	}
	text = strings.TrimSpace(text)
	if rule.Format != nil {
		text = rule.Format.cased(text)
	}

	return text, true
}

// sensitive reports whether one of some variables is a field that is.
func (f *filler) sensitive(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		key, _, _ := strings.Cut(strings.TrimPrefix(name, "item."), ".")

		return f.kinds[key].Sensitive
	})
}

// shows reports whether a rule shows a sensitive field. A text does where it names one anywhere.
func (f *filler) shows(rule Rule) bool {
	return slices.ContainsFunc(f.Fields, func(field item.Field) bool {
		return field.Sensitive && (rule.Field == field.Key || rule.Text != "" && strings.Contains(rule.Text, field.Key))
	})
}

// decodeValues are the values that there are, as templates see them.
func decodeValues(values Values) map[string]any {
	all := make(map[string]any, len(values))
	for key, raw := range values {
		var value any
		if err := json.Unmarshal(raw, &value); err == nil && value != nil {
			all[key] = value
		}
	}

	return all
}

// setTab enters a value that fits its tab.
func (f *filler) setTab(role string, tab provider.Tab, text, source string, sensitive bool) {
	if code, message := fits(tab, text); code != "" {
		f.addProblem(role, tab.Label, code, "%s", message)

		return
	}
	f.filled = append(f.filled, Filled{Role: role, Label: tab.Label, Type: tab.Type, Value: text, Source: source, Sensitive: sensitive})
}

func fits(tab provider.Tab, text string) (code, message string) {
	if n := utf8.RuneCountInString(text); tab.MaxSize > 0 && n > tab.MaxSize {
		return TooLong, fmt.Sprintf("The tab %q takes at most %d characters; the value has %d.", tab.Label, tab.MaxSize, n)
	}
	if tab.Type != typeCheckbox && len(tab.Options) > 0 && text != "" && !slices.Contains(tab.Options, text) {
		return UnknownOption, fmt.Sprintf("The tab %q takes one of: %s. The value %q is none of them.", tab.Label, joinNames(tab.Options), clip(text))
	}

	return "", ""
}

func clip(text string) string {
	if runes := []rune(text); len(runes) > 100 {
		return string(runes[:100]) + "…"
	}

	return text
}

// locked looks for required tabs that the recipient cannot fill, and that nothing fills.
func (f *filler) locked() {
	eachTab(f.Roles, func(role string, tab provider.Tab) {
		if tab.Fillable && tab.Required && tab.Locked && tab.Value == "" && !f.done[placeOf(role, tab.Label)] {
			f.addProblem(role, tab.Label, Missing, "The tab %q of %q is required, and locked for the recipient. Add a rule, or say the value by hand.", tab.Label, role)
		}
	})
}

// CheckFit returns what is wrong with values that were filled in, for a template as it is now.
func CheckFit(roles []provider.Role, filled []Filled) []Problem {
	tabs := NewIndex(roles)
	var problems []Problem
	for _, value := range filled {
		tab, ok := tabs.Fillable(value.Role, value.Label)
		code, message := TabGone, fmt.Sprintf("The template has no tab %q of %q any more that can be filled.", value.Label, value.Role)
		if ok {
			code, message = fits(tab, value.Value)
		}
		if ok && tab.Type != value.Type {
			code, message = TabGone, fmt.Sprintf("The tab %q of %q is of the type %s now; it was filled as %s.", value.Label, value.Role, tab.Type, value.Type)
		}
		if code != "" {
			problems = append(problems, Problem{Role: value.Role, Label: value.Label, Code: code, Message: message})
		}
	}

	return problems
}
