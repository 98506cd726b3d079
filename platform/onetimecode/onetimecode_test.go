package onetimecode

import (
	"context"
	"errors"
	"log/slog"
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
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

const identity Purpose = "carriers.identity"

type service struct {
	*Service

	clock *clock.Fake
}

func each(t *testing.T, test func(t *testing.T, s service)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		log := slog.New(slog.DiscardHandler)
		db := databasetest.Open(t, url)
		sources, err := migrate.Sources(migrations.FS, nil)
		require.NoError(t, err)
		require.NoError(t, migrate.Up(t.Context(), db, sources, log))
		clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		keys := secret.New(secret.Settings{Key: config.Secret(secret.NewKey())}, "")
		require.NoError(t, keys.Start(t.Context()))
		test(t, service{New(db, keys, clk), clk})
	})
}

func (s service) company(t *testing.T) context.Context {
	t.Helper()
	id := database.NewID()
	require.NoError(t, s.db.InTx(t.Context(), func(ctx context.Context) error {
		return s.db.Raw(ctx, "test").Exec(`INSERT INTO identity_companies (id, name, created_at, updated_at) VALUES (?, 'A', ?, ?)`,
			id, s.clock.Now(), s.clock.Now()).Error
	}))

	return principal.With(t.Context(), principal.ForCompany(id))
}

func (s service) issue(ctx context.Context, t *testing.T, about item.Ref) string {
	t.Helper()
	_, text, err := s.Issue(ctx, Request{Purpose: identity, Subject: about, Channel: "sms", To: "+12025550143"})
	require.NoError(t, err)
	require.Regexp(t, `^[0-9]{6}$`, text.Reveal())

	return text.Reveal()
}

func carrier() item.Ref { return item.Ref{Type: "carriers.carrier", UUID: uuid.New()} }

// other returns another code.
func other(code string) string {
	if code[0] == '0' {
		return "1" + code[1:]
	}

	return "0" + code[1:]
}

func nothing(context.Context, Code) error { return nil }

func TestRedeem_TakesARightCodeOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		ctx, stranger, about := s.company(t), s.company(t), carrier()
		text := s.issue(ctx, t, about)
		require.ErrorIs(t, s.Redeem(stranger, identity, about, text, nothing), ErrNone, "another company")
		require.ErrorIs(t, s.Redeem(ctx, "carriers.other", about, text, nothing), ErrNone, "another purpose")
		require.ErrorIs(t, s.Redeem(ctx, identity, carrier(), text, nothing), ErrNone, "another subject")
		broken := errors.New("broken")
		require.ErrorIs(t, s.Redeem(ctx, identity, about, text, func(context.Context, Code) error { return broken }), broken)
		var did atomic.Int64
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				_ = s.Redeem(ctx, identity, about, text[:3]+" "+text[3:], func(_ context.Context, c Code) error {
					if c.To == "+12025550143" && c.Channel == "sms" {
						did.Add(1)
					}

					return nil
				})
			})
		}
		all.Wait()
		require.Equal(t, int64(1), did.Load())
		require.ErrorIs(t, s.Redeem(ctx, identity, about, text, nothing), ErrNone)
	})
}

func TestRedeem_EndsAfterFiveTriesTenMinutesOrANewerCode(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		ctx, about := s.company(t), carrier()
		text := s.issue(ctx, t, about)
		for left := int64(Tries - 1); left >= 0; left-- {
			err := s.Redeem(ctx, identity, about, other(text), nothing)
			require.ErrorIs(t, err, ErrWrong)
			wrong, _ := errors.AsType[*errs.Error](err)
			require.Equal(t, left, wrong.Details["tries_left"])
		}
		require.ErrorIs(t, s.Redeem(ctx, identity, about, text, nothing), ErrNone)

		text = s.issue(ctx, t, about)
		s.clock.Advance(Life)
		require.ErrorIs(t, s.Redeem(ctx, identity, about, text, nothing), ErrNone)

		text = s.issue(ctx, t, about)
		newer := s.issue(ctx, t, about)
		if text != newer {
			require.ErrorIs(t, s.Redeem(ctx, identity, about, text, nothing), ErrWrong)
		}
		require.NoError(t, s.Redeem(ctx, identity, about, newer, nothing))
	})
}

func TestIssue_IsThrottledBySubjectAndSweeps(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		ctx, about := s.company(t), carrier()
		again := func() error {
			_, _, err := s.Issue(ctx, Request{Purpose: identity, Subject: about, Channel: "call"})

			return err
		}
		for range perHour {
			require.NoError(t, again())
		}
		err := again()
		require.ErrorIs(t, err, ErrTooMany)
		wait, _ := errors.AsType[*errs.Error](err)
		require.Equal(t, time.Hour, wait.RetryAfter)
		s.issue(ctx, t, carrier())
		s.issue(s.company(t), t, about)
		s.clock.Advance(time.Hour)
		for range perDay - perHour {
			require.NoError(t, again())
		}
		s.clock.Advance(time.Hour)
		require.ErrorIs(t, again(), ErrTooMany, "ten a day")
		s.clock.Advance(23 * time.Hour)
		require.NoError(t, again())

		s.clock.Advance(49 * time.Hour)
		removed, err := s.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, perDay+3, removed)
	})
}
