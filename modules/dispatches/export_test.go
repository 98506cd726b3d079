package dispatches

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
)

// Expire is the job that ends offers that nobody answered, for tests that have it run.
type Expire = expire

// CheckOverdue is the job that finds carriers that are overdue.
type CheckOverdue = checkOverdue

// AcceptedText is what a rate confirmation of a revision says of who has accepted which one, and when.
func AcceptedText(revision, of int64, by string, at time.Time) string {
	return confirmation{Dispatch: store.Dispatch{Revision: revision, AcceptedRevision: of, AcceptedBy: by, AcceptedAt: &at}}.accepted()
}
