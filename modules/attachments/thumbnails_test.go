package attachments

import (
	"bytes"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sizes is how many thumbnails an image has.
const sizes = 3

func TestThumbnails_AreNoOrphansAndGoWithTheirFile(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		var picture bytes.Buffer
		require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 300, 300))))
		row := s.put(ctx, t, picture.String(), files.Description{})
		a.Eventually(t, func() bool {
			small, err := s.rows.Thumbnails(ctx, row.ID)

			return err == nil && len(small) == sizes
		}, "a job makes them")
		require.Len(t, s.blobs(ctx, t), 1+sizes)
		s.at.Advance(s.settings.OrphanAge + time.Hour)
		require.Empty(t, s.findings(t, true))
		require.Len(t, s.blobs(ctx, t), 1+sizes)

		require.NoError(t, s.keeper.Remove(ctx, row.ID, web.IfMatch{}, ""))
		s.at.Advance(s.settings.Retention + time.Hour)
		require.NoError(t, s.purger.Purge(t.Context(), files.PurgeJob{}))
		a.Eventually(t, func() bool { return len(s.blobs(ctx, t)) == 0 }, "a job removes them")
		small, err := s.rows.Thumbnails(ctx, row.ID)
		require.NoError(t, err)
		require.Empty(t, small)
	})
}
