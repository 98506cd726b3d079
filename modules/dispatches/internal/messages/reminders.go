package messages

import (
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/share"
)

// A carrier is reminded of an offer or a load so often at most.
const (
	remindEvery   = 30 * time.Minute
	mostReminders = 5
)

// Remind sends a reminder and counts it, and refuses one that comes too soon or is one too many. One that no channel takes is not counted.
func Remind(count *int64, last **time.Time, now time.Time, channels []string, send func() (share.Share, error)) error {
	if *last != nil && now.Sub(**last) < remindEvery {
		return store.ErrRemindedRecently.WithRetryAfter(remindEvery - now.Sub(**last))
	}
	if *count >= mostReminders {
		return store.ErrRemindedRecently.WithMessage("The carrier was reminded %d times, which is the most. Call it instead.", *count)
	}
	given, err := send()
	if err != nil {
		return err
	}
	if len(channels) == 0 || slices.ContainsFunc(given.Deliveries, func(d share.Delivery) bool { return d.Result == share.Sent }) {
		*count++
		*last = &now
	}

	return nil
}
