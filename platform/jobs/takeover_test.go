package jobs_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// impatient takes over as soon as it can.
func impatient() jobs.Settings {
	s := quick()
	s.TakeOver = 2 * time.Second

	return s
}

// orphan makes a job that a process ran which is no longer there.
func (b *bench) orphan(t *testing.T, owner, to string, options ...jobs.Option) {
	t.Helper()
	by := "jsonb('[\"" + owner + "\"]')"
	if b.db.Dialect() == database.Postgres {
		by = "ARRAY['" + owner + "']"
	}
	require.NoError(t, b.db.InTx(t.Context(), func(ctx context.Context) error {
		return errors.Join(b.Enqueue(ctx, hello{To: to}, options...), b.db.Raw(ctx, "test").Exec(
			"UPDATE river_job SET state = 'running', attempt = 1, attempted_at = CURRENT_TIMESTAMP, attempted_by = "+by+" WHERE state = 'available'").Error)
	}))
}

func TestTakeOver_JobsOfAProcessThatDiedAreTriedAgainSoon(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, impatient())
		b.orphan(t, "dispatchd/there/1", "a")
		b.orphan(t, "dispatchd/there/1", "hopeless", jobs.Attempts(1))
		b.orphan(t, "an_older_release", "b")
		b.start(t)
		got := b.next(t)
		require.Equal(t, "a", got.to)
		require.Equal(t, 2, got.attempt.Number, "the attempt that died counts")
		require.Equal(t, 1, b.count(t, "state = 'running' AND attempt = 1"), "who does not show that he is alive may be")
		require.Equal(t, 1, b.count(t, "state = 'discarded' AND finalized_at IS NOT NULL"))
		require.Equal(t, 2, b.count(t, "CAST(errors AS text) LIKE '%the process that ran the job died%'"))
	})
}

func TestTakeOver_AJobThatWasLostOnTheWayToALivingProcessIsTriedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, impatient())
		b.start(t)
		b.enqueue(t, t.Context(), "first")
		b.next(t)
		require.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 1 }, patience, 10*time.Millisecond)
		b.orphan(t, b.owner(t), "handed over in an answer that never came")
		got := b.next(t)
		require.Equal(t, "handed over in an answer that never came", got.to)
		require.Equal(t, 2, got.attempt.Number)
		require.Equal(t, 1, b.count(t, "CAST(errors AS text) LIKE '%the connection to the database was lost%'"))
	})
}

func TestTakeOver_AJobIsNotRunAgainWhoseOutcomeWasLost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		b := newBench(t, url, impatient())
		b.loseCompletions(t)
		b.start(t)
		b.enqueue(t, t.Context(), "a")
		b.next(t)
		require.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 1 }, patience, 10*time.Millisecond)
		require.Equal(t, 1, b.count(t, "attempt = 1 AND finalized_at IS NOT NULL"))
		require.Empty(t, b.runs)
		var lost int
		require.NoError(t, b.db.Raw(t.Context(), "test").Raw("SELECT count(*) FROM lost").Scan(&lost).Error)
		require.Equal(t, 1, lost)
	})
}

// loseCompletions has the first job that is done stay as it is in the database.
func (b *bench) loseCompletions(t *testing.T) {
	t.Helper()
	statements := []string{
		"CREATE TABLE lost (id integer)",
		`CREATE TRIGGER lose AFTER UPDATE ON river_job WHEN NEW.state = 'completed' AND NOT EXISTS (SELECT 1 FROM lost)
BEGIN INSERT INTO lost VALUES (NEW.id); UPDATE river_job SET state = 'running', finalized_at = NULL WHERE id = NEW.id; END`,
	}
	if b.db.Dialect() == database.Postgres {
		statements = append(statements[:1], `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
IF NEW.state = 'completed' AND NOT EXISTS (SELECT 1 FROM lost) THEN INSERT INTO lost VALUES (NEW.id); NEW.state = 'running'; NEW.finalized_at = NULL; END IF; RETURN NEW; END $$`,
			"CREATE TRIGGER lose BEFORE UPDATE ON river_job FOR EACH ROW EXECUTE FUNCTION lose()")
	}
	for _, statement := range statements {
		require.NoError(t, b.db.InTx(t.Context(), func(ctx context.Context) error { return b.db.Raw(ctx, "test").Exec(statement).Error }))
	}
}

