package secret

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

// deployment is a database with a table of sealed values, that several processes share.
type deployment struct {
	db    *database.DB
	clock *clock.Fake
	log   *strings.Builder
}

// process is what one of them has.
type process struct {
	*Rotation

	again *Reencryption
	keys  *Keys
}

func deploy(t *testing.T, test func(t *testing.T, d deployment)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		log := slog.New(slog.DiscardHandler)
		d := deployment{db: databasetest.Open(t, url), clock: clock.NewFake(time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)), log: &strings.Builder{}}
		sources, err := migrate.Sources(migrations.FS, nil)
		require.NoError(t, err)
		require.NoError(t, migrate.Up(t.Context(), d.db, sources, log))
		require.NoError(t, jobs.MigrateUp(t.Context(), d.db, log))
		kind := map[database.Dialect]string{database.SQLite: "blob", database.Postgres: "bytea"}[d.db.Dialect()]
		id := map[database.Dialect]string{database.SQLite: "text", database.Postgres: "uuid"}[d.db.Dialect()]
		d.exec(t, "CREATE TABLE vault_accounts (company_id "+id+", id "+id+", password "+kind+", PRIMARY KEY (company_id, id))")
		test(t, d)
	})
}

func (d deployment) exec(t *testing.T, statement string, values ...any) {
	t.Helper()
	require.NoError(t, d.db.InTx(t.Context(), func(ctx context.Context) error {
		return d.db.Raw(ctx, "test").Exec(statement, values...).Error
	}))
}

// configured returns a process that has not started yet. It hears of nothing that others publish.
func (d deployment) configured(t *testing.T, key, previous string) process {
	t.Helper()
	log := slog.New(slog.NewTextHandler(d.log, nil))
	keys := New(Settings{Key: config.Secret(key), PreviousKeys: config.Secret(previous)}, "")
	keys.UseClock(d.clock)
	queue := jobs.New(jobs.Defaults(), d.db, d.clock, log)
	r, again := NewRotation(keys, d.db, broadcast.New(d.db, log), queue, d.clock), NewReencryption(keys, d.db, log)
	require.NoError(t, r.Declare("vault_accounts", "password"))
	require.NoError(t, r.Join())
	require.NoError(t, again.Schedule(queue))
	require.NoError(t, queue.Open(t.Context()))
	t.Cleanup(func() { require.NoError(t, queue.Close(context.WithoutCancel(t.Context()))) })
	require.NoError(t, keys.Start(t.Context()))

	return process{Rotation: r, again: again, keys: keys}
}

func (d deployment) start(t *testing.T, key, previous string) process {
	t.Helper()
	p := d.configured(t, key, previous)
	require.NoError(t, p.keys.Recognise(t.Context(), d.db))
	require.NoError(t, p.Start(t.Context()))

	return p
}

func account() Place {
	return Place{Table: "vault_accounts", Column: "password", Company: uuid.New(), ID: uuid.New()}
}

// store seals a password and stores it.
func (d deployment) store(t *testing.T, p process, at Place, password string) {
	t.Helper()
	sealed, err := p.keys.Seal(t.Context(), at, []byte(password))
	require.NoError(t, err)
	d.exec(t, "DELETE FROM vault_accounts WHERE id = ?", at.ID)
	d.exec(t, "INSERT INTO vault_accounts (company_id, id, password) VALUES (?, ?, ?)", at.Company, at.ID, sealed)
}

// sealed returns what is stored.
func (d deployment) sealed(t *testing.T, at Place) []byte {
	t.Helper()
	var rows []valueRow
	require.NoError(t, d.db.Raw(t.Context(), "test").
		Raw("SELECT company_id, id, password AS sealed FROM vault_accounts WHERE id = ?", at.ID).Scan(&rows).Error)
	require.Len(t, rows, 1)

	return rows[0].Sealed
}

// reads requires that a process reads what is stored.
func (d deployment) reads(t *testing.T, p process, at Place, password string) {
	t.Helper()
	value, err := p.keys.Open(t.Context(), at, d.sealed(t, at))
	require.NoError(t, err)
	require.Equal(t, password, string(value))
}

