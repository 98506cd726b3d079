package outbound

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// Outcome is what became of a call.
type Outcome string

// The outcomes.
const (
	// NotSent says that nothing of the request left this process: it is safe to make the call again.
	NotSent Outcome = "not_sent"
	// Unknown says that some of the request was sent and that its answer did not come: it may have been
	// taken.
	Unknown Outcome = "unknown"
	// Answered says that there is an answer, which is not what was asked for.
	Answered Outcome = "answered"
)

// Reason says why.
type Reason string

// The reasons.
const (
	BlockedURL     Reason = "blocked_url"     // the address is not allowed
	BlockedAddress Reason = "blocked_address" // its host is not public
	BadRequest     Reason = "bad_request"     // the call cannot be made
	NotAuthorized  Reason = "no_credentials"  // the callback that has them failed
	NoName         Reason = "dns"             // the name of the host could not be resolved
	NoConnection   Reason = "connect"         // nobody listens, or no way leads there
	NoTLS          Reason = "tls"             // the certificate is wrong, or TLS was not agreed on
	BreakerOpen    Reason = "breaker_open"    // the host failed too often, see Error.RetryAt
	Canceled       Reason = "canceled"        // the caller gave up
	TimedOut       Reason = "timeout"         // a time-out passed
	Broken         Reason = "broken"          // the connection broke, or the answer cannot be read
	TooLong        Reason = "answer_too_long" // the answer has more bytes than the client takes
	NotJSON        Reason = "answer_not_json" // the answer is not of the expected form
	BadStatus      Reason = "status"          // the status is not 2xx
)

// Error is what Do and API.Call return. It never holds the address, a header or a body.
type Error struct {
	Client  string
	Outcome Outcome
	Reason  Reason
	// Detail is a few words for people who operate the service, "" if there are none.
	Detail string
	// Status is that of the answer, 0 if none came. With Unknown, the answer broke off after it.
	Status int
	// RetryAt is when the call may be tried again; zero if nobody said.
	RetryAt time.Time
	// Answer is the whole answer, where Reason is BadStatus or NotJSON. Its body is the vendor's text.
	Answer *Answer

	cause error
}

// Error implements error.
func (e *Error) Error() string {
	text := "outbound"
	if e.Client != "" {
		text += " " + e.Client
	}
	text += ": " + string(e.Outcome) + ": " + string(e.Reason)
	if e.Status != 0 {
		text += " " + strconv.Itoa(e.Status)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}

	return text
}

// longestWait is how long a vendor may ask to be left alone; who asks for more is asked again all the same.
const longestWait = time.Hour

// RetryAfter is for how long the call is not to be tried again, an hour at most; 0 if nobody said.
func (e *Error) RetryAfter(now time.Time) time.Duration {
	if e.RetryAt.IsZero() {
		return 0
	}

	return min(max(0, e.RetryAt.Sub(now)), longestWait)
}

// Unwrap returns context.Canceled, context.DeadlineExceeded or the error of an Authorize, nil else.
func (e *Error) Unwrap() error { return e.cause }

// LogValue implements slog.LogValuer.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// OutcomeOf returns the outcome of the call that ended with err: Answered if it is nil. An error of
// another package is Unknown, to be on the safe side.
func OutcomeOf(err error) Outcome {
	if err == nil {
		return Answered
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Outcome
	}

	return Unknown
}

// attemptError makes the error of an attempt without an answer.
func attemptError(ctx context.Context, err error, p *progress) *Error {
	e := &Error{Outcome: Unknown}
	if !p.sent() {
		e.Outcome = NotSent
	}
	e.Reason, e.Detail = reasonOf(err, p)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Reason, e.Detail, e.cause = Canceled, "", context.Canceled
	case e.Reason == TimedOut || ctx.Err() != nil:
		e.Reason, e.cause = TimedOut, context.DeadlineExceeded
	}

	return e
}

// reasonOf sorts an error of net/http. Its text may quote the address or the answer, and is not kept.
func reasonOf(err error, p *progress) (Reason, string) {
	if errors.Is(err, errBlockedAddress) {
		return BlockedAddress, errBlockedAddress.Error()
	}
	op, _ := errors.AsType[*net.OpError](err)
	timeout, isTimeout := errors.AsType[net.Error](err)
	late := isTimeout && timeout.Timeout() || errors.Is(err, os.ErrDeadlineExceeded)
	switch {
	case op != nil && op.Op == "lookup":
		detail := "the name could not be resolved"
		if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
			detail = "there is no such name"
		}

		return NoName, detail
	case late:
		return TimedOut, ""
	case op != nil && op.Op == "dial":
		return NoConnection, errnoOf(err)
	case p.inTLS():
		return NoTLS, printableText(err.Error())
	default:
		return Broken, errnoOf(err)
	}
}

func errnoOf(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}

	return ""
}

// printableText bounds a text that may quote a stranger's certificate.
func printableText(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}

		return ' '
	}, text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}

	return text
}
