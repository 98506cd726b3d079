package billing

import (
	"context"
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

// taxRate is a row of billing_tax_rates: a tax that the seller charges customers of a country or state.
type taxRate struct {
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
func (taxRate) TableName() string { return "billing_tax_rates" }

// SchemaName implements web.SchemaNamer.
func (taxRate) SchemaName() string { return "BillingTaxRate" }

// maxDecimals is how many decimal places a percentage has.
const maxDecimals = 4

// check validates a new rate.
func (r *taxRate) check() error {
	wrong := errTaxRate
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
func (r *taxRate) checkPlace(wrong *errs.Error) *errs.Error {
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

// overlaps reports whether two rates are of one tax in one place, on one day at least.
func (r taxRate) overlaps(other taxRate) bool {
	return r.ID != other.ID && r.Code == other.Code && r.Country == other.Country && strings.EqualFold(r.State, other.State) &&
		(r.Until == "" || other.From < r.Until) && (other.Until == "" || r.From < other.Until)
}

// applies reports whether a rate applies to a customer on a day.
func (r taxRate) applies(to identity.Address, on field.Date) bool {
	return strings.EqualFold(r.Country, to.Country) && (r.State == "" || strings.EqualFold(r.State, to.State)) &&
		r.From <= on && (r.Until == "" || on < r.Until)
}

// ratesFor returns the rates that apply, by code.
func ratesFor(all []taxRate, to identity.Address, on field.Date) []terms.Rate {
	var rates []terms.Rate
	for _, r := range all {
		if r.applies(to, on) {
			rates = append(rates, terms.Rate{Code: r.Code, Name: r.Name, Percent: r.Percent})
		}
	}
	slices.SortFunc(rates, func(a, b terms.Rate) int { return strings.Compare(a.Code, b.Code) })

	return rates
}

// taxes stores tax rates.
type taxes struct{ db *database.DB }

func newTaxes(db *database.DB) *taxes { return &taxes{db} }

// maxRates is how many rates there may be.
const maxRates = 500

func (t *taxes) all(ctx context.Context) ([]taxRate, error) {
	return database.All[taxRate](t.db.Conn(ctx).Order("country, state, code, id").Limit(maxRates))
}

func (t *taxes) create(ctx context.Context, r taxRate) (taxRate, error) {
	if err := r.check(); err != nil {
		return r, err
	}
	r.ID = database.NewID()
	err := t.db.InTx(ctx, func(ctx context.Context) error {
		all, err := t.apart(ctx, r)
		if err != nil {
			return err
		}
		if len(all) >= maxRates {
			return errTaxRate.WithField("code", "There are 500 tax rates already.")
		}

		return database.DuplicateAs(t.db.Conn(ctx).Create(&r).Error, errTaxTaken)
	})

	return r, err
}

// apart returns all rates, which nobody else changes until the transaction ends, if none of them overlaps with one: that tax would be charged
// twice. Error: billing.tax_rate_taken.
func (t *taxes) apart(ctx context.Context, r taxRate) ([]taxRate, error) {
	if err := t.db.HoldName(ctx, "billing.tax_rates"); err != nil {
		return nil, err
	}
	all, err := t.all(ctx)
	if err != nil {
		return nil, err
	}
	for _, other := range all {
		if r.overlaps(other) {
			return nil, errTaxTaken.WithMessage("The rate %s of %s %% applies at the same time in the same place. End it first.", other.Name, other.Percent).
				WithDetail("uuid", other.ID)
		}
	}

	return all, nil
}

// end sets the day from which a rate no longer applies.
func (t *taxes) end(ctx context.Context, id uuid.UUID, until field.Date) (r taxRate, err error) {
	err = t.db.InTx(ctx, func(ctx context.Context) error {
		if r, err = database.One[taxRate](t.db.Conn(ctx), errTaxNotFound, "id = ?", id); err != nil {
			return err
		}
		if r.Until = until; until != "" && until <= r.From {
			return errTaxRate.WithField("until", "`until` must be after `from`.")
		}
		if _, err := t.apart(ctx, r); err != nil {
			return err
		}

		return database.RequireAffected(t.db.Conn(ctx).Model(&taxRate{}).Where("id = ?", id).UpdateColumn("valid_until", until), errTaxNotFound)
	})

	return r, err
}
