package messages_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/share"
)

func TestRemind_CountsWhatWasSentAndRefusesOneTooMany(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	ago := func(minutes int) *time.Time {
		at := noon.Add(-time.Duration(minutes) * time.Minute)

		return &at
	}
	failure := errors.New("the database is gone")
	sent := share.Share{Deliveries: []share.Delivery{{Result: share.Skipped}, {Result: share.Sent}}}
	missed := share.Share{Deliveries: sent.Deliveries[:1]}
	channels := []string{notify.Email, notify.SMS}
	for name, one := range map[string]struct {
		count    int64
		last     *time.Time
		channels []string
		given    share.Share
		failure  error
		want     error
		counted  bool
	}{
		"the first one":              {channels: channels, given: sent, counted: true},
		"half an hour later":         {count: 1, last: ago(30), channels: channels, given: sent, counted: true},
		"too soon":                   {count: 1, last: ago(29), channels: channels, given: sent, want: store.ErrRemindedRecently},
		"the fifth":                  {count: 4, last: ago(60), channels: channels, given: sent, counted: true},
		"the sixth":                  {count: 5, last: ago(600), channels: channels, given: sent, want: store.ErrRemindedRecently},
		"that no channel has taken":  {channels: channels, given: missed},
		"that the company passes on": {counted: true},
		"that could not be written":  {channels: channels, failure: failure, want: failure},
	} {
		count, last, written := one.count, one.last, false
		err := messages.Remind(&count, &last, noon, one.channels, func() (share.Share, error) {
			written = true

			return one.given, one.failure
		})
		require.ErrorIs(t, err, one.want, name)
		require.Equal(t, one.want == nil || one.failure != nil, written, name)
		if one.counted {
			require.Equal(t, []any{one.count + 1, noon}, []any{count, *last}, name)
		} else {
			require.Equal(t, []any{one.count, one.last}, []any{count, last}, name)
		}
	}
}
