package identity

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestRefusal_DependsOnTheFactsAndTheTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	before, after := now.Add(-time.Microsecond), now.Add(time.Microsecond)
	who := principal.Principal{Token: uuid.New()}
	tests := []struct {
		name  string
		facts facts
		want  error
	}{
		{"good", facts{principal: who}, nil},
		{"not expired yet", facts{principal: who, expiresAt: &after}, nil},
		{"no such token", facts{}, errTokenUnknown},
		{"revoked", facts{principal: who, revoked: true}, errTokenRevoked},
		{"expired this moment", facts{principal: who, expiresAt: &now}, errTokenExpired},
		{"expired", facts{principal: who, expiresAt: &before}, errTokenExpired},
		{"user deactivated", facts{principal: who, deactivated: true}, errUserDeactivated},
		{"company suspended", facts{principal: who, suspended: true}, errCompanySuspended},
		{"a bad token learns nothing of its company", facts{principal: who, expiresAt: &before, suspended: true}, errTokenExpired},
	}
	for _, test := range tests {
		if test.want == nil {
			require.NoErrorf(t, test.facts.refusal(now), test.name)
		} else {
			require.ErrorIsf(t, test.facts.refusal(now), test.want, test.name)
		}
	}
}

func TestFacts_OfEachKindOfToken(t *testing.T) {
	t.Parallel()
	company, user, dispatcher := uuid.New(), uuid.New(), Dispatcher
	builtIn, err := NewRoles(module.New("loads", "Loads", Grants(Dispatcher, "write")))
	require.NoError(t, err)

	of := factsRow{ID: uuid.New(), CompanyID: company, UserID: &user, Scopes: "* sms:read", Role: &dispatcher}.facts(builtIn).principal
	require.Equal(t, principal.User, of.Kind)
	require.Equal(t, user, of.User)
	require.True(t, of.Allows("loads:write"))
	require.False(t, of.Allows("invoices:write"))

	of = factsRow{ID: uuid.New(), CompanyID: company, Scopes: "sms:read"}.facts(builtIn).principal
	require.Equal(t, principal.Service, of.Kind)
	require.Equal(t, company, of.Company)
	require.Equal(t, []string{"sms:read"}, of.Scopes)

	of = factsRow{ID: uuid.New(), Scopes: "*"}.facts(builtIn).principal
	require.Equal(t, principal.Operator, of.Kind)
	require.Equal(t, uuid.Nil, of.Company)

	unknownRole := Role("boss")
	of = factsRow{ID: uuid.New(), CompanyID: company, UserID: &user, Scopes: "*", Role: &unknownRole}.facts(builtIn).principal
	require.Empty(t, of.Scopes)
}

func TestCache_KeepsFactsForItsLifeOnly(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := newCache()
	for _, f := range []facts{{readAt: now}, {readAt: now, principal: principal.Principal{Token: uuid.New()}}} {
		d := digestOf(newSecret())
		c.keep(d, f, 0)
		for age, cached := range map[time.Duration]bool{
			0: true, cacheLife - 1: true, cacheLife: false, -time.Second: false,
		} {
			_, got := c.get(d, now.Add(age))
			require.Equalf(t, cached, got, "after %s", age)
		}
	}
}

func TestCache_AsksOnceForAllWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, d := newCache(), digestOf(newSecret())
		want := facts{principal: principal.Principal{Token: uuid.New()}}
		asked, gate := 0, make(chan struct{})
		answers := make(chan facts, 8)
		for range cap(answers) {
			go func() {
				got, err := c.load(d, func() (facts, error) {
					asked++
					<-gate

					return want, nil
				})
				if err == nil {
					answers <- got
				}
			}()
		}
		synctest.Wait()
		close(gate)
		for range cap(answers) {
			require.Equal(t, want, <-answers)
		}
		require.Equal(t, 1, asked)
	})
}

func TestCache_ForgetsWhatWasAskedForBeforeTheChange(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c, d := newCache(), digestOf(newSecret())
	old := facts{principal: principal.Principal{Token: uuid.New()}, readAt: now}
	_, err := c.load(d, func() (facts, error) {
		c.forget(old.principal.Token) // revoked while the answer is on its way

		changed := old
		changed.revoked = true
		fresh, err := c.load(d, func() (facts, error) { return changed, nil })
		require.NoError(t, err)
		require.True(t, fresh.revoked, "a later request does not wait for the old answer")

		return old, nil
	})
	require.NoError(t, err)
	got, cached := c.get(d, now)
	require.True(t, cached)
	require.True(t, got.revoked)

	c.forget(old.principal.Token)
	_, cached = c.get(d, now)
	require.False(t, cached)
}

func TestCache_DoesNotKeepFailures(t *testing.T) {
	t.Parallel()
	c, d, boom := newCache(), digestOf(newSecret()), errors.New("boom")
	_, err := c.load(d, func() (facts, error) { return facts{}, boom })
	require.ErrorIs(t, err, boom)
	got, err := c.load(d, func() (facts, error) { return facts{revoked: true}, nil })
	require.NoError(t, err)
	require.True(t, got.revoked)
}

func TestCache_StrangersDoNotPushOutTheKnown(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c, d := newCache(), digestOf("known")
	c.keep(d, facts{principal: principal.Principal{Token: uuid.New()}, readAt: now}, 0)
	for i := range 3 * unknownSize {
		c.keep(digestOf(string(rune(i))+"x"), facts{readAt: now}, 0)
	}
	_, cached := c.get(d, now)
	require.True(t, cached)
	require.LessOrEqual(t, c.unknown.Len(), unknownSize)
}

// What every request pays: a token that is in the cache.
func BenchmarkAuthenticate(b *testing.B) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	log := slog.New(slog.DiscardHandler)
	s := New(nil, broadcast.New(nil, log), nil, fixed(now), log)
	secret := newSecret()
	s.cache.keep(digestOf(secret), facts{
		principal: principal.Principal{Token: uuid.New(), Scopes: []string{"*"}}, readAt: now, lastUsedAt: now,
	}, 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Authenticate(b.Context(), secret); err != nil {
			b.Fatal(err)
		}
	}
}

// fixed is a clock that stands still.
type fixed time.Time

func (f fixed) Now() time.Time { return time.Time(f) }
