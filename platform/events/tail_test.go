package events_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// tailOf follows what the shop buys.
func tailOf(p *parts) *events.Tail[string] {
	return events.NewTail(p.shop.bus, []string{bought{}.EventName()}, func(_ context.Context, found []events.Logged) ([]string, error) {
		things := make([]string, len(found))
		for i, e := range found {
			things[i] = string(e.Payload)
		}

		return things, nil
	})
}

// following collects what a listener is told.
type following struct {
	*events.Following[string]

	ids []uuid.UUID
}

func follow(t *testing.T, ctx context.Context, tail *events.Tail[string], after uuid.UUID) *following {
	t.Helper()
	place, err := tail.Follow(ctx, after)
	require.NoError(t, err)
	t.Cleanup(place.Leave)

	return &following{Following: place}
}

// until reads until there are as many events.
func (f *following) until(t *testing.T, ctx context.Context, events int) []uuid.UUID {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for len(f.ids) < events {
		found, err := f.Next(ctx)
		require.NoErrorf(t, err, "after %d of %d events", len(f.ids), events)
		for _, e := range found {
			f.ids = append(f.ids, e.ID)
		}
	}

	return f.ids
}

func TestTail_TellsOfAnEventThatIsCommittedAfterAGreaterOneWasRead(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		if a.DB.Dialect() == database.SQLite {
			return // one transaction writes at a time there
		}
		ctx := as(t.Context(), a.Owner.ID)
		f := follow(t, ctx, tailOf(p), uuid.Nil)
		published, commit, slow := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			slow <- a.DB.InTx(ctx, func(ctx context.Context) error {
				err := p.shop.bus.Publish(ctx, bought{Thing: "slow"})
				close(published)
				<-commit

				return err
			})
		}()
		<-published
		require.NoError(t, p.shop.buy(ctx, "quick", 1))
		quick := f.until(t, ctx, 1)[0]
		close(commit)
		require.NoError(t, <-slow)
		late := f.until(t, ctx, 2)[1]
		require.Less(t, late.String(), quick.String(), "it has the smaller id")

		again := follow(t, ctx, tailOf(p), quick)
		require.Contains(t, again.until(t, ctx, 2), late, "also to who was away, in another process")
	})
}

func TestTail_LooksBackAMinute(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		ctx := as(t.Context(), a.Owner.ID)
		f := follow(t, ctx, tailOf(p), uuid.Nil)
		late := database.NewID()
		before := clock.System{}.Now().Add(-30 * time.Second).UnixMilli()
		for i := range 6 {
			late[i] = byte(before >> (8 * (5 - i)))
		}
		require.NoError(t, a.DB.InTx(ctx, func(ctx context.Context) error {
			return a.DB.Raw(ctx, "test").Exec(`INSERT INTO events_log (company_id, id, name, payload, actor, request_id, at)
				VALUES (?, ?, 'shop.thing.bought', '{}', '', '', ?)`, a.Owner.ID, late, clock.System{}.Now()).Error
		}))
		require.Equal(t, []uuid.UUID{late}, f.until(t, ctx, 1))
	})
}

func TestTail_GoesOnAfterTheEventThatWasSeenLast(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		ctx := as(t.Context(), a.Owner.ID)
		tail := tailOf(p)
		f := follow(t, ctx, tail, uuid.Nil)
		for range 10 {
			require.NoError(t, p.shop.buy(ctx, "truck", 1))
		}
		seen := slices.Clone(f.until(t, ctx, 10))
		f.Leave()

		require.Equal(t, seen[4:], follow(t, ctx, tail, seen[3]).until(t, ctx, 6), "in this process, exactly")
		require.Equal(t, seen, follow(t, ctx, tail, f.Origin()).until(t, ctx, 10), "from where it began")

		elsewhere := follow(t, ctx, tailOf(p), seen[3])
		require.NoError(t, p.shop.buy(ctx, "late", 1))
		got := elsewhere.until(t, ctx, 11)
		require.Equal(t, seen, got[:10], "those of the last minute again: who knows when they were committed?")
		require.NotContains(t, seen, got[10], "and then what is new")
	})
}

func TestTail_SaysWhenItCannotGoOn(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		ctx := as(t.Context(), a.Owner.ID)
		_, err := tailOf(p).Follow(ctx, uuid.MustParse("01800000-0000-7000-8000-000000000000")) // of 2022
		require.ErrorIs(t, err, events.ErrGone)
		_, err = tailOf(p).Follow(ctx, uuid.New())
		require.ErrorIs(t, err, events.ErrNoEvent)
	})
}

func TestTail_LeavesBehindWhoDoesNotRead(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		ctx := as(t.Context(), a.Owner.ID)
		tail := tailOf(p)
		lazy, eager := follow(t, ctx, tail, uuid.Nil), follow(t, ctx, tail, uuid.Nil)
		const many, times = 450, 10
		for i := range times {
			require.NoError(t, a.DB.InTx(ctx, func(ctx context.Context) error {
				return p.shop.bus.Publish(ctx, slices.Repeat([]events.Event{bought{Thing: "truck"}}, many)...)
			}))
			eager.until(t, ctx, (i+1)*many)
		}
		_, err := lazy.Next(ctx)
		require.ErrorIs(t, err, events.ErrBehind)
		require.Len(t, eager.ids, many*times)
		slices.SortFunc(eager.ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		require.Len(t, slices.Compact(eager.ids), many*times, "none twice")
	})
}

func TestTail_EndsWithTheService(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		ctx := as(t.Context(), a.Owner.ID)
		f := follow(t, ctx, tailOf(p), uuid.Nil)
		p.shop.bus.Close()
		_, err := f.Next(ctx)
		require.Error(t, err)
		require.NotErrorIs(t, err, context.Canceled)
		_, err = tailOf(p).Follow(ctx, uuid.Nil)
		require.Error(t, err)
	})
}
