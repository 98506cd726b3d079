package vendorsandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
)

// outbox keeps the notices of one thing in memory.
type outbox struct {
	notices []*vendorsandbox.Notice
	until   time.Time // until when it is held
}

// Hold implements vendorsandbox.Outbox.
func (o *outbox) Hold(_ context.Context, _ uuid.UUID, now, until time.Time) (bool, error) {
	if now.Before(o.until) {
		return false, nil
	}
	o.until = until

	return true, nil
}

// Release implements vendorsandbox.Outbox.
func (o *outbox) Release(context.Context, uuid.UUID) error {
	o.until = time.Time{}

	return nil
}

// Next implements vendorsandbox.Outbox.
func (o *outbox) Next(context.Context, uuid.UUID) (*vendorsandbox.Notice, error) {
	for _, n := range o.notices {
		if n.TakenAt == nil && n.FailedAt == nil {
			copied := *n

			return &copied, nil
		}
	}

	return nil, nil //nolint:nilnil // there is none
}

// Save implements vendorsandbox.Outbox.
func (o *outbox) Save(_ context.Context, saved *vendorsandbox.Notice) error {
	for _, n := range o.notices {
		if n.ID == saved.ID {
			*n = *saved
		}
	}

	return nil
}

// fixture is a courier with two notices to send.
type fixture struct {
	*vendorsandbox.Courier

	outbox *outbox
	at     *clock.Fake
	sent   []string
}

func newFixture(t *testing.T, url string) *fixture {
	t.Helper()
	f := &fixture{outbox: &outbox{}, at: clock.NewFake(time.Date(2026, 6, 1, 17, 0, 0, 0, time.UTC))}
	for _, event := range []string{"paid", "settled"} {
		f.outbox.notices = append(f.outbox.notices, &vendorsandbox.Notice{ID: uuid.New(), Event: event, Body: json.RawMessage("{}")})
	}
	f.Courier = vendorsandbox.NewCourier(databasetest.Open(t, url), f.at, f.outbox)

	return f
}

var errBusy = errors.New("503")

// deliver runs the job once, for a receiver that answers with an error, or takes everything.
func (f *fixture) deliver(ctx context.Context, answer error) error {
	return f.Deliver(ctx, uuid.New(), func(_ context.Context, n *vendorsandbox.Notice) error {
		f.sent = append(f.sent, n.Event)

		return answer
	})
}

func TestDeliver_SendsAgainWhatWasNotTakenBeforeWhatFollows(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		f := newFixture(t, url)
		require.Equal(t, jobs.Later(2*time.Second), f.deliver(t.Context(), errBusy))
		require.Equal(t, jobs.Later(4*time.Second), f.deliver(t.Context(), errBusy))
		require.NoError(t, f.deliver(t.Context(), nil))
		require.NoError(t, f.deliver(t.Context(), nil), "nothing is left")
		require.Equal(t, []string{"paid", "paid", "paid", "settled"}, f.sent)
	})
}

func TestDeliver_GivesUpAfterTenTries(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		f := newFixture(t, url)
		for range 9 {
			require.True(t, jobs.IsLater(f.deliver(t.Context(), errBusy)))
		}
		require.Equal(t, jobs.Later(2*time.Second), f.deliver(t.Context(), errBusy), "of the second one")
		require.NotNil(t, f.outbox.notices[0].FailedAt)
		require.Equal(t, int64(10), f.outbox.notices[0].Tries)
	})
}

func TestDeliver_LeavesAloneWhatAnotherJobDelivers(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		f := newFixture(t, url)
		require.NoError(t, f.Deliver(t.Context(), uuid.New(), func(ctx context.Context, _ *vendorsandbox.Notice) error {
			require.Equal(t, jobs.Later(time.Second), f.deliver(ctx, nil))

			return nil
		}))
		require.Empty(t, f.sent)
		f.outbox.until = f.at.Now().Add(time.Minute)
		require.NoError(t, f.deliver(t.Context(), nil), "nothing is left to wait for")
	})
}

func TestDeliver_EndsBeforeItsHoldDoes(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		f := newFixture(t, url)
		err := f.Deliver(t.Context(), uuid.New(), func(context.Context, *vendorsandbox.Notice) error {
			f.at.Advance(31 * time.Second)

			return nil
		})
		require.True(t, jobs.IsLater(err))
		require.NotNil(t, f.outbox.notices[0].TakenAt)
		require.Nil(t, f.outbox.notices[1].TakenAt)
		require.Zero(t, f.outbox.until, "it is free for the next run")
	})
}
