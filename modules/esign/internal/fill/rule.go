// Package fill fills the tabs of a template from the values of an item, by rules, and says what is wrong with that
// before anything is sent.
package fill

import (
	"encoding/json"
	"strings"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// Rule says what goes into a tab.
type Rule struct {
	Role  string `json:"role" maxLength:"100" doc:"The role in the template."`
	Label string `json:"label" maxLength:"300" doc:"The tab's label, within the role."`
	Field string `json:"field,omitempty" maxLength:"200" doc:"A field of the item. Either this or text."`
	Text  string `json:"text,omitempty" maxLength:"5000" doc:"A text with values of the item, in Liquid: {{ item.vin }}."`
	// Format is how the value is written.
	Format   *Format `json:"format,omitempty" doc:"How the value is written."`
	Fallback string  `json:"fallback,omitempty" maxLength:"2000" doc:"What is taken where the item has no value."`
	Required *bool   `json:"required,omitempty" doc:"Whether nothing is sent where there is no value; left out: as the template says of the tab."`
}

// SchemaName is the name of the rule in the OpenAPI document.
func (Rule) SchemaName() string { return "EsignMappingRule" }

// Format is how a value is written.
type Format struct {
	Date    string   `json:"date,omitempty" enum:"iso,us,long,iso_time,us_time,long_time" doc:"For dates and times: 2026-09-22, 09/22/2026, September 22, 2026; the same with the time of day, in the company's time zone."`
	Money   *Money   `json:"money,omitempty" doc:"For amounts."`
	Case    string   `json:"case,omitempty" enum:"upper,lower,title" doc:"The case of letters."`
	Checked []string `json:"checked,omitempty" maxItems:"20" doc:"For checkboxes: the values for which the box is checked. Left out: true, yes, y, on, x, and numbers that are not 0."`
}

// SchemaName is the name of the format in the OpenAPI document.
func (Format) SchemaName() string { return "EsignMappingFormat" }

// Money is how an amount is written.
type Money struct {
	Currency string `json:"currency,omitempty" pattern:"^[A-Z]{3}$" patternDescription:"three capital letters, such as USD" doc:"ISO 4217; left out, the number alone is written."`
	Decimals *int   `json:"decimals,omitempty" minimum:"0" maximum:"6" doc:"How many decimals; 2 if it is left out."`
}

// SchemaName is the name of the money in the OpenAPI document.
func (Money) SchemaName() string { return "EsignMappingMoney" }

// Values are the values of an item by field.
type Values = map[string]json.RawMessage

// typeCheckbox is the type of tabs that are checked or not.
const typeCheckbox = "checkbox"

// place is a tab's in a template. Roles are the same in either case.
type place struct{ role, label string }

func placeOf(role, label string) place { return place{strings.ToLower(role), label} }

// Index are the tabs of a template by their place; a label may be there several times in a role.
type Index map[place][]provider.Tab

// NewIndex returns the tabs of roles.
func NewIndex(roles []provider.Role) Index {
	tabs := Index{}
	for _, role := range roles {
		for _, tab := range role.Tabs {
			tabs[placeOf(role.Name, tab.Label)] = append(tabs[placeOf(role.Name, tab.Label)], tab)
		}
	}

	return tabs
}

// Fillable returns the tab that is filled at a place, and false if there is none.
func (x Index) Fillable(role, label string) (provider.Tab, bool) {
	for _, tab := range x[placeOf(role, label)] {
		if tab.Fillable {
			return tab, true
		}
	}

	return provider.Tab{}, false
}
