package idempotency

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// fixture is a keeper, and a table that is written to.
type fixture struct {
	*Keeper

	db    *database.DB
	clock *clock.Fake
	wrote atomic.Int64
}

func each(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		test(t, newFixture(t, databasetest.Open(t, url)))
	})
}

func newFixture(t testing.TB, db *database.DB) *fixture {
	t.Helper()
	sources, err := migrate.Sources(migrations.FS, nil)
	require.NoError(t, err)
	require.NoError(t, migrate.Up(t.Context(), db, sources, slog.New(slog.DiscardHandler)))
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		return db.Raw(ctx, "test").Exec("CREATE TABLE IF NOT EXISTS writes (name text NOT NULL)").Error
	}))
	keys := secret.New(secret.Settings{Key: config.Secret(secret.NewKey())}, "")
	require.NoError(t, keys.Start(t.Context()))
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))

	return &fixture{Keeper: New(Defaults(), db, keys, clk), db: db, clock: clk}
}

// write adds a row, and answers with how many times it was called.
func (f *fixture) write(ctx context.Context) (Answer, error) {
	n := f.wrote.Add(1)
	err := f.db.Raw(ctx, "test").Exec("INSERT INTO writes (name) VALUES ('one')").Error

	return Answer{
		Status:  200,
		Headers: []Header{{Name: "ETag", Value: `"1"`}, {Name: "Link", Value: "</a>", Append: true}},
		Body:    []byte("{\"secret_number\":" + strings.Repeat("7", int(n)) + "}\n"),
	}, err
}

// count is how many rows the query finds.
func (f *fixture) count(t *testing.T, query string) int {
	t.Helper()
	var n int
	require.NoError(t, f.db.Raw(t.Context(), "test").Raw("SELECT count(*) FROM "+query).Scan(&n).Error)

	return n
}

func caller(t *testing.T) context.Context {
	t.Helper()

	return principal.With(t.Context(), principal.Principal{Kind: principal.User, Company: uuid.New(), User: uuid.New()})
}

func request(key, fingerprint string) Request {
	return Request{Key: key, Fingerprint: []byte(fingerprint)}
}

func TestOnce_AnswersARepeatWithWhatWasKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		ctx := caller(t)
		first, kept, err := f.Once(ctx, request("a", "1"), f.write)
		require.NoError(t, err)
		require.False(t, kept)

		again, kept, err := f.Once(ctx, request("a", "1"), f.write)
		require.NoError(t, err)
		require.True(t, kept)
		require.Equal(t, first, again)
		require.Equal(t, 1, f.count(t, "writes"))
	})
}

func TestOnce_RefusesTheKeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		ctx := caller(t)
		_, _, err := f.Once(ctx, request("a", "1"), f.write)
		require.NoError(t, err)

		_, _, err = f.Once(ctx, request("a", "2"), f.write)
		require.ErrorIs(t, err, ErrReused)
		require.Equal(t, 1, f.count(t, "writes"))
	})
}

func TestOnce_KeepsCallersApart(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		company, user, token := uuid.New(), uuid.New(), uuid.New()
		callers := []principal.Principal{
			{Kind: principal.User, Company: company, User: user, Token: token},
			{Kind: principal.User, Company: uuid.New(), User: user},
			{Kind: principal.User, Company: company, User: uuid.New()},
			{Kind: principal.Service, Company: company, Token: token},
			{Kind: principal.Service, Company: company, Token: uuid.New()},
			{Kind: principal.Operator, Token: token},
		}
		for _, who := range callers {
			_, kept, err := f.Once(principal.With(t.Context(), who), request("a", "1"), f.write)
			require.NoError(t, err)
			require.False(t, kept, who)
		}
		require.Equal(t, len(callers), f.count(t, "writes"))

		rotated := callers[0]
		rotated.Token = uuid.New()
		_, kept, err := f.Once(principal.With(t.Context(), rotated), request("a", "1"), f.write)
		require.NoError(t, err)
		require.True(t, kept, "a person who has another token by now")
	})
}

func TestOnce_RunsAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		ctx := caller(t)
		errTaken := errors.New("taken")
		_, _, err := f.Once(ctx, request("a", "1"), func(ctx context.Context) (Answer, error) {
			_, err := f.write(ctx)
			require.NoError(t, err)

			return Answer{}, errTaken
		})
		require.ErrorIs(t, err, errTaken)
		require.Zero(t, f.count(t, "writes")+f.count(t, "idempotency_answers"))
		require.Panics(t, func() {
			_, _, err := f.Once(ctx, request("a", "1"), func(context.Context) (Answer, error) { panic("a defect") })
			require.NoError(t, err)
		})

		_, kept, err := f.Once(ctx, request("a", "2"), f.write)
		require.NoError(t, err, "nothing is left of the first request, not even its fingerprint")
		require.False(t, kept)
	})
}

