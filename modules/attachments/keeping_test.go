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

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
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
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// kept are the parts of the area beside its own, with a clock and steps of the test's own.
type kept struct {
	settings settings.Settings
	db       *database.DB
	rows     *store.Repository
	storage  *receiving.Storage
	quota    *limits.Quota
	queue    *jobs.Queue
	links    *link.Service
	journal  *files.Journal
	keeper   *files.Keeper
	intake   *files.Intake
	reader   *files.Reader
	purger   *files.Purger

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
		db *database.DB, blobs *blob.Store, states *state.Log, bus *events.Bus, queue *jobs.Queue, items *item.Registry,
		trail *audit.Log, hooks *hook.Bus, links *link.Service,
	) {
		at := clock.NewFake(clock.System{}.Now())
		steps := &replaceable{}
		st := receiving.NewStorage(settings.Defaults(), blobs, receiving.Pipeline{steps}, slog.New(slog.DiscardHandler))
		k := kept{
			settings: settings.Defaults(), db: db, rows: store.NewRepository(db, items), storage: st, queue: queue, links: links, at: at, steps: &steps.pipeline,
			journal: files.NewJournal(states, trail, bus, queue),
		}
		k.quota = limits.NewQuota(k.settings, k.rows, hooks, at)
		k.keeper = files.NewKeeper(k.rows, items, k.journal, at)
		k.intake = files.NewIntake(k.rows, st, k.quota, k.keeper, k.journal)
		k.reader = files.NewReader(k.rows, st, at)
		k.purger = files.NewPurger(k.settings, k.rows, k.keeper, k.journal, at)
		made.Store(db, k)
	})))
}

func (s kept) put(ctx context.Context, t *testing.T, text string, d files.Description) store.Attachment {
	t.Helper()
	row, err := s.intake.Store(ctx, d, receiving.Incoming{Content: strings.NewReader(text)}, nil)
	require.NoError(t, err)

	return row
}

func (s kept) blobs(ctx context.Context, t *testing.T) []string {
	t.Helper()
	names := []string{}
	for info, err := range s.storage.Blobs.List(ctx, receiving.BlobPrefix) {
		require.NoError(t, err)
		names = append(names, info.Name)
	}

	return names
}

func (s kept) comparer() *reconcile.Comparer {
	return reconcile.NewComparer(s.rows, s.storage.Blobs, s.at, s.settings)
}

func (s kept) reconciler() *reconcile.Reconciler {
	return reconcile.New(s.comparer(), s.db, s.queue, slog.New(slog.DiscardHandler))
}

func (s kept) findings(t *testing.T, removes bool) []string {
	t.Helper()
	found := []string{}
	_, err := s.comparer().Compare(t.Context(), uuid.Nil, removes, func(f reconcile.Finding) { found = append(found, f.Kind) })
	require.NoError(t, err)

	return found
}

func TestPurge_RemovesRowsThenContentAndOnlyAfterTheRetention(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		row, stays := s.put(ctx, t, "gone", files.Description{}), s.put(ctx, t, "stays", files.Description{})
		require.NoError(t, s.keeper.Remove(ctx, row.ID, web.IfMatch{}, ""))
		s.at.Advance(s.settings.Retention - time.Second)
		require.NoError(t, s.purger.Purge(t.Context(), files.PurgeJob{}))
		_, err := s.rows.Find(ctx, row.ID)
		require.NoError(t, err)

		s.at.Advance(2 * time.Second)
		require.NoError(t, s.purger.Purge(t.Context(), files.PurgeJob{}))
		_, err = s.rows.Find(ctx, row.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
		a.Eventually(t, func() bool { return len(s.blobs(ctx, t)) == 1 }, "a job removes the content")
		used, err := s.rows.Usage(ctx)
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
		row, held := s.put(ctx, t, "a", files.Description{ExpiresAt: &until}), s.put(ctx, t, "b", files.Description{ExpiresAt: &until})
		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
			return s.rows.AddHold(ctx, &store.Hold{AttachmentID: held.ID, HolderType: "esign.envelope", HolderID: uuid.New(), CreatedAt: s.at.Now()})
		}))
		require.NoError(t, s.purger.Purge(t.Context(), files.PurgeJob{}))
		_, err := s.reader.Readable(ctx, row.ID)
		require.NoError(t, err)

		s.at.Advance(time.Hour)
		_, err = s.reader.Readable(ctx, row.ID)
		require.ErrorIs(t, err, store.ErrNotFound, "at once, whenever the job comes")
		require.NoError(t, s.purger.Purge(t.Context(), files.PurgeJob{}))
		row, err = s.rows.Find(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, store.Deleted, row.State)
		held, err = s.rows.Find(ctx, held.ID)
		require.NoError(t, err)
		require.Equal(t, store.Ready, held.State)
	})
}

