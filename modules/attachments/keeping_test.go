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

	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/reconcile"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
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
	files *service

	at    *clock.Fake
	steps *receiving.Pipeline
}

// replaceable is a step whose own steps a test replaces.
type replaceable struct{ pipeline receiving.Pipeline }

func (r *replaceable) Inspect(ctx context.Context, a *receiving.Arrival) error {
	return r.pipeline.Inspect(ctx, a)
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
		trail *audit.Log, hooks *hook.Bus,
	) {
		at := clock.NewFake(clock.System{}.Now())
		steps := &replaceable{}
		st := receiving.NewStorage(settings.Defaults(), files, receiving.Pipeline{steps}, slog.New(slog.DiscardHandler))
		rows := store.NewRepository(db, items)
		s := newService(settings.Defaults(), rows, st, limits.NewQuota(settings.Defaults(), rows, hooks, at), newThings(at, states, items), newOutlets(queue, bus, trail))
		made.Store(db, kept{files: s, at: at, steps: &steps.pipeline})
	})))
}

func (s kept) put(ctx context.Context, t *testing.T, text string, d description) store.Attachment {
	t.Helper()
	row, err := s.files.store(ctx, d, receiving.Incoming{Content: strings.NewReader(text)}, nil)
	require.NoError(t, err)

	return row
}

func (s kept) blobs(ctx context.Context, t *testing.T) []string {
	t.Helper()
	names := []string{}
	for info, err := range s.files.storage.Blobs.List(ctx, receiving.BlobPrefix) {
		require.NoError(t, err)
		names = append(names, info.Name)
	}

	return names
}

func (s kept) reconciler() *reconcile.Reconciler {
	c := reconcile.NewComparer(s.files.repository, s.files.storage.Blobs, s.at, s.files.settings)

	return reconcile.New(c, s.files.queue, slog.New(slog.DiscardHandler))
}

func (s kept) findings(t *testing.T, removes bool) []string {
	t.Helper()
	found := []string{}
	_, err := s.reconciler().Compare(t.Context(), uuid.Nil, removes, func(f reconcile.Finding) { found = append(found, f.Kind) })
	require.NoError(t, err)

	return found
}

func TestPurge_RemovesRowsThenContentAndOnlyAfterTheRetention(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		row, stays := s.put(ctx, t, "gone", description{}), s.put(ctx, t, "stays", description{})
		require.NoError(t, s.files.remove(ctx, row.ID, web.IfMatch{}, ""))
		s.at.Advance(s.files.settings.Retention - time.Second)
		require.NoError(t, s.files.purgeDeleted(t.Context(), purgeJob{}))
		_, err := s.files.repository.Find(ctx, row.ID)
		require.NoError(t, err)

		s.at.Advance(2 * time.Second)
		require.NoError(t, s.files.purgeDeleted(t.Context(), purgeJob{}))
		_, err = s.files.repository.Find(ctx, row.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
		a.Eventually(t, func() bool { return len(s.blobs(ctx, t)) == 1 }, "a job removes the content")
		used, err := s.files.repository.Usage(ctx)
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
		require.NoError(t, s.files.db.InTx(ctx, func(ctx context.Context) error {
			return s.files.repository.AddHold(ctx, &store.Hold{AttachmentID: held.ID, HolderType: "esign.envelope", HolderID: uuid.New(), CreatedAt: s.at.Now()})
		}))
		require.NoError(t, s.files.purgeDeleted(t.Context(), purgeJob{}))
		_, err := s.files.readable(ctx, row.ID)
		require.NoError(t, err)

		s.at.Advance(time.Hour)
		_, err = s.files.readable(ctx, row.ID)
		require.ErrorIs(t, err, store.ErrNotFound, "at once, whenever the job comes")
		require.NoError(t, s.files.purgeDeleted(t.Context(), purgeJob{}))
		row, err = s.files.repository.Find(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, store.Deleted, row.State)
		held, err = s.files.repository.Find(ctx, held.ID)
		require.NoError(t, err)
		require.Equal(t, store.Ready, held.State)
	})
}

