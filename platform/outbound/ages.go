package outbound

import "time"

// Ages say when a vendor is asked again for an answer that is stored and served meanwhile: when the answer is older than Refresh, and the
// last failure longer ago than Retry.
type Ages struct{ Refresh, Retry time.Duration }

// Fresh reports whether an answer that was fetched at a time need not be fetched again; nil is never.
func (a Ages) Fresh(now time.Time, fetched *time.Time) bool {
	return fetched != nil && now.Sub(*fetched) < a.Refresh
}

// Due reports whether the vendor is to be asked, given when its answer was fetched and when fetching it failed since; nil is never.
func (a Ages) Due(now time.Time, fetched, failed *time.Time) bool {
	return !a.Fresh(now, fetched) && (failed == nil || now.Sub(*failed) >= a.Retry)
}
