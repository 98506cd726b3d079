package audit_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// trail is an audit log on a migrated database.
type trail struct {
	*audit.Log

	db *database.DB
}

// keys derives a key of the tests.
type keys struct{}

// Derive implements audit.Keys.
func (keys) Derive(purpose string) ([]byte, error) { return []byte(purpose), nil }

func each(t *testing.T, test func(t *testing.T, l trail)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		settings := database.Defaults()
		settings.URL = config.Secret(url)
		log := slog.New(slog.DiscardHandler)
		db, err := database.New(settings, t.TempDir(), log)
		require.NoError(t, err)
		l := audit.New(db, clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)), everything(), keys{}, log)
		require.NoError(t, db.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })
		sources, err := migrate.Sources(migrations.FS, nil)
		require.NoError(t, err)
		require.NoError(t, migrate.Up(t.Context(), db, sources, log))
		_, err = db.SQL().ExecContext(t.Context(), "CREATE TABLE things (company_id text NOT NULL, id text NOT NULL)")
		require.NoError(t, err)
		test(t, trail{Log: l, db: db})
	})
}

// thing is something to write.
type thing struct {
	database.Tenant

	ID string
}

func (thing) TableName() string { return "things" }

func calling(ctx context.Context) (context.Context, uuid.UUID) {
	company := database.NewID()

	return principal.With(ctx, principal.ForCompany(company)), company
}

func (l trail) write(ctx context.Context) error {
	return l.db.Conn(ctx).Create(&thing{ID: uuid.NewString()}).Error
}

func (l trail) entries(ctx context.Context, t *testing.T) []audit.Recorded {
	t.Helper()
	who, _ := principal.From(ctx)
	l.seal(ctx, t)
	all, err := l.Entries(ctx, who.Company)
	require.NoError(t, err)

	return all
}

// seal seals everything.
func (l trail) seal(ctx context.Context, t *testing.T) {
	t.Helper()
	_, err := l.Seal(ctx)
	require.NoError(t, err)
}

func TestRecord_JoinsTheTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		ctx, company := calling(telemetry.WithRequestID(t.Context(), "r1"))
		item := audit.Item{Type: "things.thing", UUID: uuid.New()}
		require.NoError(t, l.db.InTx(ctx, func(ctx context.Context) error {
			return l.Record(ctx, audit.Entry{Action: "things.renamed", Item: item, Changes: map[string]audit.Change{
				"name":     {Before: "a", After: map[string]any{"z": 1, "b": "<é>", "api_key": "very secret"}},
				"password": {Before: nil, After: "very secret"},
			}})
		}))
		require.Error(t, l.Record(ctx, audit.Entry{Action: "outside"}), "without a transaction")

		all := l.entries(ctx, t)
		require.Len(t, all, 1)
		require.Equal(t, int64(1), all[0].Seq)
		require.Equal(t, item, all[0].Item)
		require.Equal(t, "r1", all[0].RequestID)
		require.Equal(t, "system", all[0].ActorKind)
		require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), all[0].At.UTC())
		require.Contains(t, string(all[0].Changes), `"b":`)
		require.Contains(t, string(all[0].Changes), "hmac_sha256")
		require.NotContains(t, string(all[0].Changes), "very secret")

		report, err := l.Verify(t.Context(), company)
		require.NoError(t, err)
		require.Empty(t, report.Broken)
		require.Equal(t, int64(1), report.Entries)
		require.Len(t, report.Head, sha256.Size)
	})
}

func TestRollback_LeavesNoEntry(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		ctx, _ := calling(t.Context())
		boom := errors.New("boom")
		require.ErrorIs(t, l.db.InTx(ctx, func(ctx context.Context) error {
			require.NoError(t, l.Record(ctx, audit.Entry{Action: "undone"}))

			return boom
		}), boom)
		require.NoError(t, l.db.InTx(ctx, func(ctx context.Context) error {
			require.NoError(t, l.Record(ctx, audit.Entry{Action: "kept"}))
			require.ErrorIs(t, l.db.Savepoint(ctx, func(ctx context.Context) error {
				require.NoError(t, l.write(ctx))
				require.NoError(t, l.Record(ctx, audit.Entry{Action: "undone with its savepoint"}))

				return boom
			}), boom)

			return nil
		}))
		all := l.entries(ctx, t)
		require.Len(t, all, 1)
		require.Equal(t, "kept", all[0].Action)
	})
}

func TestOperation_LeavesAnEntryIfItWrote(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		plain, _ := calling(t.Context())
		ctx := telemetry.WithOperation(plain, telemetry.Operation{ID: "things_create", Address: "192.0.2.1"})
		inTx := func(ctx context.Context, fn func(context.Context) error) { require.NoError(t, l.db.InTx(ctx, fn)) }
		inTx(plain, l.write)
		inTx(ctx, func(context.Context) error { return nil })
		require.Empty(t, l.entries(ctx, t), "not a call, or not a write")

		inTx(ctx, l.write)
		inTx(ctx, func(ctx context.Context) error {
			return errors.Join(l.write(ctx), l.Record(ctx, audit.Entry{Action: "things.told"}))
		})
		all := l.entries(ctx, t)
		require.Len(t, all, 2)
		require.Equal(t, "things_create", all[0].Action)
		require.Equal(t, "192.0.2.1", all[0].Address)
		require.Equal(t, "things.told", all[1].Action)
		require.Equal(t, "things_create", all[1].Operation)
	})
}