func TestReconcile_IsDoneForEachCompany(t *testing.T) {
	t.Parallel()
	eachKept(t, func(t *testing.T, a *moduletest.App, s kept) {
		t.Helper()
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		s.put(ctx, t, "content", files.Description{})
		orphan := receiving.BlobPrefix + "/00/" + uuid.NewString()
		_, err := s.storage.Blobs.Write(ctx, orphan, strings.NewReader("orphan"))
		require.NoError(t, err)
		info, err := s.storage.Blobs.Stat(ctx, orphan)
		require.NoError(t, err)
		require.NoError(t, s.reconciler().EnqueueAll(t.Context(), reconcile.CompareAll{}))
		s.at.Advance(info.Modified.Add(s.settings.OrphanAge + time.Minute).Sub(s.at.Now()))
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
			rows = append(rows, s.put(ctx, t, "content", files.Description{}))
		}
		require.Empty(t, s.findings(t, true))
		orphan := receiving.BlobPrefix + "/00/" + uuid.NewString() // what a process leaves that is killed before the row
		_, err := s.storage.Blobs.Write(ctx, orphan, strings.NewReader("orphan"))
		require.NoError(t, err)
		require.Empty(t, s.findings(t, true), "it may be of an upload whose row is about to be made")
		require.Len(t, s.blobs(ctx, t), 4)

		s.at.Advance(s.settings.OrphanAge + time.Minute)
		require.Equal(t, []string{"orphan"}, s.findings(t, false))
		require.Equal(t, []string{"orphan"}, s.findings(t, true))
		require.NotContains(t, s.blobs(ctx, t), orphan)
		require.Empty(t, s.findings(t, true))

		v, err := s.rows.FindVersion(ctx, rows[1].ID, 1)
		require.NoError(t, err)
		require.NoError(t, s.storage.Blobs.Delete(ctx, v.BlobName))
		require.Equal(t, []string{"missing"}, s.findings(t, true))
		_, err = s.storage.Blobs.Write(ctx, v.BlobName, strings.NewReader("other"))
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
		clean, bad := s.put(ctx, t, "clean", files.Description{}), s.put(ctx, t, "EICAR", files.Description{})
		require.Equal(t, store.Ready, clean.State)
		require.JSONEq(t, `{"scanned": true}`, string(clean.Facts))
		require.Equal(t, store.Quarantined, bad.State)
		_, err := s.reader.Readable(ctx, bad.ID)
		require.ErrorIs(t, err, store.ErrQuarantined)
		require.Equal(t, []string{"attachments.attachment.stored", "attachments.attachment.quarantined"}, a.EventNames(t, a.Owner))

		require.NoError(t, s.keeper.Remove(ctx, bad.ID, web.IfMatch{}, ""))
		_, err = s.keeper.Restore(ctx, bad.ID, web.IfMatch{})
		require.ErrorIs(t, err, store.ErrQuarantined, "it does not come back as something that can be read")
		_, err = s.intake.Replace(ctx, clean.ID, web.IfMatch{}, receiving.Incoming{Content: strings.NewReader("EICAR too")})
		require.NoError(t, err)
		_, err = s.reader.Readable(ctx, clean.ID)
		require.ErrorIs(t, err, store.ErrQuarantined)
	})
}
