package terms

import "github.com/dispatchd/dispatchd/platform/field"

// Dunning is what happens to an invoice that is not paid. Days are counted from the day of the first failure, which is day 0.
type Dunning struct {
	// Retries are the days on which the card is charged, in their order; the first is 0. With the failure of the last one, the
	// subscription is unpaid.
	Retries []int
	// Cancel is the day on which an unpaid subscription is canceled.
	Cancel int
}

// Retry returns the day of the next charge after the last one that failed, false if there is none.
func (d Dunning) Retry(since, tried field.Date) (field.Date, bool) {
	for _, n := range d.Retries {
		if day := AddDays(since, n); day > tried {
			return day, true
		}
	}

	return "", false
}

// UnpaidOn is the day on which the subscription is unpaid, if no charge succeeds.
func (d Dunning) UnpaidOn(since field.Date) field.Date {
	return AddDays(since, d.Retries[len(d.Retries)-1])
}

// CancelOn is the day on which an unpaid subscription is canceled.
func (d Dunning) CancelOn(since field.Date) field.Date { return AddDays(since, d.Cancel) }

// Overdue is how far the dunning of a subscription is.
type Overdue struct {
	// Since is the day of the first failure, Tried that of the last one.
	Since, Tried field.Date
	// Hard says that the card must not be charged again.
	Hard bool
}

// Step is the next step of dunning.
type Step string

// The steps.
const (
	StepCharge Step = "charge"
	StepUnpaid Step = "unpaid"
)

// Next returns the next step of a subscription that is past due, and its day.
func (d Dunning) Next(o Overdue) (Step, field.Date) {
	if day, more := d.Retry(o.Since, o.Tried); more && !o.Hard {
		return StepCharge, day
	}

	return StepUnpaid, d.UnpaidOn(o.Since)
}
