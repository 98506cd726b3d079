package store

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
)

// Settings are the keys under modules.billing.
type Settings struct {
	PublicPlans     bool          `config:"public_plans" doc:"Whether the public plans can be listed without a token, for sign-up pages."`
	KeepAreas       []string      `config:"keep_areas" doc:"Areas that a company keeps, with those that they need, while its subscription is unpaid, paused or canceled: the data export."`
	IncompleteFor   time.Duration `config:"incomplete_for" doc:"How long a new subscription waits for its first payment."`
	TrialNoticeDays int           `config:"trial_notice_days" doc:"Days before the end of a trial at which billing.subscription.trial_ending is published."`
	TaxRounding     string        `config:"tax_rounding" doc:"Whether the tax of a rate is rounded once over the sum of the lines (document), or for each line (line)."`
}

// DefaultSettings are the settings of a deployment that sets none.
func DefaultSettings() Settings {
	return Settings{
		KeepAreas: []string{"collections"}, IncompleteFor: 23 * time.Hour, TrialNoticeDays: 3,
		TaxRounding: string(terms.PerDocument),
	}
}

const maxDays = 365

// Validate reports settings that cannot work.
func (s Settings) Validate() error {
	var problems []error
	if s.IncompleteFor <= 0 {
		problems = append(problems, errors.New("incomplete_for: want more than 0s"))
	}
	if s.TrialNoticeDays < 0 || s.TrialNoticeDays > maxDays {
		problems = append(problems, errors.New("trial_notice_days: want 0 to 365"))
	}
	if s.TaxRounding != string(terms.PerDocument) && s.TaxRounding != string(terms.PerLine) {
		problems = append(problems, errors.New("tax_rounding: want document or line"))
	}

	return errors.Join(problems...)
}

// Dunning is the schedule for invoices that are not paid.
var Dunning = terms.Dunning{Retries: []int{0, 1, 3, 5, 7}, Cancel: 37}
