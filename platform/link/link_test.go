package link

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
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	invitation Purpose = "companies.invitation"
	share      Purpose = "loads.share"
)

// service is a service whose purposes are an invitation (one use, a day) and a share (any number of
// uses, an hour to a week).
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
		clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))
		s := service{Service: New(db, clk, log), clock: clk}
		require.NoError(t, s.declare(invitation, Rules{Uses: 1, Life: 24 * time.Hour}))
		require.NoError(t, s.declare(share, Rules{Life: time.Hour, MaxLife: 7 * 24 * time.Hour}))
		test(t, s)
	})
}

// company makes a company, and returns a context in which it is calling.
func (s service) company(t *testing.T) context.Context {
	t.Helper()
	id := database.NewID()
	require.NoError(t, s.db.InTx(t.Context(), func(ctx context.Context) error {
		return s.db.Raw(ctx, "test").Exec(`INSERT INTO identity_companies (id, name, created_at, updated_at) VALUES (?, 'A', ?, ?)`,
			id, s.clock.Now(), s.clock.Now()).Error
	}))

	return principal.With(t.Context(), principal.ForCompany(id))
}

func (s service) create(ctx context.Context, t *testing.T, n NewLink) (Link, string) {
	t.Helper()
	l, text, err := s.Create(ctx, n)
	require.NoError(t, err)

	return l, text
}

func requireRefusal(t *testing.T, err error, code string) {
	t.Helper()
	refused, ok := errors.AsType[*errs.Error](err)
	require.True(t, ok, err)
	require.Equal(t, code, refused.Code)
	require.Equal(t, errs.NotFound, refused.Kind)
}

func TestUse_SaysWhoseLinkItIsAndWhatItIsAbout(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		ctx := s.company(t)
		owner, _ := principal.From(ctx)
		owner.User = uuid.New()
		about := Subject{Type: "companies.user", ID: uuid.New()}
		made, text := s.create(principal.With(ctx, owner), t, NewLink{Purpose: invitation, Subject: about, Payload: map[string]string{"role": "viewer"}})
		require.Equal(t, owner.Company, made.Company)
		require.Equal(t, owner.User, made.CreatedBy)
		require.Equal(t, s.clock.Now().Add(24*time.Hour), made.ExpiresAt)
		require.True(t, strings.HasPrefix(text, made.Prefix))

		seen, err := s.Peek(t.Context(), invitation, text)
		require.NoError(t, err)
		require.JSONEq(t, string(made.Payload), string(seen.Payload))
		seen.Payload = made.Payload
		require.Equal(t, made, seen)

		used, err := s.Use(t.Context(), invitation, text)
		require.NoError(t, err)
		require.Equal(t, owner.Company, used.Company)
		require.Equal(t, about, used.Subject)
		require.Equal(t, 1, used.Uses)
		require.Equal(t, s.clock.Now(), *used.LastUsedAt)
		payload, err := PayloadOf[map[string]string](used)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"role": "viewer"}, payload)
	})
}

func TestUse_TellsStrangersTheSameWhateverIsWrong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		ctx := s.company(t)
		refused := func(p Purpose, text, code string) {
			_, err := s.Peek(t.Context(), p, text)
			requireRefusal(t, err, code)
			_, err = s.Use(t.Context(), p, text)
			requireRefusal(t, err, code)
		}
		refused(invitation, "", "link.unknown")
		refused(invitation, "dsl_short", "link.unknown")
		refused(invitation, newText(), "link.unknown")

		_, text := s.create(ctx, t, NewLink{Purpose: invitation})
		refused(share, text, "link.unknown")
		s.clock.Advance(24*time.Hour - time.Microsecond)
		_, err := s.Use(t.Context(), invitation, text)
		require.NoError(t, err)
		refused(invitation, text, "link.used_up")

		_, text = s.create(ctx, t, NewLink{Purpose: invitation})
		s.clock.Advance(24 * time.Hour)
		refused(invitation, text, "link.expired")

		l, text := s.create(ctx, t, NewLink{Purpose: share})
		require.NoError(t, s.Revoke(ctx, l.ID))
		require.NoError(t, s.Revoke(ctx, l.ID))
		refused(share, text, "link.revoked")
	})
}

