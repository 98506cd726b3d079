package outbound_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/outbound"
)

func TestAges_AskAgainForOldAnswersUnlessItJustFailed(t *testing.T) {
	t.Parallel()
	ages := outbound.Ages{Refresh: time.Hour, Retry: time.Minute}
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) *time.Time { return new(now.Add(-d)) }
	for name, c := range map[string]struct {
		fetched, failed *time.Time
		due             bool
	}{
		"never asked":                    {nil, nil, true},
		"a fresh answer":                 {ago(time.Hour - 1), nil, false},
		"an old answer":                  {ago(time.Hour), nil, true},
		"an old answer, and it failed":   {ago(2 * time.Hour), ago(time.Minute - 1), false},
		"that was long enough ago":       {ago(2 * time.Hour), ago(time.Minute), true},
		"it only ever failed, just now":  {nil, ago(0), false},
		"a fresh answer after a failure": {ago(time.Second), ago(time.Hour), false},
	} {
		require.Equal(t, c.due, ages.Due(now, c.fetched, c.failed), name)
	}
}
