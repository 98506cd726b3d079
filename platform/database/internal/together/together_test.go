package together_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/internal/together"
)

var (
	errBad  = errors.New("bad")
	errLost = errors.New("lost")
)

// recorder makes calls of words, each of which takes a second, "slow" an hour. It keeps what went together.
type recorder struct {
	mu  sync.Mutex
	had [][]string
}

func (r *recorder) make(calls []string) error {
	r.mu.Lock()
	r.had = append(r.had, calls)
	r.mu.Unlock()
	<-time.After(time.Second)
	if slices.Contains(calls, "slow") {
		<-time.After(time.Hour)
	}
	switch {
	case slices.Contains(calls, "lost"):
		return errLost
	case slices.Contains(calls, "bad"):
		return errBad
	}

	return nil
}

type sourceKey struct{}

// by is a context of calls that are made on somebody's behalf.
func by(ctx context.Context, who uuid.UUID) context.Context {
	return context.WithValue(ctx, sourceKey{}, who)
}

func source(ctx context.Context) uuid.UUID {
	who, _ := ctx.Value(sourceKey{}).(uuid.UUID)

	return who
}

// given makes calls one shortly after the other, and returns what each was told.
func (r *recorder) given(t *testing.T, words ...string) []error {
	t.Helper()
	calls := together.New(together.Way[string]{
		Alone:    func(_ context.Context, word string) error { return r.make([]string{word}) },
		Together: r.make,
		IsUndone: func(err error) bool { return !errors.Is(err, errLost) },
		Weight:   func(word string) int { return len(word) },
		Source:   source,
		Apart:    time.Minute,
		Most:     4, Heaviest: 8, Patience: 5 * time.Second,
	})
	told := make([]error, len(words))
	var all sync.WaitGroup
	for i, word := range words {
		all.Go(func() { told[i] = calls.Do(t.Context(), word) })
		synctest.Wait()
	}
	all.Wait()

	return told
}

func TestCalls_ThatWaitGoTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words []string
		want  [][]string
	}{
		"nobody waits for company":  {[]string{"a"}, [][]string{{"a"}}},
		"one that waits goes alone": {[]string{"a", "b"}, [][]string{{"a"}, {"b"}}},
		"those that wait":           {[]string{"a", "b", "c"}, [][]string{{"a"}, {"b", "c"}}},
		"no more than may":          {[]string{"a", "b", "c", "d", "e", "f", "g"}, [][]string{{"a"}, {"b", "c", "d", "e"}, {"f", "g"}}},
		"no heavier than may":       {[]string{"a", "bbbb", "cccc", "d"}, [][]string{{"a"}, {"bbbb", "cccc"}, {"d"}}},
		"however heavy":             {[]string{"a", "bbbbbbbbb", "c"}, [][]string{{"a"}, {"bbbbbbbbb"}, {"c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var r recorder
				for _, err := range r.given(t, c.words...) {
					require.NoError(t, err)
				}
				require.Equal(t, c.want, r.had)
			})
		})
	}
}

func TestCalls_EachFailsByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		require.Equal(t, []error{nil, nil, errBad, nil}, r.given(t, "a", "b", "bad", "c"))
		require.Len(t, r.had, 1+1+3, "each again, alone")
	})
}

func TestCalls_AreNotMadeAgainWhenTheirOutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		require.Equal(t, []error{nil, errLost, errLost}, r.given(t, "a", "b", "lost"))
		require.Len(t, r.had, 2)
	})
}

func TestCalls_DoNotWaitLongForOneThatIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now() //nolint:forbidigo // the bubble's
		var r recorder
		took := make(chan time.Duration, 1)
		calls := together.New(together.Way[string]{
			Alone: func(_ context.Context, word string) error { return r.make([]string{word}) }, Together: r.make,
			IsUndone: func(error) bool { return true }, Weight: func(string) int { return 0 }, Source: source, Most: 4, Patience: 5 * time.Second,
		})
		slow, a := make(chan error, 1), make(chan error, 1)
		go func() { slow <- calls.Do(t.Context(), "slow") }()
		synctest.Wait()
		go func() {
			a <- calls.Do(t.Context(), "a")
			took <- time.Since(begin)
		}()
		synctest.Wait()
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, calls.Do(cancelled, "gone"), context.Canceled)
		require.Equal(t, 6*time.Second, <-took)
		require.Equal(t, [][]string{{"slow"}, {"a"}}, r.had, "who left is not called")
		require.NoError(t, errors.Join(<-a, <-slow))
	})
}

func TestCalls_OfWhoFailedAGroupKeepApartForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		calls := together.New(together.Way[string]{
			Alone: func(_ context.Context, word string) error { return r.make([]string{word}) }, Together: r.make,
			IsUndone: func(error) bool { return true }, Weight: func(string) int { return 0 }, Source: source,
			Most: 4, Apart: time.Minute, Patience: time.Hour,
		})
		sources := map[string]uuid.UUID{"good": uuid.New(), "bad": uuid.New()}
		try := func(ctx context.Context) [][]string {
			r.had = nil
			var all sync.WaitGroup
			told := make(chan error, 4)
			for _, word := range []string{"good", "bad", "good", "good"} {
				all.Go(func() { told <- calls.Do(by(ctx, sources[word]), word) })
				synctest.Wait()
			}
			all.Wait()

			return r.had
		}
		apart := [][]string{{"good"}, {"bad"}, {"good", "good"}}
		failed := [][]string{{"good"}, {"bad", "good", "good"}, {"bad"}, {"good"}, {"good"}}
		require.ElementsMatch(t, failed, try(t.Context()))
		require.ElementsMatch(t, apart, try(t.Context()))
		<-time.After(time.Hour)
		require.ElementsMatch(t, failed, try(t.Context()))
	})
}