// under returns the name of the key that the stored value is sealed under.
func (d deployment) under(t *testing.T, at Place) string {
	t.Helper()
	id, ok := keyOf(d.sealed(t, at))
	require.True(t, ok)

	return keyName(int64(id))
}

// key returns the status of a key.
func (p process) key(t *testing.T, id string) KeyStatus {
	t.Helper()
	all, err := p.Status(t.Context())
	require.NoError(t, err)
	for _, k := range all {
		if k.ID == id {
			return k
		}
	}
	require.FailNow(t, "no such key", id)

	return KeyStatus{}
}

func TestRotate_SealsUnderANewKeyOnceEveryProcessKnowsIt(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		master := NewKey()
		one, two := d.start(t, master, ""), d.start(t, master, "")
		first, second, third := account(), account(), account()
		d.store(t, one, first, "first")
		d.reads(t, two, first, "first")
		before := d.under(t, first)
		require.Equal(t, Primary, one.key(t, before).State)

		made, err := one.Rotate(t.Context())
		require.NoError(t, err)
		require.Equal(t, Distributing, two.key(t, made.ID).State)
		_, err = two.Rotate(t.Context())
		require.ErrorContains(t, err, "wait for that")
		d.store(t, one, second, "second")
		require.Equal(t, before, d.under(t, second), "it is made known first")

		d.clock.Advance(spread)
		// The other process has heard nothing. It reads what the first seals, and knows the key when it seals.
		d.store(t, one, third, "third")
		require.Equal(t, made.ID, d.under(t, third))
		d.reads(t, two, third, "third")
		d.store(t, two, second, "again")
		require.Equal(t, made.ID, d.under(t, second))
		d.reads(t, one, first, "first")
	})
}

func TestSeal_KnowsANewKeyBeforeAnybodySealsUnderIt(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		master := NewKey()
		one, two := d.start(t, master, ""), d.start(t, master, "")
		made, err := one.Rotate(t.Context())
		require.NoError(t, err)
		// Whenever a process seals at or after the time of the new key, it uses what it has read less than
		// readEvery ago, which is after the key was stored.
		d.clock.Advance(spread - readEvery)
		_, err = two.keys.Seal(t.Context(), account(), nil)
		require.NoError(t, err)
		_, known := two.keys.ring.Load().envelopes[two.keys.ring.Load().data[1].id]
		require.True(t, known)
		require.Equal(t, made.ID, keyName(int64(two.keys.ring.Load().data[1].id)))
		require.NotEqual(t, made.ID, keyName(int64(two.keys.ring.Load().primary)))
	})
}

func TestReencrypt_LeavesNothingUnderTheFormerKey(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		p := d.start(t, NewKey(), "")
		places := make([]Place, reencryptBatch+5)
		for i := range places {
			places[i] = account()
			d.store(t, p, places[i], places[i].ID.String())
		}
		before := d.under(t, places[0])
		require.EqualValues(t, len(places), p.key(t, before).Values)
		made, err := p.Rotate(t.Context())
		require.NoError(t, err)
		d.clock.Advance(spread)
		require.ErrorContains(t, p.Retire(t.Context(), before), "105 values are sealed under the key")

		// What is interrupted after a batch goes on with the rest, in another process.
		more, err := p.again.Run(t.Context(), 1)
		require.NoError(t, err)
		require.True(t, more)
		require.EqualValues(t, 5, p.key(t, before).Values)
		require.EqualValues(t, reencryptBatch, p.key(t, made.ID).Values)
		for _, at := range places {
			d.reads(t, p, at, at.ID.String())
		}
		more, err = p.again.Run(t.Context(), reencryptBatches)
		require.NoError(t, err)
		require.False(t, more)
		require.EqualValues(t, len(places), p.key(t, made.ID).Values)

		require.ErrorContains(t, p.Retire(t.Context(), before), "wait until")
		require.ErrorContains(t, p.Retire(t.Context(), made.ID), "values are sealed under the key")
		d.clock.Advance(retireAfter)
		require.NoError(t, p.Retire(t.Context(), before))
		require.ErrorIs(t, p.Retire(t.Context(), before), errNoSuchKey)
		for _, at := range places {
			d.reads(t, p, at, at.ID.String())
		}
	})
}

