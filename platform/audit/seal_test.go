package audit_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func (l trail) record(ctx context.Context, t *testing.T, action string) {
	t.Helper()
	require.NoError(t, l.db.InTx(ctx, func(ctx context.Context) error {
		return l.Record(ctx, audit.Entry{Action: action})
	}))
}

func TestVerify_CountsWhatIsNotSealedYet(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		ctx, company := calling(t.Context())
		l.record(ctx, t, "a")
		l.seal(t.Context(), t)
		l.record(ctx, t, "b")
		report, err := l.Verify(t.Context(), company)
		require.NoError(t, err)
		require.Equal(t, audit.Report{Company: company, Entries: 1, Head: report.Head, Unsealed: 1}, report)
	})
}

func TestStart_SealsInTheBackgroundWhatWritersAndOthersLeave(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		ctx, company := calling(t.Context())
		l.record(ctx, t, "of a process that died")
		require.NoError(t, l.Start(t.Context()))
		sealed := func(n int64) func() bool {
			return func() bool {
				report, err := l.Verify(t.Context(), company)

				return err == nil && report.Entries == n && report.Broken == "" && report.Unsealed == 0
			}
		}
		require.Eventually(t, sealed(1), time.Minute, 10*time.Millisecond)
		l.record(ctx, t, "b")
		require.Eventually(t, sealed(2), time.Minute, 10*time.Millisecond)
		l.record(ctx, t, "right before the end")
		require.NoError(t, l.Stop(t.Context()))
		require.True(t, sealed(3)())
		require.NoError(t, l.Stop(t.Context()), "twice")
	})
}

func TestSeal_BySeveralAtOnceMakesOneChain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		ctx, company := calling(t.Context())
		const entries = 200
		var group sync.WaitGroup
		writing, written := context.WithCancel(t.Context())
		failed := make(chan error, 4)
		for range cap(failed) {
			group.Go(func() {
				for writing.Err() == nil {
					if _, err := l.Seal(context.WithoutCancel(writing)); err != nil {
						failed <- err

						return
					}
				}
			})
		}
		for range entries {
			l.record(ctx, t, "a")
		}
		written()
		group.Wait()
		close(failed)
		require.NoError(t, <-failed)
		l.seal(t.Context(), t)
		report, err := l.Verify(t.Context(), company)
		require.NoError(t, err)
		require.Equal(t, audit.Report{Company: company, Entries: entries, Head: report.Head}, report)
	})
}

func TestSeal_GoesBeyondOneBatch(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		ctx, company := calling(t.Context())
		const entries = 2100
		require.NoError(t, l.db.InTx(ctx, func(ctx context.Context) error {
			for range entries {
				if err := l.Record(ctx, audit.Entry{Action: "a", Item: audit.Item{Type: "t", UUID: uuid.New()}}); err != nil {
					return err
				}
			}

			return nil
		}))
		sealed, err := l.Seal(t.Context())
		require.NoError(t, err)
		require.Equal(t, entries, sealed)
		report, err := l.Verify(t.Context(), company)
		require.NoError(t, err)
		require.Equal(t, int64(entries), report.Entries)
		require.Empty(t, report.Broken)
	})
}

func TestRecord_TakesEntriesOfNobodysCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		operator := principal.With(t.Context(), principal.Principal{Kind: principal.Operator})
		l.record(operator, t, "companies.created")
		l.record(t.Context(), t, "identity.login_failed")
		l.seal(t.Context(), t)
		report, err := l.Verify(t.Context(), uuid.Nil)
		require.NoError(t, err)
		require.Equal(t, audit.Report{Entries: 2, Head: report.Head}, report)
	})
}
