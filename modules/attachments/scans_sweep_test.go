package attachments

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/scanning"
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
		held := scanning.NewHeld(s.settings, s.rows, s.journal, s.at, slog.New(slog.DiscardHandler))
		desk := scanning.NewDesk(s.rows, s.keeper, s.journal, held, receiving.NewScannerWith(silent{}, s.settings, slog.New(slog.DiscardHandler)))
		row := s.put(ctx, t, "Hello", files.Description{})
		lose := func() { // as it is when the job is gone
			row, err := s.rows.Find(ctx, row.ID)
			require.NoError(t, err)
			at := s.at.Now()
			row.Scan, row.ScanAskedAt = store.ScanPending, &at
			require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
				require.NoError(t, s.journal.Step(ctx, &row, store.VerbScan, ""))

				return s.rows.Save(ctx, &row)
			}))
		}
		is := func(want store.Status) func() bool {
			return func() bool {
				row, err := s.rows.Find(ctx, row.ID)
				require.NoError(t, err)

				return row.State == want && row.ScanAskedAt == nil
			}
		}
		lose()
		s.at.Advance(s.settings.Scan.LostAfter - time.Second)
		require.NoError(t, held.SweepLost(t.Context(), scanning.Sweep{}))
		_, err := desk.Rescan(ctx, row.ID, web.IfMatch{})
		require.ErrorIs(t, err, state.ErrNotAllowed)
		require.False(t, is(store.Ready)())
		s.at.Advance(2 * time.Second)
		waits, err := s.rows.Find(ctx, row.ID)
		require.NoError(t, err)
		require.Error(t, held.Postpone(ctx, waits), "the job comes again")
		require.NoError(t, held.SweepLost(t.Context(), scanning.Sweep{}))
		require.False(t, is(store.Ready)(), "a job that waits for the scanner is not lost")
		s.at.Advance(s.settings.Scan.LostAfter + time.Second)
		require.NoError(t, held.SweepLost(t.Context(), scanning.Sweep{}))
		a.Eventually(t, is(store.Ready), "it is scanned")

		lose()
		s.at.Advance(s.settings.Scan.LostAfter)
		_, err = desk.Rescan(ctx, row.ID, web.IfMatch{})
		require.NoError(t, err)
		a.Eventually(t, is(store.Ready), "somebody had it scanned")
	})
}
