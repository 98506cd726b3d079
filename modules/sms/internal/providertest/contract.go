// Package providertest is what every vendor behind the port promises, as tests.
package providertest

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/smstest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// Subject is a vendor under test; Make gives each test one of its own.
type Subject struct {
	Provider    provider.Provider
	Credentials map[string]string
	// Fail has the next requests fail; nil for what makes none. Taken is how many messages were taken.
	Fail  func(...smstest.Fault)
	Taken func() int
	// Remembers says that what was sent can be fetched; Refused is a number that is refused for having opted out.
	Remembers bool
	// Receive has a message come from outside at a time, of which nobody is notified; nil for what has none.
	Receive func(from, to, body string, at time.Time) (id string)
	Refused string
	// ErrorBody is an error of the vendor's with a code that nobody knows.
	ErrorBody string
}

const from, to = "+12025550160", "+12025550130"

func message() provider.Outgoing {
	return provider.Outgoing{Reference: uuid.NewString(), From: from, To: to, Body: "Near"}
}

func (s Subject) open(t *testing.T) provider.Account {
	t.Helper()
	a, err := s.Provider.Open(provider.Opening{
		Credentials: secret.Hide(s.Credentials), Key: "account", StatusURL: "https://x.example/s", MessageURL: "https://x.example/m",
	})
	require.NoError(t, err)

	return a
}

// refusal is an error as one of the port.
func refusal(t *testing.T, err error) *provider.Error {
	t.Helper()
	e, ok := errors.AsType[*provider.Error](err)
	require.Truef(t, ok, "%v", err)

	return e
}

// Run runs the contract.
func Run(t *testing.T, newSubject func(t *testing.T) Subject) {
	t.Helper()
	t.Run("takes a message once", func(t *testing.T) { t.Parallel(); testSend(t, newSubject(t)) })
	t.Run("says who has opted out", func(t *testing.T) { t.Parallel(); testOptedOut(t, newSubject(t)) })
	t.Run("buys and releases twice as once", func(t *testing.T) { t.Parallel(); testNumbers(t, newSubject(t)) })
	t.Run("promises nothing that it does not know", func(t *testing.T) { t.Parallel(); testUncertainOutcomes(t, newSubject(t)) })
	t.Run("lists what came from outside", func(t *testing.T) { t.Parallel(); testFetchInbound(t, newSubject(t)) })
	t.Run("ends with its context", func(t *testing.T) { t.Parallel(); testCancellation(t, newSubject(t)) })
}

func testSend(t *testing.T, s Subject) {
	t.Helper()
	a := s.open(t)
	require.NoError(t, a.Health(t.Context()))
	m := message()
	got, err := a.Send(t.Context(), m)
	require.NoError(t, err)
	require.NotEmpty(t, got.ID)
	require.Equal(t, provider.Sending, got.Status)
	if s.Remembers {
		u, err := a.Fetch(t.Context(), got.ID)
		require.NoError(t, err)
		require.Equal(t, got.ID, u.ID)
		_, err = a.Fetch(t.Context(), "none")
		require.Equal(t, provider.NotFound, refusal(t, err).Reason)
	}
	if s.Provider.Capabilities().Finds {
		found, complete, err := a.Find(t.Context(), provider.Search{From: from, To: to, Body: m.Body, Since: time.Unix(0, 0)})
		require.NoError(t, err)
		require.False(t, complete)
		require.Equal(t, got.ID, found[0].ID)
		found, _, err = a.Find(t.Context(), provider.Search{From: from, To: to, Body: "another", Since: time.Unix(0, 0)})
		require.NoError(t, err)
		require.Empty(t, found)
	}
}

func testFetchInbound(t *testing.T, s Subject) {
	t.Helper()
	if s.Receive == nil {
		return
	}
	a, now := s.open(t), clock.System{}.Now().Truncate(time.Second)
	s.Receive(to, from, "before", now.Add(-time.Hour))
	known := s.Receive(to, from, "known", now)
	want := s.Receive(to, from, "new", now.Add(time.Second))
	s.Receive(to, "+12025550161", "to another number", now)
	_, err := a.Send(t.Context(), message())
	require.NoError(t, err)
	got, err := a.FetchInbound(t.Context(), provider.Missed{To: from, Since: now.Add(-time.Minute), Known: func(_ context.Context, id string) (bool, error) {
		return id == known, nil
	}})
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, provider.Inbound{ID: want, From: to, To: from, Body: "new", Segments: 1, At: now.Add(time.Second).UTC()}, got[0])
}

func testOptedOut(t *testing.T, s Subject) {
	t.Helper()
	m := message()
	m.To = s.Refused
	_, err := s.open(t).Send(t.Context(), m)
	require.Equal(t, provider.OptedOut, refusal(t, err).Reason)
	require.Equal(t, provider.No, refusal(t, err).Taken)
	require.False(t, refusal(t, err).Retryable)
}