func TestReconcile_IsDoneForEachCompany(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		s.put(ctx, t, "content", description{})
		orphan := receiving.BlobPrefix + "/00/" + uuid.NewString()
		_, err := s.files.storage.Blobs.Write(ctx, orphan, strings.NewReader("orphan"))
		require.NoError(t, err)
		info, err := s.files.storage.Blobs.Stat(ctx, orphan)
		require.NoError(t, err)
		require.NoError(t, s.reconciler().EnqueueAll(t.Context(), reconcile.CompareAll{}))
		s.at.Advance(info.Modified.Add(s.files.settings.OrphanAge + time.Minute).Sub(s.at.Now()))
		require.NoError(t, s.reconciler().CompareOne(ctx, reconcile.CompareCompany{}))
		require.Len(t, s.blobs(ctx, t), 1)
	})
}

func TestReconcile_FindsBothKindsAndRemovesOldOrphans(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		var rows []store.Attachment
		for range 3 {
			rows = append(rows, s.put(ctx, t, "content", description{}))
		}
		require.Empty(t, s.findings(t, true))
		orphan := receiving.BlobPrefix + "/00/" + uuid.NewString() // what a process leaves that is killed before the row
		_, err := s.files.storage.Blobs.Write(ctx, orphan, strings.NewReader("orphan"))
		require.NoError(t, err)
		require.Empty(t, s.findings(t, true), "it may be of an upload whose row is about to be made")
		require.Len(t, s.blobs(ctx, t), 4)

		s.at.Advance(s.files.settings.OrphanAge + time.Minute)
		require.Equal(t, []string{"orphan"}, s.findings(t, false))
		require.Equal(t, []string{"orphan"}, s.findings(t, true))
		require.NotContains(t, s.blobs(ctx, t), orphan)
		require.Empty(t, s.findings(t, true))

		v, err := s.files.repository.FindVersion(ctx, rows[1].ID, 1)
		require.NoError(t, err)
		require.NoError(t, s.files.storage.Blobs.Delete(ctx, v.BlobName))
		require.Equal(t, []string{"missing"}, s.findings(t, true))
		_, err = s.files.storage.Blobs.Write(ctx, v.BlobName, strings.NewReader("other"))
		require.NoError(t, err)
		require.Equal(t, []string{"size"}, s.findings(t, true))
		require.ErrorIs(t, s.reconciler().Run(t.Context(), os.Stderr, []string{"--remove"}), reconcile.ErrDisagree)
		require.Error(t, s.reconciler().Run(t.Context(), os.Stderr, []string{"--company=x"}))
	})
}

// finder is a step that knows one virus, as the port of a real one will.
type finder struct{ t *testing.T }

func (s finder) Inspect(ctx context.Context, a *receiving.Arrival) error {
	object := a.Open(ctx)
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
		*s.steps = receiving.Pipeline{finder{t}}
		clean, bad := s.put(ctx, t, "clean", description{}), s.put(ctx, t, "EICAR", description{})
		require.Equal(t, store.Ready, clean.State)
		require.JSONEq(t, `{"scanned": true}`, string(clean.Facts))
		require.Equal(t, store.Quarantined, bad.State)
		_, err := s.files.readable(ctx, bad.ID)
		require.ErrorIs(t, err, store.ErrQuarantined)
		require.Equal(t, []string{"attachments.attachment.stored", "attachments.attachment.quarantined"}, a.EventNames(t, a.Owner))

		require.NoError(t, s.files.remove(ctx, bad.ID, web.IfMatch{}, ""))
		_, err = s.files.restore(ctx, bad.ID, web.IfMatch{})
		require.ErrorIs(t, err, store.ErrQuarantined, "it does not come back as something that can be read")
		_, err = s.files.replace(ctx, clean.ID, web.IfMatch{}, receiving.Incoming{Content: strings.NewReader("EICAR too")})
		require.NoError(t, err)
		_, err = s.files.readable(ctx, clean.ID)
		require.ErrorIs(t, err, store.ErrQuarantined)
	})
}
