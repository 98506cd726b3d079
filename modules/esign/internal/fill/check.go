package fill

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/currency"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/template"
)

// RuleProblem is what is wrong with a rule.
type RuleProblem struct {
	// Rule is its index, Key the key within it.
	Rule         int
	Key, Message string
}

// mostNamed is how many names a message lists.
const mostNamed = 60

// Check returns what is wrong with rules for a template and for items with some fields.
func Check(roles []provider.Role, rules []Rule, fields []item.Field) []RuleProblem {
	tabs, seen := NewIndex(roles), map[place]bool{}
	var all []RuleProblem
	for i, rule := range rules {
		wrong := func(key, format string, args ...any) {
			all = append(all, RuleProblem{Rule: i, Key: key, Message: fmt.Sprintf(format, args...)})
		}
		tab, ok := tabs.Fillable(rule.Role, rule.Label)
		switch {
		case !ok:
			checkPlace(tabs, roles, rule, wrong)
		case seen[placeOf(rule.Role, rule.Label)]:
			wrong("label", "There is another rule for the tab %q of %q.", rule.Label, rule.Role)
		}
		seen[placeOf(rule.Role, rule.Label)] = true
		checkSource(rule, fields, wrong)
		if ok && rule.Format != nil && rule.Format.Checked != nil && tab.Type != typeCheckbox {
			wrong("format.checked", "The tab %q is no checkbox.", rule.Label)
		}
	}

	return all
}

// checkPlace says why a rule is for no tab.
func checkPlace(tabs Index, roles []provider.Role, rule Rule, wrong func(key, format string, args ...any)) {
	i := slices.IndexFunc(roles, func(r provider.Role) bool { return strings.EqualFold(r.Name, rule.Role) })
	if i < 0 {
		names := make([]string, 0, len(roles))
		for _, role := range roles {
			names = append(names, role.Name)
		}
		wrong("role", "The template has no role %q. It has: %s.", rule.Role, joinNames(names))

		return
	}
	if len(tabs[placeOf(rule.Role, rule.Label)]) > 0 {
		wrong("label", "The tab %q of %q cannot be filled before sending: it is the recipient's to fill.", rule.Label, rule.Role)

		return
	}
	var labels []string
	for _, tab := range roles[i].Tabs {
		if tab.Fillable && !slices.Contains(labels, tab.Label) {
			labels = append(labels, tab.Label)
		}
	}
	wrong("label", "The role %q has no tab %q. It has: %s.", rule.Role, rule.Label, joinNames(labels))
}

func checkSource(rule Rule, fields []item.Field, wrong func(key, format string, args ...any)) {
	if (rule.Field == "") == (rule.Text == "") {
		wrong("field", "The rule must have either a field or a text.")

		return
	}
	f := rule.Format
	if f == nil {
		f = &Format{}
	}
	if rule.Text != "" {
		if problem, ok := errors.AsType[*template.Error](template.Check(rule.Text)); ok {
			wrong("text", "%s", problem.Problem)
		}
		if f.Date != "" || f.Money != nil {
			wrong("format", "The formats of dates and of money are for fields, not for texts.")
		}

		return
	}
	i := slices.IndexFunc(fields, func(of item.Field) bool { return of.Key == rule.Field })
	if i < 0 {
		keys := make([]string, 0, len(fields))
		for _, field := range fields {
			keys = append(keys, field.Key)
		}
		wrong("field", "The item has no field %q. It has: %s.", rule.Field, joinNames(keys))

		return
	}
	checkFormat(*f, fields[i], wrong)
}

func checkFormat(f Format, field item.Field, wrong func(key, format string, args ...any)) {
	if field.Kind == kind.Object || field.Kind == kind.Reference {
		wrong("field", "The field %q is an object, of which a tab cannot show the whole. Use a text, such as {{ item.%s.name }}.", field.Key, field.Key)
	}
	if f.Date != "" && !field.Kind.Dated() {
		wrong("format.date", "The field %q is no date: it is of the kind %s.", field.Key, field.Kind)
	}
	if f.Money != nil && f.Money.Currency != "" {
		if _, err := currency.ParseISO(f.Money.Currency); err != nil {
			wrong("format.money.currency", "There is no currency %q. Use a code of ISO 4217, such as USD.", f.Money.Currency)
		}
	}
	if f.Money != nil && !field.Kind.Numeric() {
		wrong("format.money", "The field %q is no amount: it is of the kind %s.", field.Key, field.Kind)
	}
}

// joinNames lists names for a message.
func joinNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	more := ""
	if len(names) > mostNamed {
		more = fmt.Sprintf(" and %d more", len(names)-mostNamed)
		names = names[:mostNamed]
	}

	return strings.Join(names, ", ") + more
}

// Changes is how a template differs from what it was.
type Changes struct {
	// Gone, New and Changed are tabs, as "role / label".
	Gone    []string `json:"gone" nullable:"false"`
	New     []string `json:"new" nullable:"false"`
	Changed []string `json:"changed" nullable:"false"`
}

// SchemaName is the name of the changes in the OpenAPI document.
func (Changes) SchemaName() string { return "EsignTemplateChanges" }

// Any reports whether there are any.
func (c Changes) Any() bool { return len(c.Gone)+len(c.New)+len(c.Changed) > 0 }

// Compare returns how roles differ from what they were.
func Compare(was, is []provider.Role) Changes {
	old, now := NewIndex(was), NewIndex(is)
	c := Changes{Gone: []string{}, New: []string{}, Changed: []string{}}
	eachTab(was, func(role string, tab provider.Tab) {
		switch tabs := now[placeOf(role, tab.Label)]; {
		case len(tabs) == 0:
			c.Gone = append(c.Gone, placeName(role, tab.Label))
		case !slices.EqualFunc(tabs, old[placeOf(role, tab.Label)], sameTab):
			c.Changed = append(c.Changed, placeName(role, tab.Label))
		}
	})
	eachTab(is, func(role string, tab provider.Tab) {
		if len(old[placeOf(role, tab.Label)]) == 0 {
			c.New = append(c.New, placeName(role, tab.Label))
		}
	})

	return c
}

// eachTab calls use once for each place.
func eachTab(roles []provider.Role, use func(role string, tab provider.Tab)) {
	seen := map[place]bool{}
	for _, role := range roles {
		for _, tab := range role.Tabs {
			if p := placeOf(role.Name, tab.Label); !seen[p] {
				seen[p] = true
				use(role.Name, tab)
			}
		}
	}
}

func sameTab(a, b provider.Tab) bool {
	return a.Type == b.Type && a.Required == b.Required && a.Locked == b.Locked && a.MaxSize == b.MaxSize &&
		a.Fillable == b.Fillable && slices.Equal(a.Options, b.Options)
}

func placeName(role, label string) string { return role + " / " + label }