func testNumbers(t *testing.T, s Subject) {
	t.Helper()
	a := s.open(t)
	found, err := a.Search(t.Context(), provider.NumberQuery{Country: "US", AreaCode: "202", SMS: true, Limit: 3})
	require.NoError(t, err)
	require.Len(t, found, 3)
	require.True(t, found[0].Features.SMS)
	for range 2 {
		o, err := a.Buy(t.Context(), found[0].Number)
		require.NoError(t, err)
		require.Equal(t, found[0].Number, o.Number)
		require.True(t, o.Features.SMS)
	}
	_, err = a.Buy(t.Context(), "+12025550199")
	require.Equal(t, provider.NumberNotAvailable, refusal(t, err).Reason)
	require.Equal(t, provider.No, refusal(t, err).Taken)
	all, err := a.List(t.Context())
	require.NoError(t, err)
	if s.Fail != nil {
		require.Len(t, all, 1)
	}
	for range 2 {
		require.NoError(t, a.Release(t.Context(), all[0]))
	}
}

func testUncertainOutcomes(t *testing.T, s Subject) {
	t.Helper()
	if s.Fail == nil {
		return
	}
	tests := map[string]struct {
		fault     smstest.Fault
		taken     provider.Taken
		reason    provider.Reason
		retryable bool
		after     time.Duration
	}{
		"429":             {smstest.Fault{Status: 429, Header: map[string]string{"Retry-After": "7"}, Body: "slow"}, provider.No, provider.RateLimited, true, 7 * time.Second},
		"429 for years":   {smstest.Fault{Status: 429, Header: map[string]string{"Retry-After": "99999999"}}, provider.No, provider.RateLimited, true, time.Hour},
		"revoked":         {smstest.Fault{Status: 401, Body: "no"}, provider.No, provider.Auth, false, 0},
		"unknown code":    {smstest.Fault{Status: 400, Body: s.ErrorBody}, provider.No, provider.UnknownReason, false, 0},
		"a proxy's 400":   {smstest.Fault{Status: 400, Body: "<html>", Takes: true}, provider.Unknown, provider.ProviderDown, false, 0},
		"500":             {smstest.Fault{Status: 500, Body: "oops", Takes: true}, provider.Unknown, provider.ProviderDown, true, 0},
		"500 with a code": {smstest.Fault{Status: 503, Body: s.ErrorBody, Takes: true}, provider.Unknown, provider.ProviderDown, true, 0},
		"dropped":         {smstest.Fault{Drops: true, Takes: true}, provider.Unknown, provider.ProviderDown, true, 0},
		"cut off":         {smstest.Fault{Cuts: true, Takes: true}, provider.Unknown, provider.ProviderDown, true, 0},
		"not JSON":        {smstest.Fault{Status: 201, Body: `{"sid": `, Takes: true}, provider.Unknown, provider.ProviderDown, true, 0},
		"without an id":   {smstest.Fault{Status: 201, Body: `{"data": {}}`, Takes: true}, provider.Unknown, provider.ProviderDown, false, 0},
		"a redirect":      {smstest.Fault{Status: 302, Header: map[string]string{"Location": "https://example.com"}}, provider.Unknown, provider.ProviderDown, false, 0},
	}
	a := s.open(t)
	for name, test := range tests {
		before := s.Taken()
		s.Fail(test.fault)
		_, err := a.Send(t.Context(), message())
		e := refusal(t, err)
		require.Equal(t, test.taken, e.Taken, name)
		require.Equal(t, test.reason, e.Reason, name)
		require.Equal(t, test.retryable, e.Retryable, name)
		require.InDelta(t, test.after.Seconds(), e.RetryAfter.Seconds(), 2, name)
		require.LessOrEqual(t, s.Taken(), before+1, name+": never sent twice")
		for _, credential := range s.Credentials {
			require.NotContains(t, e.Error()+e.Detail, credential, name)
		}
	}
	s.Fail(smstest.Fault{Status: http.StatusServiceUnavailable})
	require.NoError(t, a.Health(t.Context()), "what changes nothing is asked again")
}

func testCancellation(t *testing.T, s Subject) {
	t.Helper()
	if s.Fail == nil {
		return
	}
	s.Fail(smstest.Fault{Hangs: time.Minute, Takes: true})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := s.open(t).Send(ctx, message())
	require.Equal(t, provider.Unknown, refusal(t, err).Taken)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	gone, stop := context.WithCancel(t.Context())
	stop()
	_, err = s.open(t).Send(gone, message())
	require.Equal(t, provider.No, refusal(t, err).Taken, "nothing of it was sent")
}