func TestChain_IsGaplessUnderConcurrentWriters(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		const writers, writes = 32, 8
		one, first := calling(t.Context())
		two, second := calling(t.Context())
		var group sync.WaitGroup
		failed := make(chan error, writers*writes)
		for i := range writers {
			group.Go(func() {
				for n := range writes {
					ctx := one
					if (i+n)%4 == 0 {
						ctx = two
					}
					err := l.db.InTx(ctx, func(ctx context.Context) error {
						if err := errors.Join(l.write(ctx), l.Record(ctx, audit.Entry{Action: fmt.Sprint(i, n)})); err != nil {
							return err
						}
						if n == 3 {
							return errRolledBack
						}

						return nil
					})
					if err != nil && !errors.Is(err, errRolledBack) {
						failed <- err
					}
				}
			})
		}
		group.Wait()
		close(failed)
		require.NoError(t, <-failed)
		l.seal(t.Context(), t)

		var total int64
		for _, company := range []uuid.UUID{first, second} {
			report, err := l.Verify(t.Context(), company)
			require.NoError(t, err)
			require.Empty(t, report.Broken)
			total += report.Entries
		}
		require.Equal(t, int64(writers*(writes-1)), total)
		companies, err := l.Companies(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, []uuid.UUID{first, second}, companies)
	})
}

var errRolledBack = errors.New("rolled back on purpose")

func TestEntries_AreAppendOnly(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l trail) {
		ctx, _ := calling(t.Context())
		require.NoError(t, l.db.InTx(ctx, func(ctx context.Context) error {
			return l.Record(ctx, audit.Entry{Action: "a"})
		}))
		l.seal(t.Context(), t)
		for _, statement := range []string{
			"UPDATE audit_entries SET action = 'b'", "DELETE FROM audit_entries",
			"UPDATE audit_seals SET seq = 9", "DELETE FROM audit_seals", "DELETE FROM audit_heads",
		} {
			_, err := l.db.SQL().ExecContext(t.Context(), statement)
			require.ErrorContains(t, err, "append-only", statement)
		}
	})
}

func TestVerify_FindsWhatWasTamperedWith(t *testing.T) {
	t.Parallel()
	const entry = " WHERE id = (SELECT id FROM audit_seals WHERE seq = "
	tests := []struct{ name, statement, broken string }{
		{"changed", "UPDATE audit_entries SET action = 'x'" + entry + "2)", "entry 2 is not what was recorded"},
		{"moved in time", "UPDATE audit_entries SET at = '2025-01-01 00:00:00.000000+00:00'" + entry + "1)", "entry 1 is not what was recorded"},
		{"removed", "DELETE FROM audit_entries" + entry + "2)", "entry 2 is missing"},
		{"last removed", "DELETE FROM audit_entries" + entry + "3)", "entry 3 is missing"},
		{"all removed", "DELETE FROM audit_entries", "entry 1 is missing"},
		{"seal removed", "DELETE FROM audit_seals WHERE seq = 2", "entry 2 is missing"},
		{"seal of another", "UPDATE audit_seals SET hash = (SELECT hash FROM audit_seals WHERE seq = 1) WHERE seq = 2", "entry 2 is not what was recorded"},
		{"head put back", "UPDATE audit_heads SET seq = 2", "the head of the chain does not have the hash of the last entry"},
		{"head removed", "DELETE FROM audit_heads", "entry 1 comes after the head of the chain"},
		{"given to another", "UPDATE audit_entries SET actor_kind = 'user'" + entry + "3)", "entry 3 is not what was recorded"},
	}
	each(t, func(t *testing.T, l trail) {
		for _, test := range tests {
			ctx, company := calling(t.Context())
			for i := range 3 {
				require.NoError(t, l.db.InTx(ctx, func(ctx context.Context) error {
					return l.Record(ctx, audit.Entry{Action: fmt.Sprint("a", i)})
				}))
			}
			l.seal(t.Context(), t)
			l.tamper(t, test.statement)
			report, err := l.Verify(t.Context(), company)
			require.NoError(t, err)
			require.Equal(t, test.broken, report.Broken, test.name)
			for _, table := range []string{"audit_entries", "audit_seals", "audit_heads"} {
				l.tamper(t, "DELETE FROM "+table)
			}
		}
	})
}

// tamper runs a statement as somebody does who may drop triggers.
func (l trail) tamper(t *testing.T, statement string) {
	t.Helper()
	triggers := []string{
		"audit_entries_no_update", "audit_entries_no_delete", "audit_seals_no_update", "audit_seals_no_delete", "audit_heads_no_delete",
	}
	drop := "DROP TRIGGER IF EXISTS %s"
	if l.db.Dialect() == database.Postgres {
		drop, triggers = "ALTER TABLE %s DISABLE TRIGGER USER", []string{"audit_entries", "audit_seals", "audit_heads"}
	}
	for _, trigger := range triggers {
		_, err := l.db.SQL().ExecContext(t.Context(), fmt.Sprintf(drop, trigger))
		require.NoError(t, err)
	}
	_, err := l.db.SQL().ExecContext(t.Context(), statement)
	require.NoError(t, err)
}

// everything are settings with which each write leaves an entry.
func everything() audit.Settings {
	s := audit.Defaults()
	s.EveryWrite = true

	return s
}
