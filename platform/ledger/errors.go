package ledger

import "github.com/dispatchd/dispatchd/platform/errs"

// The failures of a ledger.
var (
	ErrUnbalanced = errs.New(errs.Invalid, "ledger.unbalanced", "The postings do not add up to zero.")
	ErrInvalid    = errs.New(errs.Invalid, "ledger.invalid_transaction", "The transaction is not valid.")
	ErrTooLarge   = errs.New(errs.Invalid, "ledger.too_large", "The amount is too large for the ledger.")
	// ErrReferenceConflict has the id of the other transaction in the detail "transaction".
	ErrReferenceConflict = errs.New(errs.Conflict, "ledger.reference_conflict", "Another transaction was posted under this reference.")
	ErrAccountConflict   = errs.New(errs.Conflict, "ledger.account_conflict", "The account was opened with another kind or subject.")
	// ErrPeriodClosed has the last closed day in the detail "through".
	ErrPeriodClosed = errs.New(errs.Conflict, "ledger.period_closed", "The period is closed. Choose a later date, or reopen the period.")
	ErrNotFound     = errs.New(errs.NotFound, "ledger.not_found", "There is no such ledger transaction.")
	// ErrAlreadyReversed has the id of the reversal in the detail "reversal".
	ErrAlreadyReversed = errs.New(errs.Conflict, "ledger.already_reversed", "The transaction was already reversed.")
	ErrIsReversal      = errs.New(errs.Conflict, "ledger.is_reversal", "A reversal cannot be reversed. Post the transaction again.")
	ErrOnlyForward     = errs.New(errs.Conflict, "ledger.closed_further", "The period is already closed through a later day. Reopen it to go back.")
	ErrNotOver         = errs.New(errs.Invalid, "ledger.period_not_over", "A period can be closed through yesterday at the latest.")
	ErrNotClosed       = errs.New(errs.Conflict, "ledger.not_closed", "The period is not closed on that day.")
)
