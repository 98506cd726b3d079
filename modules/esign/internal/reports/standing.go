package reports

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/state"
)

// envelopeTiers rank what is reported of envelopes. Among what is on its way the latest holds: an envelope that was corrected goes
// out anew. Once something has ended, the first end holds. Deleting what has ended is no end of its own.
var envelopeTiers = state.Tiers[store.Status]{
	{States: []store.Status{store.Created, store.Processing}},
	{States: []store.Status{store.Sent, store.Correcting, store.Delivered}},
	{States: []store.Status{store.Signed}},
	{States: []store.Status{store.Deleted}, Ended: true},
	{States: []store.Status{store.Voided, store.Expired, store.Declined, store.Completed}, Ended: true, FirstHolds: true},
	{States: []store.Status{store.AuthoritativeCopy, store.TransferCompleted}, Ended: true},
}

// recipientTiers rank what is reported of recipients.
var recipientTiers = state.Tiers[store.RecipientStatus]{
	{States: []store.RecipientStatus{store.RecipientCreated}},
	{States: []store.RecipientStatus{
		store.RecipientSent, store.RecipientFaxPending, store.RecipientAutoresponded, store.RecipientDelivered,
	}},
	{States: []store.RecipientStatus{store.RecipientSigned}},
	{States: []store.RecipientStatus{store.RecipientDeclined, store.RecipientCompleted}, Ended: true, FirstHolds: true},
}

// envelopeStanding ranks the report that decided where an envelope is.
func envelopeStanding(e *store.Envelope) state.Standing {
	if e.HeardStatus == "" {
		return state.Standing{}
	}

	return envelopeTiers.Standing(e.State, timeValue(e.HeardAt), false)
}

// recipientStanding ranks the report that decided where a recipient is.
func recipientStanding(r *store.Recipient) state.Standing {
	if r.HeardStatus == "" {
		return state.Standing{}
	}

	return recipientTiers.Standing(r.State, timeValue(r.HeardAt), false)
}

// timedOut is DocuSign's older word for an envelope that has expired.
const timedOut = "timedout"

// reportedStatus is the status that a vendor reports, "" for a word that means nothing here. An envelope that was purged has lost its documents at the
// vendor, and stays what it was; templates are none. Those and words that are not known are kept with the report.
func reportedStatus(u provider.Update) store.Status {
	to := store.Status(u.Status)
	if to == store.Voided && u.Expired || u.Status == timedOut {
		to = store.Expired
	}
	if envelopeTiers.Standing(to, u.At, u.Bound).IsZero() {
		return ""
	}

	return to
}

// timeValue is the time that a column has, the zero time for none.
func timeValue(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}

	return *at
}

// timeOrNil is the other way round.
func timeOrNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}

	return &at
}

// earliest is the earlier of two times, of which either may be none.
func earliest(have *time.Time, reported time.Time) *time.Time {
	if reported.IsZero() || have != nil && !reported.Before(*have) {
		return have
	}

	return &reported
}