func TestOnce_WritesOnceForManyAtATime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		ctx := caller(t)
		other := New(f.settings, f.db, f.keys, f.clock) // as on another replica
		answers := make([]Answer, 32)
		problems := make([]error, len(answers))
		var fresh atomic.Int64
		var all sync.WaitGroup
		for i := range answers {
			keeper := f.Keeper
			if i%2 == 1 {
				keeper = other
			}
			all.Go(func() {
				var kept bool
				answers[i], kept, problems[i] = keeper.Once(ctx, request("a", "1"), f.write)
				if !kept {
					fresh.Add(1)
				}
			})
		}
		all.Wait()

		for i := range answers {
			require.NoError(t, problems[i])
			require.Equal(t, answers[0], answers[i])
		}
		require.EqualValues(t, 1, fresh.Load())
		require.Equal(t, 1, f.count(t, "writes"))
	})
}

func TestOnce_GivesUpWaitingAtTheDeadline(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		ctx := caller(t)
		entered, leave := make(chan struct{}), make(chan struct{})
		first := make(chan error, 1)
		go func() {
			_, _, err := f.Once(ctx, request("a", "1"), func(ctx context.Context) (Answer, error) {
				close(entered)
				<-leave

				return f.write(ctx)
			})
			first <- err
		}()
		<-entered
		impatient, cancel := context.WithTimeout(ctx, 400*time.Millisecond)
		_, _, err := f.Once(impatient, request("a", "1"), f.write)
		cancel()
		require.ErrorIs(t, err, ErrInProgress)
		close(leave)
		require.NoError(t, <-first)

		_, kept, err := f.Once(ctx, request("a", "1"), f.write)
		require.NoError(t, err)
		require.True(t, kept)
	})
}

func TestOnce_OfTwoReplicasTheFirstToCommitWins(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		if f.db.Dialect() != database.Postgres {
			return // the writer of SQLite lets one at a time
		}
		for name, problem := range map[string]error{"the other one writes too": nil, "the other one fails": errors.New("there is such a row")} {
			ctx := caller(t)
			other := New(f.settings, f.db, f.keys, f.clock)
			before := f.count(t, "writes")
			var first Answer
			answer, kept, err := f.Once(ctx, request("a", "1"), func(tx context.Context) (Answer, error) {
				var kept bool
				var err error
				first, kept, err = other.Once(ctx, request("a", "1"), f.write)
				require.NoError(t, err, name)
				require.False(t, kept, name)
				mine, err := f.write(tx)

				return mine, errors.Join(err, problem)
			})
			require.NoError(t, err, name)
			require.True(t, kept, name)
			require.Equal(t, first, answer, name)
			require.Equal(t, before+1, f.count(t, "writes"), name)
		}
	})
}

func TestOnce_CutOffIsNotInProgress(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		f := newFixture(t, databasetest.Open(t, url))
		if f.db.Dialect() != database.Postgres {
			return // no network lies between
		}
		proxy := databasetest.NewProxy(t, url)
		far := New(f.settings, databasetest.Open(t, proxy.URL), f.keys, f.clock)
		_, _, err := far.Once(caller(t), request("first", "1"), f.writeThrough(far))
		require.NoError(t, err)

		thaw := proxy.Freeze()
		impatient, cancel := context.WithTimeout(caller(t), 200*time.Millisecond)
		_, _, err = far.Once(impatient, request("a", "1"), f.writeThrough(far))
		cancel()
		thaw()
		require.ErrorIs(t, err, database.ErrUnavailable)
		require.NotErrorIs(t, err, ErrInProgress)
	})
}

func TestOnce_ARepeatGetsTheAnswerThatWasLost(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		f := newFixture(t, databasetest.Open(t, url))
		if f.db.Dialect() != database.Postgres {
			return // no network lies between
		}
		proxy := databasetest.NewProxy(t, url)
		far := New(f.settings, databasetest.Open(t, proxy.URL), f.keys, f.clock)
		ctx := caller(t)
		lost := proxy.LoseAnswer("commit\x00")
		_, _, err := far.Once(ctx, request("a", "1"), f.writeThrough(far))
		<-lost
		require.ErrorIs(t, err, database.ErrOutcomeUnknown)
		unknown, _ := errors.AsType[*errs.Error](err)
		require.Positive(t, unknown.RetryAfter, "with the key it is safe")

		_, kept, err := far.Once(ctx, request("a", "1"), f.writeThrough(far))
		require.NoError(t, err)
		require.True(t, kept)
		require.Equal(t, 1, f.count(t, "writes"))
	})
}

