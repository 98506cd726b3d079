package attachments

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// silent finds nothing.
type silent struct{}

func (silent) Scan(context.Context, io.Reader) (string, error) { return "", nil }

func TestSweepScans_BeginsAnewWhatWasLost(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		sc := newScans(s.service, &scanner{engine: silent{}, log: slog.New(slog.DiscardHandler)})
		row := s.put(ctx, t, "Hello", description{})
		lose := func() { // as it is when the job is gone
			row, err := s.repository.find(ctx, row.ID)
			require.NoError(t, err)
			at := s.at.Now()
			row.Scan, row.ScanAskedAt = scanPending, &at
			require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) (err error) {
				row.State, err = lifecycle().Apply(ctx, s.states, row.State, state.Move{Verb: verbScan, UUID: row.ID, Thing: row})
				require.NoError(t, err)

				return s.repository.save(ctx, &row)
			}))
		}
		is := func(want status) func() bool {
			return func() bool {
				row, err := s.repository.find(ctx, row.ID)
				require.NoError(t, err)

				return row.State == want && row.ScanAskedAt == nil
			}
		}
		lose()
		s.at.Advance(s.settings.Scan.LostAfter - time.Second)
		require.NoError(t, sc.sweepLost(t.Context(), sweepScans{}))
		_, err := sc.rescan(ctx, row.ID, web.IfMatch{})
		require.ErrorIs(t, err, state.ErrNotAllowed)
		require.False(t, is(ready)())
		s.at.Advance(2 * time.Second)
		held, err := s.repository.find(ctx, row.ID)
		require.NoError(t, err)
		require.Error(t, sc.later(ctx, held), "the job comes again")
		require.NoError(t, sc.sweepLost(t.Context(), sweepScans{}))
		require.False(t, is(ready)(), "a job that waits for the scanner is not lost")
		s.at.Advance(s.settings.Scan.LostAfter + time.Second)
		require.NoError(t, sc.sweepLost(t.Context(), sweepScans{}))
		a.Eventually(t, is(ready), "it is scanned")

		lose()
		s.at.Advance(s.settings.Scan.LostAfter)
		_, err = sc.rescan(ctx, row.ID, web.IfMatch{})
		require.NoError(t, err)
		a.Eventually(t, is(ready), "somebody had it scanned")
	})
}
