package attachments

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// kept is a service beside that of the area, with a clock and steps of the test's own.
type kept struct {
	*service

	at    *clock.Fake
	steps *pipeline
}

// eachKept runs a test on a service of its own, on both databases.
func eachKept(t *testing.T, test func(t *testing.T, a *moduletest.App, s kept)) {
	t.Helper()
	var made sync.Map // by the database of the app
	moduletest.BootEach(t, []module.Module{Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		s, _ := made.Load(a.DB)
		test(t, a, s.(kept))
	}, moduletest.With(fx.Invoke(func(
		db *database.DB, files *blob.Store, states *state.Log, bus *events.Bus, queue *jobs.Queue, items *item.Registry,
	) {
		at := clock.NewFake(clock.System{}.Now())
		st := newStorage(defaults(), files, nil, slog.New(slog.DiscardHandler))
		s := newService(defaults(), newGround(at, states, bus, queue, items), newRepository(db, items), st)
		made.Store(db, kept{service: s, at: at, steps: &st.pipeline})
	})))
}

func (s kept) put(ctx context.Context, t *testing.T, text string, d description) attachment {
	t.Helper()
	row, err := s.store(ctx, d, incoming{content: strings.NewReader(text)}, nil)
	require.NoError(t, err)

	return row
}

func (s kept) blobs(ctx context.Context, t *testing.T) []string {
	t.Helper()
	names := []string{}
	for info, err := range s.storage.files.List(ctx, blobArea) {
		require.NoError(t, err)
		names = append(names, info.Name)
	}

	return names
}

func (s kept) findings(t *testing.T, removes bool) []string {
	t.Helper()
	found := []string{}
	_, err := s.reconcile(t.Context(), uuid.Nil, removes, func(f finding) { found = append(found, f.Kind) })
	require.NoError(t, err)

	return found
}

func TestPurge_RemovesRowsThenContentAndOnlyAfterTheRetention(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		row, stays := s.put(ctx, t, "gone", description{}), s.put(ctx, t, "stays", description{})
		require.NoError(t, s.remove(ctx, row.ID, web.IfMatch{}, ""))
		s.at.Advance(s.settings.Retention - time.Second)
		require.NoError(t, s.purgeDeleted(t.Context(), purge{}))
		_, err := s.repository.find(ctx, row.ID)
		require.NoError(t, err)

		s.at.Advance(2 * time.Second)
		require.NoError(t, s.purgeDeleted(t.Context(), purge{}))
		_, err = s.repository.find(ctx, row.ID)
		require.ErrorIs(t, err, errNotFound)
		a.Eventually(t, func() bool { return len(s.blobs(ctx, t)) == 1 }, "a job removes the content")
		used, err := s.repository.usage(ctx)
		require.NoError(t, err)
		require.Equal(t, [2]int64{stays.Size, 1}, [2]int64{used.Bytes, used.Files})
		require.Contains(t, a.EventNames(t, a.Owner), "attachments.attachment.purged")
		require.Empty(t, s.findings(t, false))
	})
}

func TestExpire_DeletesWhatIsOverUnlessItIsHeld(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		until := s.at.Now().Add(time.Hour)
		row, held := s.put(ctx, t, "a", description{ExpiresAt: &until}), s.put(ctx, t, "b", description{ExpiresAt: &until})
		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
			return s.repository.addHold(ctx, &hold{AttachmentID: held.ID, HolderType: "esign.envelope", HolderID: uuid.New(), CreatedAt: s.at.Now()})
		}))
		require.NoError(t, s.purgeDeleted(t.Context(), purge{}))
		_, err := s.readable(ctx, row.ID)
		require.NoError(t, err)

		s.at.Advance(time.Hour)
		_, err = s.readable(ctx, row.ID)
		require.ErrorIs(t, err, errNotFound, "at once, whenever the job comes")
		require.NoError(t, s.purgeDeleted(t.Context(), purge{}))
		row, err = s.repository.find(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, deleted, row.State)
		held, err = s.repository.find(ctx, held.ID)
		require.NoError(t, err)
		require.Equal(t, ready, held.State)
	})
}

