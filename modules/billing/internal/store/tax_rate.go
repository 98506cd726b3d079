package store

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/money"
)

// TaxRate is a row of billing_tax_rates: a tax that the seller charges customers of a country or state.
type TaxRate struct {
	database.Global `json:"-"`

	ID      uuid.UUID    `json:"uuid"`
	Code    string       `json:"code" example:"gst"`
	Name    string       `json:"name" doc:"As invoices show it." example:"GST"`
	Percent money.Amount `json:"percent" doc:"Up to 4 decimal places." example:"9.975"`
	Country string       `json:"country" doc:"Two-letter ISO 3166-1 code of the customer's address." example:"CA"`
	State   string       `json:"state" doc:"State or province of the customer's address; empty for the whole country." example:"QC"`
	From    field.Date   `json:"from" gorm:"column:valid_from" doc:"First day; null for none."`
	Until   field.Date   `json:"until" gorm:"column:valid_until" doc:"The day after the last one; null for none."`
}

// TableName implements GORM's naming.
func (TaxRate) TableName() string { return "billing_tax_rates" }

// SchemaName implements web.SchemaNamer.
func (TaxRate) SchemaName() string { return "BillingTaxRate" }

// maxDecimals is how many decimal places a percentage has.
const maxDecimals = 4

// Check validates a new rate.
func (r *TaxRate) Check() error {
	wrong := ErrInvalidTaxRate
	if !codePattern.MatchString(r.Code) {
		wrong = wrong.WithField("code", "The code must be a lower case letter, and up to 39 more letters, digits, hyphens and underscores.")
	}
	if r.Name = strings.TrimSpace(r.Name); r.Name == "" {
		wrong = wrong.WithField("name", "The name is required.")
	}
	percent, _, err := apd.NewFromString(string(r.Percent))
	if err == nil {
		percent.Reduce(percent)
	}
	if err != nil || percent.Sign() <= 0 || percent.Cmp(apd.New(100, 0)) > 0 || percent.Exponent < -maxDecimals { //nolint:mnd // percent
		wrong = wrong.WithField("percent", "The percent must be more than 0, at most 100, and have up to 4 decimal places.")
	}
	wrong = r.checkPlace(wrong)
	if r.Until != "" && r.Until <= r.From {
		wrong = wrong.WithField("until", "`until` must be after `from`.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// checkPlace brings the place into the form that addresses have: a rate of another one would never apply.
func (r *TaxRate) checkPlace(wrong *errs.Error) *errs.Error {
	if _, err := placeOf(r.Country, ""); err != nil {
		return wrong.WithField("country", "The place "+err.Error())
	}
	place, err := placeOf(r.Country, r.State)
	if err != nil {
		return wrong.WithField("state", "The place "+err.Error())
	}
	r.Country, r.State = place.Country, place.State

	return wrong
}

// placeOf reads a place as the field type address does.
func placeOf(country, state string) (place identity.Address, err error) {
	types := field.Types(0)
	address := types[slices.IndexFunc(types, func(t field.Type) bool { return t.Name == "address" })].New()
	given, err := json.Marshal(map[string]string{"city": "any", "state": state, "country": country})
	if err != nil {
		return place, err
	}
	read, err := address.Parse(given)
	if err != nil {
		return place, err
	}

	return place, json.Unmarshal(read.JSON, &place)
}

// Overlaps reports whether two rates are of one tax in one place, on one day at least.
func (r TaxRate) Overlaps(other TaxRate) bool {
	return r.ID != other.ID && r.Code == other.Code && r.Country == other.Country && strings.EqualFold(r.State, other.State) &&
		(r.Until == "" || other.From < r.Until) && (other.Until == "" || r.From < other.Until)
}

// applies reports whether a rate applies to a customer on a day.
func (r TaxRate) applies(to identity.Address, on field.Date) bool {
	return strings.EqualFold(r.Country, to.Country) && (r.State == "" || strings.EqualFold(r.State, to.State)) &&
		r.From <= on && (r.Until == "" || on < r.Until)
}

// RatesFor returns the rates that apply, by code.
func RatesFor(all []TaxRate, to identity.Address, on field.Date) []terms.Rate {
	var rates []terms.Rate
	for _, r := range all {
		if r.applies(to, on) {
			rates = append(rates, terms.Rate{Code: r.Code, Name: r.Name, Percent: r.Percent})
		}
	}
	slices.SortFunc(rates, func(a, b terms.Rate) int { return strings.Compare(a.Code, b.Code) })

	return rates
}
