package attachments

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/tus"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// transfersOf are the transfers of a service with a clock of its own, and the context of its owner's company.
func transfersOf(t *testing.T, a *moduletest.App, s kept) (context.Context, *transfers) {
	t.Helper()

	return principal.AsCompany(t.Context(), a.Owner.ID), newTransfers(&links{files: s.files}, slog.New(slog.DiscardHandler))
}

// arrived is a transfer, all of which has arrived and which nobody has put together.
func arrived(ctx context.Context, t *testing.T, f *transfers, pieces ...string) store.Transfer {
	t.Helper()
	row, err := f.begin(ctx, announcement{length: int64(len(strings.Join(pieces, "")))})
	require.NoError(t, err)
	for _, piece := range pieces {
		row, err = f.receive(ctx, row, strings.NewReader(piece), nil)
		require.NoError(t, err)
	}
	require.True(t, row.Complete())

	return row
}

func TestFinish_MakesOneFileHoweverOftenItIsTried(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx, f := transfersOf(t, a, s)
		row := arrived(ctx, t, f, "Hello ", "world")
		var all sync.WaitGroup
		var files [4]store.Attachment
		var problems [4]error
		for i := range files {
			all.Go(func() { files[i], problems[i] = f.finish(ctx, row) })
		}
		all.Wait()
		require.NoError(t, errors.Join(problems[:]...))
		for _, file := range files {
			require.Equal(t, files[0].ID, file.ID)
		}
		require.NoError(t, f.finishLeft(ctx, finishTransferJob{Transfer: row.ID}))
		require.Equal(t, []string{"attachments.attachment.stored"}, a.EventNames(t, a.Owner))
		a.Eventually(t, func() bool { return len(s.blobs(ctx, t)) == 1 }, "the parts are removed")
		require.Empty(t, s.findings(t, false))
	})
}

func TestFinish_IsDoneByTheJobWhenTheRequestDied(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx, f := transfersOf(t, a, s)
		row := arrived(ctx, t, f, "Hello ", "world")
		require.NoError(t, f.finishLeft(ctx, finishTransferJob{Transfer: row.ID}))
		held, err := s.files.repository.FindTransfer(ctx, row.ID)
		require.NoError(t, err)
		require.Nil(t, held.AttachmentID, "somebody is at work on it")
		_, err = f.showTransfer(ctx, held)
		require.ErrorIs(t, err, store.ErrTransferEnding)

		s.at.Advance(claimTime)
		require.NoError(t, f.finishLeft(ctx, finishTransferJob{Transfer: row.ID}))
		file, err := f.finishedFile(ctx, row.ID)
		require.NoError(t, err)
		require.EqualValues(t, 11, file.Size)
	})
}

func TestFinish_TriesAgainWhatMayPassAndRemovesWhatIsRefused(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx, f := transfersOf(t, a, s)
		row := arrived(ctx, t, f, "Hello ", "world")
		s.files.storage.Blobs.Through(func(io.Writer) io.Writer { return broken{} })
		_, err := f.finish(ctx, row)
		require.ErrorIs(t, err, blob.ErrUnavailable)
		s.files.storage.Blobs.Through(func(w io.Writer) io.Writer { return w })
		require.NoError(t, f.finishLeft(ctx, finishTransferJob{Transfer: row.ID}))
		file, err := f.finishedFile(ctx, row.ID)
		require.NoError(t, err)
		require.EqualValues(t, 11, file.Size)

		row = arrived(ctx, t, f, "\x7fELF\x02\x01\x01", strings.Repeat("\x00", 900))
		_, err = f.finish(ctx, row)
		require.ErrorIs(t, err, store.ErrType)
		_, err = s.files.repository.FindTransfer(ctx, row.ID)
		require.ErrorIs(t, err, store.ErrTransfer)
		require.NoError(t, f.finishLeft(ctx, finishTransferJob{Transfer: row.ID}))
		require.Empty(t, s.findings(t, false))
	})
}

// broken writes nothing.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

func TestSweep_RemovesWhatNobodyGoesOnWith(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx, f := transfersOf(t, a, s)
		stays := s.put(ctx, t, "stays", description{})
		row, err := f.begin(ctx, announcement{length: 10})
		require.NoError(t, err)
		_, err = f.receive(ctx, row, strings.NewReader("Hello"), nil)
		require.NoError(t, err)
		s.at.Advance(s.files.settings.OrphanAge + time.Minute)
		require.Empty(t, s.findings(t, true), "what has arrived is no orphan")
		require.NoError(t, f.sweepAll(t.Context(), sweepTransfersJob{}))
		_, err = f.find(ctx, row.ID, nil)
		require.NoError(t, err)

		s.at.Advance(s.files.settings.ResumeLife)
		_, err = f.find(ctx, row.ID, nil)
		require.ErrorIs(t, err, store.ErrTransfer)
		require.NoError(t, f.sweepAll(t.Context(), sweepTransfersJob{}))
		_, err = s.files.repository.FindTransfer(ctx, row.ID)
		require.ErrorIs(t, err, store.ErrTransfer)
		a.Eventually(t, func() bool { return len(s.blobs(ctx, t)) == 1 }, "a job removes what had arrived")
		used, err := s.files.repository.Usage(ctx)
		require.NoError(t, err)
		require.Equal(t, stays.Size, used.Bytes)
		require.Empty(t, s.findings(t, false))
	})
}

func TestParseMetadata_ReadsWhatClientsSend(t *testing.T) {
	t.Parallel()
	fields, err := tus.ParseMetadata("relativePath bnVsbA==, name YS50eHQ=,type dGV4dC9wbGFpbg==, empty", "filename", "empty")
	require.NoError(t, err)
	require.Equal(t, "a.txt", fields["filename"])
	require.Empty(t, fields["empty"])
	_, err = tus.ParseMetadata("x", "filename")
	require.ErrorIs(t, err, store.ErrInvalid)
}

// sized is a body whose client says how long it is.
type sized struct {
	*strings.Reader

	length int64
}

func (s sized) Length() int64 { return s.length }

func TestReceive_KeepsNothingOfABodyThatIsLongerThanTheRest(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx, f := transfersOf(t, a, s)
		for _, body := range []io.Reader{
			strings.NewReader("Hello world, and more"), sized{strings.NewReader("Hello world, and more"), 21},
		} {
			row, err := f.begin(ctx, announcement{length: 11})
			require.NoError(t, err)
			row, err = f.receive(ctx, row, body, nil)
			require.ErrorIs(t, err, store.ErrTooLarge)
			require.Zero(t, row.Received)
			held, err := f.files.repository.FindTransfer(ctx, row.ID)
			require.NoError(t, err)
			require.Zero(t, held.Received)
			row, err = f.receive(ctx, row, strings.NewReader("Hello world"), nil)
			require.NoError(t, err)
			require.EqualValues(t, 11, row.Received)
		}
		row, err := f.begin(ctx, announcement{length: 5})
		require.NoError(t, err)
		body := sized{strings.NewReader(strings.Repeat("x", 100)), 100}
		_, err = f.receive(ctx, row, body, nil)
		require.ErrorIs(t, err, store.ErrTooLarge)
		require.Equal(t, 100, body.Len(), "nothing is read")
	})
}