func TestUse_LetsNoMoreThroughThanTheLinkHasUses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		ctx := s.company(t)
		_, text := s.create(ctx, t, NewLink{Purpose: share, MaxUses: 3})
		var through, refused atomic.Int32
		var callers sync.WaitGroup
		for range 12 {
			callers.Go(func() {
				_, err := s.Use(t.Context(), share, text)
				switch {
				case err == nil:
					through.Add(1)
				case errors.Is(err, errUsedUp):
					refused.Add(1)
				}
			})
		}
		callers.Wait()
		require.Equal(t, int32(3), through.Load())
		require.Equal(t, int32(9), refused.Load())
	})
}

func TestUse_CountsOnlyIfItsTransactionIsCommitted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		_, text := s.create(s.company(t), t, NewLink{Purpose: invitation})
		undone := errors.New("undone")
		require.ErrorIs(t, s.db.InTx(t.Context(), func(ctx context.Context) error {
			_, err := s.Use(ctx, invitation, text)
			require.NoError(t, err)

			return undone
		}), undone)
		_, err := s.Use(t.Context(), invitation, text)
		require.NoError(t, err)
	})
}

func TestUse_OfAShareGoesOnUntilItsExpiry(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		_, text := s.create(s.company(t), t, NewLink{Purpose: share})
		for i := range 5 {
			used, err := s.Use(t.Context(), share, text)
			require.NoError(t, err)
			require.Equal(t, i+1, used.Uses)
		}
	})
}

func TestCreate_KeepsTheRulesOfThePurpose(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		ctx, now := s.company(t), s.clock.Now()
		for field, n := range map[string]NewLink{
			"max_uses":   {Purpose: share, MaxUses: -1},
			"expires_at": {Purpose: share, ExpiresAt: now.Add(8 * 24 * time.Hour)},
		} {
			_, _, err := s.Create(ctx, n)
			require.ErrorIs(t, err, ErrInvalid)
			wrong, _ := errors.AsType[*errs.Error](err)
			require.Contains(t, wrong.Fields, field)
		}
		_, _, err := s.Create(ctx, NewLink{Purpose: share, ExpiresAt: now})
		require.ErrorIs(t, err, ErrInvalid)
		_, _, err = s.Create(ctx, NewLink{Purpose: "sms.unheard_of"})
		require.EqualError(t, err, `purpose of a link "sms.unheard_of" is not declared`)
		_, _, err = s.Create(ctx, NewLink{Purpose: share, Payload: strings.Repeat("x", maxPayload)})
		require.ErrorContains(t, err, "payload of a link")
		_, _, err = s.Create(t.Context(), NewLink{Purpose: share})
		require.Error(t, err, "a link is a company's")
		l, _ := s.create(ctx, t, NewLink{Purpose: share, MaxUses: 7, ExpiresAt: now.Add(7 * 24 * time.Hour)})
		require.Equal(t, 7, l.MaxUses)
	})
}

