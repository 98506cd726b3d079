package store

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// IsPast reports whether the time to answer an offer is over.
func (o Offer) IsPast(now time.Time) bool { return !o.ExpiresAt.After(now) }

// IsOpen reports whether an offer waits for an answer. It may have expired meanwhile.
func (o Offer) IsOpen() bool { return o.State == Offered || o.State == Countered }

// Ended says why an offer can no longer be answered, nil if it can.
func (o Offer) Ended(now time.Time) error {
	switch {
	case o.State == Superseded:
		return ErrVehicleTaken
	case o.State == Expired || o.IsOpen() && o.IsPast(now):
		return ErrOfferExpired
	case !o.IsOpen():
		return ErrNotOpen.WithDetail("state", o.State)
	}

	return nil
}

// CheckShown refuses a decision on an offer that has changed since it was read. Transactions is how many it had then, 0 if the caller does not say.
func (o Offer) CheckShown(transactions int) error {
	if transactions != 0 && transactions != len(o.Transactions.V) {
		return ErrTermsChanged.WithDetail("fields", o.ChangedSince(transactions))
	}

	return nil
}

// CheckAnswer refuses an answer to an offer that is over, of a party whose turn it is not, or that has seen another offer. A shown_key says more than
// the number of transactions, and is checked against the load.
func (o Offer) CheckAnswer(p Proposal, now time.Time) error {
	if err := o.Ended(now); err != nil {
		return err
	}
	if p.Key == "" {
		if err := o.CheckShown(p.Shown); err != nil {
			return err
		}
	}
	if o.Turn != p.Party {
		return ErrNotYourTurn.WithDetail("whose", o.Turn)
	}

	return nil
}

// CheckAcceptance is CheckAnswer of an acceptance. The company also accepts for a carrier whose turn it is and that has agreed otherwise, such as on the
// phone, or that has accepted after the offer expired.
func (o Offer) CheckAcceptance(p Proposal, now time.Time) error {
	err := o.CheckAnswer(p, now)
	if p.Party == Broker && (errors.Is(err, ErrNotYourTurn) || errors.Is(err, ErrOfferExpired) && o.LateAt != nil) {
		return o.CheckShown(p.Shown)
	}

	return err
}

// HasCarrierTerms reports whether the terms of an offer are those of a carrier's counter that the company has not answered with its own.
func (o Offer) HasCarrierTerms() bool {
	for _, t := range slices.Backward(o.Transactions.V) {
		switch t.Type {
		case "counter":
			return t.Party == Carrier
		case "offer", string(VerbReactivate):
			return false
		}
	}

	return false
}

// NamesVersion reports whether a request names one version of a row.
func NamesVersion(match web.IfMatch) bool { return match.IfMatch != "" && match.IfMatch != "*" }

// CheckNamed refuses an answer that does not say which terms it is to.
func CheckNamed(match web.IfMatch, shown int) error {
	if shown == 0 && !NamesVersion(match) {
		return ErrTermsUnnamed
	}

	return nil
}

// LastRevisedFields are the fields that the last revision has changed.
func (o Offer) LastRevisedFields() []string {
	for _, t := range slices.Backward(o.Transactions.V) {
		if t.Type == string(VerbRevise) {
			return loadview.FieldsOf(t.Changes)
		}
	}

	return []string{}
}

// ChangesSinceAnswer is what has changed of the load since its carrier last answered, or was last sent the offer.
func (o Offer) ChangesSinceAnswer() (changes []loadview.Change) {
	for _, t := range slices.Backward(o.Transactions.V) {
		switch {
		case t.Type == string(VerbRevise):
			changes = append(slices.Clone(t.Changes), changes...)
		case t.Party == Carrier, t.Type == "offer", t.Type == string(VerbReactivate):
			return changes
		}
	}

	return changes
}

