package lastuse

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
)

func TestNote_OnceAMinuteForEachThing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := New("tokens", nil, clock.NewFake(now), nil)
	id, last := uuid.New(), now.Add(-Every)
	note := func(at time.Time) { r.Note(Use{ID: id, At: at}, last) }

	note(now)
	require.Len(t, r.due(), 1)
	note(now.Add(Every - 1))
	require.Empty(t, r.due(), "noted less than a minute ago")
	note(now.Add(Every))
	require.Len(t, r.due(), 1)

	last = now.Add(2 * Every)
	note(now.Add(3*Every - 1))
	require.Empty(t, r.due(), "another process has recorded it")
}

func TestNote_IsBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := New("tokens", nil, clock.NewFake(now), nil)
	for range Most + 10 {
		r.Note(Use{ID: uuid.New(), At: now}, time.Time{})
	}
	require.Len(t, r.due(), Most)
}