func TestList_AndRevokeReachTheCompanysOwnLinksAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		ctx, other := s.company(t), s.company(t)
		about := Subject{Type: "loads.load", ID: uuid.New()}
		first, _ := s.create(ctx, t, NewLink{Purpose: share, Subject: about})
		second, text := s.create(ctx, t, NewLink{Purpose: share, Subject: about})
		third, _ := s.create(ctx, t, NewLink{Purpose: invitation})
		ids := func(ctx context.Context, f Filter) []uuid.UUID {
			list, err := s.List(ctx, f)
			require.NoError(t, err)
			found := make([]uuid.UUID, len(list))
			for i, l := range list {
				found[i] = l.ID
			}

			return found
		}
		require.Equal(t, []uuid.UUID{third.ID, second.ID, first.ID}, ids(ctx, Filter{}))
		require.Equal(t, []uuid.UUID{second.ID, first.ID}, ids(ctx, Filter{Subject: about}))
		require.Equal(t, []uuid.UUID{first.ID}, ids(ctx, Filter{Purpose: share, Before: second.ID}))
		require.Empty(t, ids(other, Filter{}))

		require.ErrorIs(t, s.Revoke(other, first.ID), ErrNotFound)
		ended, err := s.RevokeAll(other, share, about)
		require.NoError(t, err)
		require.Zero(t, ended)
		require.NoError(t, s.Revoke(ctx, first.ID))
		ended, err = s.RevokeAll(ctx, share, about)
		require.NoError(t, err)
		require.Equal(t, 1, ended)
		_, err = s.Use(t.Context(), share, text)
		requireRefusal(t, err, "link.revoked")
		require.Equal(t, []uuid.UUID{third.ID}, ids(ctx, Filter{Usable: true}))
	})
}

func TestDeclare_RefusesRulesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	s := New(nil, clock.System{}, slog.New(slog.DiscardHandler))
	for _, wrong := range []Rules{{}, {Uses: -1, Life: time.Hour}, {Life: time.Hour, MaxLife: time.Minute}} {
		require.Error(t, s.declare(share, wrong))
	}
	require.NoError(t, s.declare(share, Rules{Life: time.Hour}))
	require.EqualError(t, s.declare(share, Rules{Life: time.Hour}), `purpose of a link "loads.share" is declared twice`)
}

func TestWellFormed_IsWhatNewTextMakes(t *testing.T) {
	t.Parallel()
	for range 100 {
		require.True(t, wellFormed(newText()))
	}
	require.False(t, wellFormed(strings.Repeat("a", 47)))
	require.False(t, wellFormed(textPrefix+strings.Repeat("a", 42)+"-"))
}

func TestEnter_LeadsIntoTheCompanyUnlessTheLinkIsTriedTooOften(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		ctx := s.company(t)
		require.NoError(t, s.declare("loads.door", Rules{Life: time.Hour, PerMinute: 2}))
		made, text, err := s.Create(ctx, NewLink{Purpose: "loads.door", Subject: Subject{Type: "loads.load", ID: database.NewID()}})
		require.NoError(t, err)
		for range 2 {
			inside, found, err := s.Enter(t.Context(), "loads.door", text)
			require.NoError(t, err)
			require.Equal(t, made.ID, found.ID)
			require.Equal(t, made.Company, principal.CompanyOf(inside))
		}
		_, _, err = s.Enter(t.Context(), "loads.door", text)
		require.ErrorIs(t, err, ErrTooOften)
		_, _, err = s.Enter(t.Context(), "loads.door", "another")
		require.ErrorIs(t, err, errUnknown)
	})
}

func TestPeek_IsUnavailableWhileTheCompanyDoesNotUseTheArea(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		ctx := s.company(t)
		subject := Subject{Type: "loads.load", ID: database.NewID()}
		_, text, err := s.Create(ctx, NewLink{Purpose: share, Subject: subject})
		require.NoError(t, err)
		_, invited, err := s.Create(ctx, NewLink{Purpose: invitation, Subject: subject})
		require.NoError(t, err)
		s.OnlyFor(func(_ context.Context, _ uuid.UUID, area string) (bool, error) { return area == "companies", nil })
		_, err = s.Peek(t.Context(), share, text)
		require.ErrorIs(t, err, errUnavailable)
		_, err = s.Use(t.Context(), share, text)
		require.ErrorIs(t, err, errUnavailable)
		_, err = s.Peek(t.Context(), invitation, invited)
		require.NoError(t, err)
	})
}