var errKilled = errors.New("killed")

func TestReencrypt_LosesNothingWhenItIsKilled(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		p := d.start(t, NewKey(), "")
		at := account()
		d.store(t, p, at, "kept")
		before := d.under(t, at)
		_, err := p.Rotate(t.Context())
		require.NoError(t, err)
		d.clock.Advance(spread)
		// The transaction of the batch does not commit.
		require.ErrorIs(t, d.db.InTx(t.Context(), func(ctx context.Context) error {
			if _, err := p.again.Run(ctx, 1); err != nil {
				return err
			}

			return errKilled
		}), errKilled)
		require.Equal(t, before, d.under(t, at))
		d.reads(t, p, at, "kept")
		_, err = p.again.Run(t.Context(), reencryptBatches)
		require.NoError(t, err)
		require.NotEqual(t, before, d.under(t, at))
		d.reads(t, p, at, "kept")
	})
}

func TestReencrypt_NeverLosesAConcurrentChange(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		p := d.start(t, NewKey(), "")
		at := account()
		d.store(t, p, at, "old")
		read, err := p.rows.outdated(t.Context(), column{"vault_accounts", "password"}, keyHeader(1), valueRow{}, 10)
		require.NoError(t, err)
		require.Len(t, read, 1)
		d.store(t, p, at, "new")
		stale, err := p.keys.Seal(t.Context(), at, []byte("old"))
		require.NoError(t, err)
		require.NoError(t, d.db.InTx(t.Context(), func(ctx context.Context) error {
			return p.rows.replace(ctx, column{"vault_accounts", "password"}, read[0], stale)
		}))
		d.reads(t, p, at, "new")

		// Writers and the job at once.
		places := []Place{at, account(), account()}
		for _, at := range places {
			d.store(t, p, at, "0")
		}
		_, err = p.Rotate(t.Context())
		require.NoError(t, err)
		d.clock.Advance(spread)
		var all sync.WaitGroup
		for _, at := range places {
			all.Go(func() {
				for _, password := range []string{"1", "2", "3"} {
					sealed, err := p.keys.Seal(t.Context(), at, []byte(password))
					if err == nil {
						err = d.db.InTx(t.Context(), func(ctx context.Context) error {
							return d.db.Raw(ctx, "test").Exec("UPDATE vault_accounts SET password = ? WHERE id = ?", sealed, at.ID).Error
						})
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Go(func() {
			if _, err := p.again.Run(t.Context(), reencryptBatches); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		for _, at := range places {
			d.reads(t, p, at, "3")
		}
	})
}

func TestReencrypt_PassesOverWhatCannotBeReadAndKeepsItsKey(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		p := d.start(t, NewKey(), "")
		moved, fine := account(), account()
		d.store(t, p, fine, "fine")
		before := d.under(t, fine)
		d.exec(t, "INSERT INTO vault_accounts (company_id, id, password) VALUES (?, ?, ?)", moved.Company, moved.ID, d.sealed(t, fine))
		d.exec(t, "INSERT INTO vault_accounts (company_id, id, password) VALUES (?, ?, NULL), (?, ?, ?)",
			uuid.New(), uuid.New(), uuid.New(), uuid.New(), []byte(`{"not": "sealed"}`))
		_, err := p.keys.Open(t.Context(), moved, d.sealed(t, moved))
		require.ErrorIs(t, err, ErrUnreadable, "a value is bound to its row")
		_, err = p.Rotate(t.Context())
		require.NoError(t, err)
		d.clock.Advance(spread)
		_, err = p.again.Run(t.Context(), reencryptBatches)
		require.NoError(t, err)
		require.Contains(t, d.log.String(), moved.ID.String())
		require.NotEqual(t, before, d.under(t, fine))
		d.clock.Advance(retireAfter)
		require.ErrorContains(t, p.Retire(t.Context(), before), "1 values are sealed under the key")
	})
}

func TestMaster_ChangesWithNothingUnreadableMidway(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		old, next := NewKey(), NewKey()
		a, b, c := account(), account(), account()
		before := d.start(t, old, "")
		d.store(t, before, a, "a")
		require.ErrorContains(t, d.configured(t, next, "").keys.Recognise(t.Context(), d.db), "is not the master key")

		// One replica has both, the other the old one alone, also when it starts again.
		both := d.start(t, next, old)
		d.reads(t, both, a, "a")
		d.store(t, both, b, "b")
		d.reads(t, before, b, "b")
		_, err := both.Rotate(t.Context())
		require.NoError(t, err)
		d.clock.Advance(spread)
		d.store(t, both, c, "c")
		d.reads(t, before, c, "c")
		again := d.start(t, old, "")
		d.reads(t, again, c, "c")

		after := d.start(t, next, "")
		for at, password := range map[Place]string{a: "a", b: "b", c: "c"} {
			d.reads(t, after, at, password)
		}
		masters := after.key(t, d.under(t, c)).Masters
		require.Len(t, masters, 2)
		former := keyName(int64(before.keys.ring.Load().ids[0]))
		require.Equal(t, Absent, after.key(t, former).State)
		require.ErrorContains(t, both.Retire(t.Context(), former), "take it out of")
		require.NoError(t, after.Retire(t.Context(), former))
		require.Len(t, after.key(t, d.under(t, c)).Masters, 1)
		late := d.configured(t, old, "")
		require.ErrorContains(t, late.keys.Recognise(t.Context(), d.db), "is not the master key")
		d.reads(t, d.start(t, next, ""), a, "a")
	})
}

func TestSeal_RefusesWhileANewerKeyCannotBeRead(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		old, next := NewKey(), NewKey()
		at := account()
		late := d.start(t, old, "")
		d.store(t, late, at, "x")
		d.start(t, next, old)
		after := d.start(t, next, "")
		_, err := after.Rotate(t.Context())
		require.NoError(t, err)
		d.clock.Advance(spread)
		_, err = late.keys.Seal(t.Context(), at, nil)
		require.ErrorIs(t, err, errMissing)
		require.ErrorContains(t, err, keyName(int64(after.keys.ring.Load().ids[0])))
		d.reads(t, late, at, "x")

		// A key that was to come and never came can be retired as well.
		abandoned := d.start(t, next, NewKey())
		id := keyName(int64(abandoned.keys.ring.Load().ids[1]))
		require.Equal(t, Former, abandoned.key(t, id).State)
		require.Equal(t, Absent, after.key(t, id).State)
		require.NoError(t, after.Retire(t.Context(), id))
	})
}

