package outbound

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"time"
)

// userAgent is what calls say they come from.
const userAgent = "dispatchd"

// Do makes a call, and repeats it as it allows. Any status is an answer, a redirect too: none is
// followed. Errors are of type *Error.
func (c *Client) Do(ctx context.Context, call Call) (Answer, error) {
	u, err := c.guard.check(call.URL)
	if err != nil {
		return Answer{}, c.refused(BlockedURL, err)
	}
	if err := call.check(); err != nil {
		return Answer{}, c.refused(BadRequest, err)
	}
	for attempt := 1; ; attempt++ {
		answer, failure := c.attempt(ctx, call, u, attempt)
		answer.Attempts = attempt
		pause, again := c.shouldRepeat(call.Repeat, answer, failure, attempt)
		if !again || !wait(ctx, pause) {
			if failure != nil {
				failure.Client = c.spec.Name

				return Answer{}, failure
			}

			return answer, nil
		}
	}
}

func (c *Client) refused(why Reason, err error) *Error {
	return &Error{Client: c.spec.Name, Outcome: NotSent, Reason: why, Detail: err.Error()}
}

// shouldRepeat decides whether a call is made once more, and after which pause. The pause is left to chance
// between nothing and a bound that doubles ("full jitter"), but no shorter than the other side asks.
func (c *Client) shouldRepeat(r Repeat, answer Answer, failure *Error, attempt int) (time.Duration, bool) {
	s := c.network.settings
	if attempt > s.Retries || !mayRepeat(r, answer, failure) {
		return 0, false
	}
	bound := min(s.RetryPause<<(attempt-1), s.MaxRetryPause)
	pause := rand.N(bound + 1) //nolint:gosec // chance, no secret
	if failure == nil {
		if asked, ok := RetryAfter(answer.Header, c.network.clock.Now()); ok {
			pause = max(pause, asked)
		}
	}

	return pause, pause <= s.MaxRetryPause
}

func mayRepeat(r Repeat, answer Answer, failure *Error) bool {
	if failure == nil {
		return slices.Contains(r.Statuses, answer.Status)
	}
	switch failure.Reason {
	case Canceled, BreakerOpen, BlockedAddress, TooLong:
		return false
	default:
		return failure.Outcome == NotSent && r.NotSent || failure.Outcome == Unknown && r.Unknown
	}
}

// wait waits, and reports whether there is time left for another attempt.
func wait(ctx context.Context, d time.Duration) bool {
	if ends, ok := ctx.Deadline(); ok && time.Until(ends) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// attempt makes the request once, through the breaker.
func (c *Client) attempt(ctx context.Context, call Call, u *url.URL, n int) (answer Answer, failure *Error) {
	b := c.breakers.breakerOf(u.Host, call.Key)
	ctx, done := c.network.seen.attempt(ctx, c, call, u, n)
	defer func() { done(answer, failure) }()
	if failure = enterBreaker(b, c.network.clock.Now()); failure != nil {
		return Answer{}, failure
	}
	defer func() { reportToBreaker(b, answer, failure) }()

	return c.send(ctx, call, u)
}

// send makes the request once.
func (c *Client) send(ctx context.Context, call Call, u *url.URL) (Answer, *Error) {
	timed, cancel := context.WithTimeout(ctx, c.spec.Timeout)
	defer cancel()
	p := &progress{once: !call.Repeat.Unknown}
	request, err := http.NewRequestWithContext(
		httptrace.WithClientTrace(timed, p.trace()), call.Method, u.String(), bytes.NewReader(call.Body))
	if err != nil {
		return Answer{}, c.refused(BadRequest, errors.New("the request cannot be made"))
	}
	for name, values := range call.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	if _, set := request.Header["User-Agent"]; !set {
		request.Header.Set("User-Agent", userAgent)
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return Answer{}, attemptError(timed, err, p)
	}
	defer func() { _ = response.Body.Close() }() //nolint:errcheck // it has been read, or is given up

	return c.read(timed, response, p)
}

// read reads the answer.
func (c *Client) read(ctx context.Context, response *http.Response, p *progress) (Answer, *Error) {
	text, err := io.ReadAll(io.LimitReader(response.Body, c.spec.MaxAnswer+1))
	if err != nil {
		failure := attemptError(ctx, err, p)
		failure.Outcome, failure.Status = Unknown, response.StatusCode

		return Answer{}, failure
	}
	if int64(len(text)) > c.spec.MaxAnswer {
		return Answer{}, &Error{Outcome: Answered, Reason: TooLong, Status: response.StatusCode}
	}

	return Answer{Status: response.StatusCode, Header: response.Header, Body: text}, nil
}
