package catalogue

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
)

// Taxes stores tax rates.
type Taxes struct{ db *database.DB }

// NewTaxes returns Taxes.
func NewTaxes(db *database.DB) *Taxes { return &Taxes{db} }

// maxRates is how many rates there may be.
const maxRates = 500

// All returns all rates, by place and code.
func (t *Taxes) All(ctx context.Context) ([]store.TaxRate, error) {
	return database.All[store.TaxRate](t.db.Conn(ctx).Order("country, state, code, id").Limit(maxRates))
}

func (t *Taxes) create(ctx context.Context, r store.TaxRate) (store.TaxRate, error) {
	if err := r.Check(); err != nil {
		return r, err
	}
	r.ID = database.NewID()
	err := t.db.InTx(ctx, func(ctx context.Context) error {
		all, err := t.apart(ctx, r)
		if err != nil {
			return err
		}
		if len(all) >= maxRates {
			return store.ErrInvalidTaxRate.WithField("code", "There are 500 tax rates already.")
		}

		return database.DuplicateAs(t.db.Conn(ctx).Create(&r).Error, store.ErrTaxTaken)
	})

	return r, err
}

// apart returns all rates, which nobody else changes until the transaction ends, if none of them overlaps with one: that tax would be charged
// twice. Error: billing.tax_rate_taken.
func (t *Taxes) apart(ctx context.Context, r store.TaxRate) ([]store.TaxRate, error) {
	if err := t.db.HoldName(ctx, "billing.tax_rates"); err != nil {
		return nil, err
	}
	all, err := t.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, other := range all {
		if r.Overlaps(other) {
			return nil, store.ErrTaxTaken.WithMessage("The rate %s of %s %% applies at the same time in the same place. End it first.", other.Name, other.Percent).
				WithDetail("uuid", other.ID)
		}
	}

	return all, nil
}

// end sets the day from which a rate no longer applies.
func (t *Taxes) end(ctx context.Context, id uuid.UUID, until field.Date) (r store.TaxRate, err error) {
	err = t.db.InTx(ctx, func(ctx context.Context) error {
		if r, err = database.One[store.TaxRate](t.db.Conn(ctx), store.ErrTaxNotFound, "id = ?", id); err != nil {
			return err
		}
		if r.Until = until; until != "" && until <= r.From {
			return store.ErrInvalidTaxRate.WithField("until", "`until` must be after `from`.")
		}
		if _, err := t.apart(ctx, r); err != nil {
			return err
		}

		return database.RequireAffected(t.db.Conn(ctx).Model(&store.TaxRate{}).Where("id = ?", id).UpdateColumn("valid_until", until), store.ErrTaxNotFound)
	})

	return r, err
}
