package handover_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

type reason string

func (reason) Explain() string { return "It did not work." }

type (
	failure = vendorerror.Error[reason]
	result  = handover.Result[reason, string]
)

func TestNext_DecidesByWhatIsKnownOfTheCall(t *testing.T) {
	t.Parallel()
	var (
		down    = &failure{Reason: vendorerror.ProviderDown, Taken: vendorerror.No, Retryable: true}
		limited = &failure{Reason: vendorerror.RateLimited, Taken: vendorerror.No, Retryable: true, RetryAfter: 20 * time.Second}
		refused = &failure{Reason: "bad_number", Taken: vendorerror.No}
		open    = &failure{Reason: vendorerror.ProviderDown, Retryable: true, RetryAfter: time.Second}

		counted  = handover.Policy{Timeout: 20 * time.Second, MaxAttempts: 3, AskFor: time.Hour}
		timed    = handover.Policy{Timeout: 20 * time.Second, RetryFor: time.Hour}
		steady   = handover.Policy{Timeout: 20 * time.Second, RetryFor: time.Hour, RetryPause: 10 * time.Second}
		patient  = handover.Policy{Timeout: 20 * time.Second, MaxAttempts: 3, LimitPause: 30 * time.Second}
		patientH = handover.Policy{Timeout: 20 * time.Second, RetryFor: time.Hour, LimitPause: 30 * time.Second}
	)
	for name, test := range map[string]struct {
		err      *failure
		policy   handover.Policy
		attempts int64
		age      time.Duration
		step     handover.Step
		wait     time.Duration
	}{
		"accepted":                                     {nil, counted, 9, 9 * time.Hour, handover.Accept, 0},
		"refused for good":                             {refused, counted, 1, 0, handover.Refuse, 0},
		"refused for the moment":                       {down, counted, 1, 0, handover.Retry, 2 * time.Second},
		"and again":                                    {down, counted, 2, 9 * time.Hour, handover.Retry, 4 * time.Second},
		"too often":                                    {down, counted, 3, 0, handover.Refuse, 0},
		"the vendor says how long to wait":             {limited, counted, 1, 0, handover.Retry, 20 * time.Second},
		"a rate limit that counts, too often":          {limited, counted, 3, 0, handover.Refuse, 0},
		"a rate limit that does not count":             {limited, patient, 30, 9 * time.Hour, handover.Retry, 30 * time.Second},
		"a rate limit for a time":                      {limited, patientH, 30, 59 * time.Minute, handover.Retry, 30 * time.Second},
		"a rate limit for too long":                    {limited, patientH, 1, time.Hour, handover.Refuse, 0},
		"for a time":                                   {down, timed, 100, 59 * time.Minute, handover.Retry, 5 * time.Minute},
		"always after the same pause":                  {down, steady, 9, 0, handover.Retry, 10 * time.Second},
		"unless the vendor says a longer one":          {limited, steady, 9, 0, handover.Retry, 20 * time.Second},
		"for too long":                                 {down, timed, 0, time.Hour, handover.Refuse, 0},
		"an unknown outcome is asked for":              {open, counted, 1, 59 * time.Minute, handover.Ask, 30 * time.Second},
		"however often it was called":                  {open, counted, 9, 0, handover.Ask, 30 * time.Second},
		"until asking is of no use":                    {open, counted, 1, time.Hour, handover.GiveUp, 0},
		"and never of a vendor that cannot be asked":   {open, timed, 1, 0, handover.GiveUp, 0},
		"an unknown outcome is never called for again": {open, patientH, 1, 0, handover.GiveUp, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step, wait := result{Err: test.err}.Next(test.policy, test.attempts, test.age)
			require.Equal(t, test.step, step)
			require.Equal(t, test.wait, wait)
		})
	}
}

func TestCalled_KnowsARefusalByThePromiseAlone(t *testing.T) {
	t.Parallel()
	require.Equal(t, result{Answer: "M1"}, handover.CallResult[reason]("M1", nil))
	refusal := &failure{Reason: "bad_number", Taken: vendorerror.No}
	require.Same(t, refusal, handover.CallResult[reason]("", error(refusal)).Err)
	lost := errors.New("connection reset")
	r := handover.CallResult[reason]("", lost)
	require.Equal(t, reason(vendorerror.ProviderDown), r.Err.Reason)
	require.Equal(t, vendorerror.Unknown, r.Err.Taken)
	require.ErrorIs(t, r.Err, lost)
}

func TestNoAnswer_IsNoRefusalWhateverTheQuestionWasRefusedWith(t *testing.T) {
	t.Parallel()
	refusal := &failure{Reason: "auth", Taken: vendorerror.No, Code: "401"}
	r := handover.NoAnswer[reason, string](refusal)
	require.Equal(t, &failure{Reason: "auth", Code: "401"}, r.Err)
	require.Equal(t, vendorerror.No, refusal.Taken, "the vendor's error is left as it is")
}

func TestFound_IsTheOneOrNoneOfACompleteAnswer(t *testing.T) {
	t.Parallel()
	policy := handover.Policy{MaxAttempts: 2, AskFor: time.Hour}
	for _, test := range []struct {
		found    []string
		complete bool
		step     handover.Step
	}{
		{[]string{"M1"}, false, handover.Accept},
		{[]string{"M1"}, true, handover.Accept},
		{nil, true, handover.Retry},
		{nil, false, handover.Ask},
		{[]string{"M1", "M2"}, true, handover.Ask},
	} {
		r := handover.SearchResult[reason](test.found, test.complete)
		step, _ := r.Next(policy, 1, 0)
		require.Equal(t, test.step, step, test)
	}
}

func TestInFlight_IsTheTimeOutAndALittle(t *testing.T) {
	t.Parallel()
	p, called := handover.Policy{Timeout: 20 * time.Second}, time.Date(2026, 6, 1, 17, 0, 0, 0, time.UTC)
	require.Equal(t, 30*time.Second, p.InFlight(called, called))
	require.Equal(t, time.Second, p.InFlight(called, called.Add(29*time.Second)))
	require.Zero(t, p.InFlight(called, called.Add(30*time.Second)))
	require.Zero(t, p.InFlight(called, called.Add(time.Hour)))
}
