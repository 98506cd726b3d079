package attachments

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/tus"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// transfersOf are the transfers of a service with a clock of its own, and the context of its owner's company.
func transfersOf(t *testing.T, a *moduletest.App, s kept) (context.Context, *transfers) {
	t.Helper()
	pending := newPending(s.settings, s.rows, s.quota, s.queue, s.at)
	parts := newParts(s.settings, s.storage, pending, s.rows)
	made := newAssembly(s.intake, s.keeper, pending, parts, newDoor(s.settings, s.rows, s.links, s.at))

	return principal.AsCompany(t.Context(), a.Owner.ID), newTransfers(s.settings, s.keeper, pending, parts, made)
}

// finishLeft does the job that assembles what a request did not.
func finishLeft(ctx context.Context, f *transfers, row store.Transfer) error {
	return newFinisher(f.pending, f.assembly, slog.New(slog.DiscardHandler)).finishLeft(ctx, finishTransferJob{Transfer: row.ID})
}

// more sends more of a transfer.
func more(t *testing.T, a *moduletest.App, path string, offset int, content string) moduletest.Response {
	t.Helper()

	return a.Call(t, a.Owner.Token, http.MethodPatch, path, content,
		"Tus-Resumable", tus.Version, "Content-Type", tus.MediaType, "Upload-Offset", strconv.Itoa(offset))
}

// arrived is a transfer, all of which has arrived and which nobody has put together.
func arrived(ctx context.Context, t *testing.T, f *transfers, pieces ...string) store.Transfer {
	t.Helper()
	row, err := f.begin(ctx, announcement{length: int64(len(strings.Join(pieces, "")))})
	require.NoError(t, err)
	for _, piece := range pieces {
		row, err = f.parts.receive(ctx, row, strings.NewReader(piece), nil)
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
		var made [4]store.Attachment
		var problems [4]error
		for i := range made {
			all.Go(func() { made[i], problems[i] = f.assembly.finish(ctx, row) })
		}
		all.Wait()
		require.NoError(t, errors.Join(problems[:]...))
		for _, file := range made {
			require.Equal(t, made[0].ID, file.ID)
		}
		require.NoError(t, finishLeft(ctx, f, row))
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
		require.NoError(t, finishLeft(ctx, f, row))
		held, err := s.rows.FindTransfer(ctx, row.ID)
		require.NoError(t, err)
		require.Nil(t, held.AttachmentID, "somebody is at work on it")
		path := store.Base + "/tus/" + row.ID.String()
		a.Call(t, a.Owner.Token, http.MethodGet, path, nil, "Tus-Resumable", tus.Version).Refused(t, http.StatusLocked, "attachments.transfer_ending")
		more(t, a, path, 11, "!").Refused(t, http.StatusLocked, "attachments.transfer_ending")

		s.at.Advance(claimTime)
		require.NoError(t, finishLeft(ctx, f, row))
		file, err := f.pending.finishedFile(ctx, row.ID)
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
		s.storage.Blobs.Through(func(io.Writer) io.Writer { return broken{} })
		_, err := f.assembly.finish(ctx, row)
		require.ErrorIs(t, err, blob.ErrUnavailable)
		s.storage.Blobs.Through(func(w io.Writer) io.Writer { return w })
		require.NoError(t, finishLeft(ctx, f, row))
		file, err := f.pending.finishedFile(ctx, row.ID)
		require.NoError(t, err)
		require.EqualValues(t, 11, file.Size)

		row = arrived(ctx, t, f, "\x7fELF\x02\x01\x01", strings.Repeat("\x00", 900))
		_, err = f.assembly.finish(ctx, row)
		require.ErrorIs(t, err, store.ErrType)
		_, err = s.rows.FindTransfer(ctx, row.ID)
		require.ErrorIs(t, err, store.ErrTransfer)
		require.NoError(t, finishLeft(ctx, f, row))
		require.Empty(t, s.findings(t, false))
	})
}

// broken writes nothing.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

func TestReceive_RefusesMorePiecesThanATransferMayHave(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx, f := transfersOf(t, a, s)
		row, err := f.begin(ctx, announcement{length: 11})
		require.NoError(t, err)
		path := store.Base + "/tus/" + row.ID.String()
		row.Parts = mostParts - 1
		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error { return s.rows.SaveTransfer(ctx, &row) }))
		more(t, a, path, 0, "Hello").OK(t)
		refused := more(t, a, path, 5, " world").Refused(t, http.StatusConflict, "attachments.too_many_parts")
		require.EqualValues(t, mostParts, refused.Get("details.limit").Int())
		require.Equal(t, "5", refused.Header.Get("Upload-Offset"))
		used, err := s.rows.Usage(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 5, used.Bytes, "the refused piece does not count")
	})
}

func TestSweep_RemovesWhatNobodyGoesOnWith(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx, f := transfersOf(t, a, s)
		stays := s.put(ctx, t, "stays", files.Description{})
		row, err := f.begin(ctx, announcement{length: 10})
		require.NoError(t, err)
		_, err = f.parts.receive(ctx, row, strings.NewReader("Hello"), nil)
		require.NoError(t, err)
		s.at.Advance(s.settings.OrphanAge + time.Minute)
		require.Empty(t, s.findings(t, true), "what has arrived is no orphan")
		require.NoError(t, f.pending.sweepAll(t.Context(), sweepTransfersJob{}))
		_, err = f.pending.find(ctx, row.ID, nil)
		require.NoError(t, err)

		s.at.Advance(s.settings.ResumeLife)
		_, err = f.pending.find(ctx, row.ID, nil)
		require.ErrorIs(t, err, store.ErrTransfer)
		require.NoError(t, f.pending.sweepAll(t.Context(), sweepTransfersJob{}))
		_, err = s.rows.FindTransfer(ctx, row.ID)
		require.ErrorIs(t, err, store.ErrTransfer)
		a.Eventually(t, func() bool { return len(s.blobs(ctx, t)) == 1 }, "a job removes what had arrived")
		used, err := s.rows.Usage(ctx)
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
			row, err = f.parts.receive(ctx, row, body, nil)
			require.ErrorIs(t, err, store.ErrTooLarge)
			require.Zero(t, row.Received)
			held, err := s.rows.FindTransfer(ctx, row.ID)
			require.NoError(t, err)
			require.Zero(t, held.Received)
			row, err = f.parts.receive(ctx, row, strings.NewReader("Hello world"), nil)
			require.NoError(t, err)
			require.EqualValues(t, 11, row.Received)
		}
		row, err := f.begin(ctx, announcement{length: 5})
		require.NoError(t, err)
		body := sized{strings.NewReader(strings.Repeat("x", 100)), 100}
		_, err = f.parts.receive(ctx, row, body, nil)
		require.ErrorIs(t, err, store.ErrTooLarge)
		require.Equal(t, 100, body.Len(), "nothing is read")
	})
}