// owner is who ran the jobs so far.
func (b *bench) owner(t *testing.T) (name string) {
	t.Helper()
	query := "SELECT attempted_by[1] FROM river_job WHERE attempted_by IS NOT NULL LIMIT 1"
	if b.db.Dialect() == database.SQLite {
		query = "SELECT json_extract(attempted_by, '$[0]') FROM river_job WHERE attempted_by IS NOT NULL LIMIT 1"
	}
	require.NoError(t, b.db.Raw(t.Context(), "test").Raw(query).Scan(&name).Error)

	return name
}

func TestTakeOver_LeavesJobsOfTheLivingAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		one := newBench(t, url, impatient())
		release := make(chan struct{})
		one.work = func(ctx context.Context, _ hello) error {
			<-release

			return ctx.Err()
		}
		one.start(t)
		one.enqueue(t, t.Context(), "a")
		one.next(t)
		two := newBench(t, url, impatient())
		two.orphan(t, "dispatchd/gone/1", "b")
		two.start(t)
		if two.db.Dialect() == database.Postgres {
			require.Eventually(t, func() bool { return two.count(t, "attempt = 2 AND args -> 'args' ->> 'to' = 'b'") == 1 }, patience, 10*time.Millisecond)
		}
		require.Equal(t, 1, two.count(t, "state = 'running' AND attempt = 1 AND args -> 'args' ->> 'to' = 'a'"))
		close(release)
		require.Eventually(t, func() bool {
			return one.count(t, "state = 'completed' AND attempt = 1 AND args -> 'args' ->> 'to' = 'a'") == 1
		}, patience, 10*time.Millisecond)
	})
}

func TestTakeOver_AProcessThatIsCutOffLetsGoOfItsJobsBeforeOthersTakeThem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, url string) {
		if !strings.HasPrefix(url, "postgres") {
			return // a file does not go away
		}
		b := newBench(t, url, impatient())
		ended := make(chan error, 1)
		b.work = func(ctx context.Context, args hello) error {
			if attempt, _ := jobs.Current(ctx); args.To != "a" || attempt.Number > 1 {
				return nil
			}
			<-ctx.Done()
			ended <- context.Cause(ctx)

			return ctx.Err()
		}
		b.start(t)
		b.enqueue(t, t.Context(), "a")
		b.next(t)

		blocked, lift := b.withoutOwners(t)
		select {
		case err := <-ended:
			require.ErrorContains(t, err, "cut off")
		case <-time.After(patience):
			require.Fail(t, "the job goes on")
		}
		require.NoError(t, blocked(t.Context()))
		lift()
		require.Equal(t, 2, b.next(t).attempt.Number, "connected again, it goes on")
		b.enqueue(t, t.Context(), "b")
		require.Equal(t, "b", b.next(t).to)
	})
}

// withoutOwners ends the session that holds the owner's lock and keeps the lock from it, as a network does that is
// cut: until lift. The check reports whether it still does.
func (b *bench) withoutOwners(t *testing.T) (check func(context.Context) error, lift func()) {
	t.Helper()
	var owner string
	require.NoError(t, b.db.Raw(t.Context(), "test").Raw("SELECT attempted_by[1] FROM river_job WHERE state = 'running'").Scan(&owner).Error)
	conn, err := b.db.Connect(t.Context(), nil)
	require.NoError(t, err)
	var ended bool
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)`, owner).Scan(&ended))
	require.True(t, ended)
	_, err = conn.Exec(t.Context(), "SELECT pg_advisory_lock(hashtextextended($1, 0))", owner)
	require.NoError(t, err)

	return conn.Ping, func() { require.NoError(t, errors.Join(conn.Close(context.WithoutCancel(t.Context())))) }
}