func TestStart_CountsColumnsOfAreasThatAreOff(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		master := NewKey()
		p := d.start(t, master, "")
		at := account()
		d.store(t, p, at, "x")
		off := d.configured(t, master, "")
		off.columns = nil
		require.NoError(t, off.keys.Recognise(t.Context(), d.db))
		require.NoError(t, off.Start(t.Context()))
		require.EqualValues(t, 1, off.key(t, d.under(t, at)).Values)
		d.exec(t, "DROP TABLE vault_accounts")
		_, err := off.Status(t.Context())
		require.NoError(t, err)
	})
}

func TestOpen_AsksForAKeyThatItDoesNotKnowInsideATransaction(t *testing.T) {
	t.Parallel()
	deploy(t, func(t *testing.T, d deployment) {
		master := NewKey()
		one, two := d.start(t, master, ""), d.start(t, master, "")
		_, err := one.Rotate(t.Context())
		require.NoError(t, err)
		d.clock.Advance(spread)
		at := account()
		d.store(t, one, at, "x")
		sealed := d.sealed(t, at)
		require.NoError(t, d.db.InTx(t.Context(), func(ctx context.Context) error {
			value, err := two.keys.Open(ctx, at, sealed)
			require.Equal(t, "x", string(value))

			return err
		}))
		_, err = two.keys.Open(t.Context(), at, append(headerOf(7), "something"...))
		require.ErrorIs(t, err, ErrUnreadable)
	})
}
