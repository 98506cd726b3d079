package attachments

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
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
		sc := newScans(s.files, receiving.NewScannerWith(silent{}, s.files.settings, slog.New(slog.DiscardHandler)), slog.New(slog.DiscardHandler))
		row := s.put(ctx, t, "Hello", description{})
		lose := func() { // as it is when the job is gone
			row, err := s.files.repository.Find(ctx, row.ID)
			require.NoError(t, err)
			at := s.at.Now()
			row.Scan, row.ScanAskedAt = store.ScanPending, &at
			require.NoError(t, s.files.db.InTx(ctx, func(ctx context.Context) (err error) {
				row.State, err = store.Lifecycle.Apply(ctx, s.files.states, row.State, state.Move{Verb: store.VerbScan, UUID: row.ID, Thing: row})
				require.NoError(t, err)

				return s.files.repository.Save(ctx, &row)
			}))
		}
		is := func(want store.Status) func() bool {
			return func() bool {
				row, err := s.files.repository.Find(ctx, row.ID)
				require.NoError(t, err)

				return row.State == want && row.ScanAskedAt == nil
			}
		}
		lose()
		s.at.Advance(s.files.settings.Scan.LostAfter - time.Second)
		require.NoError(t, sc.sweepLost(t.Context(), sweepScans{}))
		_, err := sc.rescan(ctx, row.ID, web.IfMatch{})
		require.ErrorIs(t, err, state.ErrNotAllowed)
		require.False(t, is(store.Ready)())
		s.at.Advance(2 * time.Second)
		held, err := s.files.repository.Find(ctx, row.ID)
		require.NoError(t, err)
		require.Error(t, sc.postpone(ctx, held), "the job comes again")
		require.NoError(t, sc.sweepLost(t.Context(), sweepScans{}))
		require.False(t, is(store.Ready)(), "a job that waits for the scanner is not lost")
		s.at.Advance(s.files.settings.Scan.LostAfter + time.Second)
		require.NoError(t, sc.sweepLost(t.Context(), sweepScans{}))
		a.Eventually(t, is(store.Ready), "it is scanned")

		lose()
		s.at.Advance(s.files.settings.Scan.LostAfter)
		_, err = sc.rescan(ctx, row.ID, web.IfMatch{})
		require.NoError(t, err)
		a.Eventually(t, is(store.Ready), "somebody had it scanned")
	})
}