// writeThrough is write, on the database of a keeper.
func (f *fixture) writeThrough(k *Keeper) func(context.Context) (Answer, error) {
	return func(ctx context.Context) (Answer, error) {
		err := k.rows.db.Raw(ctx, "test").Exec("INSERT INTO writes (name) VALUES ('one')").Error

		return Answer{Status: 200, Body: []byte("{}")}, err
	}
}

func TestOnce_EncryptsWhatIsSecret(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		ctx := caller(t)
		open, hidden := request("open", "1"), Request{Key: "hidden", Fingerprint: []byte("1"), Secret: true}
		for _, r := range []Request{open, hidden} {
			first, _, err := f.Once(ctx, r, f.write)
			require.NoError(t, err)
			again, kept, err := f.Once(ctx, r, f.write)
			require.NoError(t, err)
			require.True(t, kept)
			require.Equal(t, first, again)
		}

		var rows []row
		require.NoError(t, f.db.Raw(t.Context(), "test").Raw("SELECT * FROM idempotency_answers ORDER BY sealed").Scan(&rows).Error)
		require.Len(t, rows, 2)
		require.Contains(t, string(rows[0].Answer), "secret_number")
		require.NotContains(t, string(rows[1].Answer), "secret_number")
		require.NotContains(t, string(rows[1].Answer), "ETag")

		who, _ := principal.From(ctx)
		require.NoError(t, f.db.InTx(t.Context(), func(ctx context.Context) error {
			_, err := f.rows.exec(ctx, "UPDATE idempotency_answers SET answer = ?, sealed = ? WHERE id = ?", rows[1].Answer, true, rowID(who, "open"))

			return err
		}))
		_, _, err := f.Once(ctx, open, f.write)
		require.ErrorIs(t, err, secret.ErrUnreadable, "an answer is bound to its row")
	})
}

func TestOnce_ForgetsAfterADay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		ctx := caller(t)
		once := func(fingerprint string) bool {
			_, kept, err := f.Once(ctx, request("a", fingerprint), f.write)
			require.NoError(t, err)

			return kept
		}
		require.False(t, once("1"))
		f.clock.Advance(24*time.Hour - time.Microsecond)
		require.True(t, once("1"))
		f.clock.Advance(time.Microsecond)
		require.False(t, once("2"), "also before the row is purged")
		require.True(t, once("2"))

		purged, err := f.Purge(t.Context())
		require.NoError(t, err)
		require.Zero(t, purged)
		f.clock.Advance(24 * time.Hour)
		purged, err = f.Purge(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, purged)
		require.Zero(t, f.count(t, "idempotency_answers"))
		require.False(t, once("3"))
	})
}

func TestPurge_TakesABatchAtATime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		require.NoError(t, f.db.InTx(t.Context(), func(ctx context.Context) error {
			for range purgeBatch + 1 {
				r := row{place: place{ID: uuid.New()}, Fingerprint: []byte("1"), ExpiresAt: f.clock.Now()}
				if _, err := f.rows.insert(ctx, r); err != nil {
					return err
				}
			}

			return nil
		}))
		for _, want := range []int{purgeBatch, 1, 0} {
			purged, err := f.Purge(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, purged)
		}
	})
}

func TestOnce_IsForSomebody(t *testing.T) {
	t.Parallel()
	_, _, err := New(Defaults(), nil, nil, nil).Once(t.Context(), request("a", "1"), nil)

	require.ErrorIs(t, err, errNobody)
}

func TestSettings_KeepForAWhile(t *testing.T) {
	t.Parallel()
	require.NoError(t, Defaults().Validate())
	require.Error(t, Settings{}.Validate())
}

func TestOnce_ShowsAnAnswerOnlyToWhoIsAllowedAsMuch(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		t.Helper()
		anna := principal.Principal{
			Kind: principal.User, Company: uuid.New(), User: uuid.New(), Role: "admin", Scopes: []string{"custom_modules:*"},
		}
		_, _, err := f.Once(principal.With(t.Context(), anna), request("a", "1"), f.write)
		require.NoError(t, err)
		repeat := func(role string, scopes ...string) error {
			who := anna
			who.Role, who.Scopes = role, scopes
			_, _, err := f.Once(principal.With(t.Context(), who), request("a", "1"), f.write)

			return err
		}
		require.NoError(t, repeat("admin", "*"))
		require.ErrorIs(t, repeat("admin", "custom_modules:write"), ErrExceeds, "a token that may not see sensitive fields")
		require.ErrorIs(t, repeat("viewer", "*"), ErrExceeds, "modules may be closed to that role")
		require.Equal(t, 1, f.count(t, "writes"))
	})
}
