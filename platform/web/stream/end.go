package stream

import (
	"cmp"
	"context"
	"errors"
)

// How streams end, in the log and the metrics.
const (
	EndDone    = "done"
	EndFailed  = "failed"
	EndGone    = "gone"
	EndSlow    = "slow"
	EndLong    = "too_long"
	EndStopped = "stopped"
	EndRevoked = "revoked"
)

// end names how the stream came to its end.
func (r *Run) end(ctx context.Context, err error) string {
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return cmp.Or(r.why, EndDone)
	case isStuck(r.writer.connError()):
		return EndSlow
	case errors.Is(cause, errGone), cause == nil && r.writer.connError() != nil:
		return EndGone
	case errors.Is(cause, ErrStopping):
		return EndStopped
	case errors.Is(cause, ErrTooLong):
		return EndLong
	case errors.Is(cause, ErrRevoked):
		return EndRevoked
	default:
		return EndFailed
	}
}