// ChangedSince are the fields that changed since an offer had so many transactions.
func (o Offer) ChangedSince(shown int) []string {
	fields := []string{}
	was := Proposal{}
	for i, e := range o.Transactions.V {
		now := Proposal{Amount: e.Amount, Pickup: e.Pickup, Delivery: e.Delivery}
		if i >= shown {
			fields = append(fields, loadview.FieldsOf(e.Changes)...)
			for name, differs := range map[string]bool{
				"amount": now.Amount != "" && now.Amount != was.Amount, "pickup_date": now.Pickup != "" && now.Pickup != was.Pickup,
				"delivery_date": now.Delivery != "" && now.Delivery != was.Delivery,
			} {
				if differs {
					fields = append(fields, name)
				}
			}
		}
		was = Proposal{Amount: cmp.Or(now.Amount, was.Amount), Pickup: cmp.Or(now.Pickup, was.Pickup), Delivery: cmp.Or(now.Delivery, was.Delivery)}
	}
	slices.Sort(fields)

	return slices.Compact(fields)
}

// CountersBy is how often a party has countered.
func (o Offer) CountersBy(party string) (n int64) {
	for _, t := range o.Transactions.V {
		if t.Type == "counter" && t.Party == party {
			n++
		}
	}

	return n
}

// CheckAccepted refuses to accept an accepted offer again, if it was accepted at other terms than those that were shown.
func (o Offer) CheckAccepted(p Proposal) error {
	i := slices.IndexFunc(o.Transactions.V, func(t Transaction) bool { return t.Type == string(VerbAccept) })
	if p.Key == "" && p.Shown != 0 && p.Shown < i {
		return ErrTermsChanged.WithMessage("The offer was accepted at other terms in the meantime. Look at it again.").
			WithDetail("fields", o.ChangedSince(p.Shown))
	}

	return nil
}

// lateLife is for how long after an offer has expired an acceptance of it is kept.
const lateLife = 24 * time.Hour

// TakesLateResponse reports whether an acceptance after an offer expired is kept: the first one, soon, to what was shown last.
func (o Offer) TakesLateResponse(p Proposal, now time.Time) bool {
	if o.LateAt != nil || o.State != Expired && !o.IsOpen() || o.ExpiresAt == nil || now.Sub(*o.ExpiresAt) > lateLife {
		return false
	}

	return p.Key != "" || p.Shown == len(o.Transactions.V) || p.Shown == o.CountBeforeExpiry()
}

// CountBeforeExpiry is how many transactions an offer had before it expired.
func (o Offer) CountBeforeExpiry() int {
	if n := len(o.Transactions.V); n > 0 && o.Transactions.V[n-1].Type == string(VerbExpire) {
		return n - 1
	}

	return len(o.Transactions.V)
}

// IsPayable reports whether an amount can be paid in a currency.
func IsPayable(a money.Amount, in money.Currency) bool {
	made, err := money.Of(a, in)
	n, whole := made.Units()

	return err == nil && whole && n > 0
}

// AmountRule says which amounts IsPayable takes.
const AmountRule = "The amount must be more than 0, with as many decimals as the currency of the load has."

// CheckTerms refuses what no carrier can be offered.
func (o Offer) CheckTerms(wrong *errs.Error) *errs.Error {
	if !IsPayable(o.Amount, o.Currency) {
		wrong = wrong.WithField("amount", AmountRule)
	}
	if o.PickupDate != "" && o.DeliveryDate != "" && o.DeliveryDate < o.PickupDate {
		wrong = wrong.WithField("delivery_date", "`delivery_date` must not be before the `pickup_date`.")
	}

	return wrong
}

// Days are the days of an offer, "" where the carrier is to name them.
func (o Offer) Days() Dates { return Dates{o.PickupDate, o.DeliveryDate} }

// Terms are the terms of an offer beside its load; text is that of the settings.
func (o Offer) Terms(text string) loadview.OfferTerms {
	return loadview.OfferTerms{Amount: o.Amount, Pickup: o.PickupDate, Delivery: o.DeliveryDate, Text: text}
}

// KeepShown keeps what the carrier of an offer is shown now.
func (o *Offer) KeepShown(is loadview.Facts) { o.Shown.V, o.ShownKey = is, is.Key() }