func TestReconcile_IsDoneForEachCompany(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		s.put(ctx, t, "content", description{})
		orphan := blobArea + "/00/" + uuid.NewString()
		_, err := s.storage.files.Write(ctx, orphan, strings.NewReader("orphan"))
		require.NoError(t, err)
		info, err := s.storage.files.Stat(ctx, orphan)
		require.NoError(t, err)
		require.NoError(t, s.reconcileAll(t.Context(), reconciling{}))
		s.at.Advance(info.Modified.Add(s.settings.OrphanAge + time.Minute).Sub(s.at.Now()))
		require.NoError(t, s.reconcileOne(ctx, reconcilingOne{}))
		require.Len(t, s.blobs(ctx, t), 1)
	})
}

func TestReconcile_FindsBothKindsAndRemovesOldOrphans(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		var rows []attachment
		for range 3 {
			rows = append(rows, s.put(ctx, t, "content", description{}))
		}
		require.Empty(t, s.findings(t, true))
		orphan := blobArea + "/00/" + uuid.NewString() // what a process leaves that is killed before the row
		_, err := s.storage.files.Write(ctx, orphan, strings.NewReader("orphan"))
		require.NoError(t, err)
		require.Empty(t, s.findings(t, true), "it may be of an upload whose row is about to be made")
		require.Len(t, s.blobs(ctx, t), 4)

		s.at.Advance(s.settings.OrphanAge + time.Minute)
		require.Equal(t, []string{"orphan"}, s.findings(t, false))
		require.Equal(t, []string{"orphan"}, s.findings(t, true))
		require.NotContains(t, s.blobs(ctx, t), orphan)
		require.Empty(t, s.findings(t, true))

		v, err := s.repository.findVersion(ctx, rows[1].ID, 1)
		require.NoError(t, err)
		require.NoError(t, s.storage.files.Delete(ctx, v.BlobName))
		require.Equal(t, []string{"missing"}, s.findings(t, true))
		_, err = s.storage.files.Write(ctx, v.BlobName, strings.NewReader("other"))
		require.NoError(t, err)
		require.Equal(t, []string{"size"}, s.findings(t, true))
		require.ErrorIs(t, s.reconcileCommand(t.Context(), os.Stderr, []string{"--remove"}), errDisagree)
		require.Error(t, s.reconcileCommand(t.Context(), os.Stderr, []string{"--company=x"}))
	})
}

// finder is a step that knows one virus, as the port of a real one will.
type finder struct{ t *testing.T }

func (s finder) receive(ctx context.Context, a *arrival) error {
	object := a.open(ctx)
	defer func() { require.NoError(s.t, object.Close()) }()
	head := make([]byte, a.Size)
	if _, err := object.Read(head); err != nil {
		return err
	}
	if a.Facts["scanned"] = true; strings.Contains(string(head), "EICAR") {
		a.Quarantine = "EICAR-Test-File"
	}

	return nil
}

func TestReceive_QuarantinesWhatAStepFindsDangerous(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		*s.steps = pipeline{finder{t}}
		clean, bad := s.put(ctx, t, "clean", description{}), s.put(ctx, t, "EICAR", description{})
		require.Equal(t, ready, clean.State)
		require.JSONEq(t, `{"scanned": true}`, string(clean.Facts))
		require.Equal(t, quarantined, bad.State)
		_, err := s.readable(ctx, bad.ID)
		require.ErrorIs(t, err, errPoisoned)
		require.Equal(t, []string{"attachments.attachment.stored", "attachments.attachment.quarantined"}, a.EventNames(t, a.Owner))

		require.NoError(t, s.remove(ctx, bad.ID, web.IfMatch{}, ""))
		_, err = s.restore(ctx, bad.ID, web.IfMatch{})
		require.ErrorIs(t, err, errPoisoned, "it does not come back as something that can be read")
		_, err = s.replace(ctx, clean.ID, web.IfMatch{}, incoming{content: strings.NewReader("EICAR too")})
		require.NoError(t, err)
		_, err = s.readable(ctx, clean.ID)
		require.ErrorIs(t, err, errPoisoned)
	})
}
