package outbound

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/textproto"
	"strconv"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Call is a request. It prints without its address, header and body.
type Call struct {
	Method, URL string
	Header      http.Header
	Body        []byte
	// Key is whose breaker it is beside the host's, such as the id of a vendor's account: one account
	// that fails leaves the others alone.
	Key string
	// Repeat says when Do may repeat it.
	Repeat Repeat
}

// Repeat says after what a call may be made again. The zero value is never.
type Repeat struct {
	// NotSent repeats what has not left this process.
	NotSent bool
	// Statuses are those with which this vendor says that it did not take the request, such as 429.
	Statuses []int
	// Unknown repeats also what may have been taken: for calls that do the same once and twice, such as
	// a GET, or those with a key by which the vendor knows repetitions.
	Unknown bool
}

// RepeatIdempotent is the Repeat of a call that does the same once and twice.
func RepeatIdempotent() Repeat {
	return Repeat{NotSent: true, Unknown: true, Statuses: []int{
		http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}}
}

// Answer is what the other side said, whatever its status. It prints as its status and length.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Attempts is how often the request was made, 1 or more.
	Attempts int
}

// OK reports a status of 2xx.
func (a Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

// Format implements fmt.Formatter.
func (a Answer) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprintf(state, "answer %d of %d bytes", a.Status, len(a.Body)) //nolint:errcheck // fmt gives a formatter no way to return an error
}

// LogValue implements slog.LogValuer.
func (a Answer) LogValue() slog.Value { return slog.IntValue(a.Status) }

// Format implements fmt.Formatter.
func (c Call) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprintf(state, "call %q of %d bytes", c.Method, len(c.Body)) //nolint:errcheck // fmt gives a formatter no way to return an error
}

// LogValue implements slog.LogValuer.
func (c Call) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(c)) }

// check reports what the transport would refuse, or change in silence.
func (c Call) check() error {
	if !httpguts.ValidHeaderFieldName(c.Method) {
		return errors.New("the method cannot be sent")
	}
	for name, values := range c.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return errors.New("a name in the header cannot be sent")
		}
		if isReservedHeader(name) {
			return fmt.Errorf("the caller cannot set the header %s", textproto.CanonicalMIMEHeaderKey(name))
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return errors.New("a value in the header cannot be sent")
			}
		}
	}

	return nil
}

// isReservedHeader reports headers that belong to the connection.
func isReservedHeader(name string) bool {
	switch textproto.CanonicalMIMEHeaderKey(name) {
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection",
		"Proxy-Authorization", "Te", "Trailer", "Upgrade", "Expect":
		return true
	default:
		return false
	}
}

// RetryAfter reads the header Retry-After (RFC 9110, 10.2.3), in seconds or as a date, and returns how
// long from now on it asks to wait; false if it is not there or cannot be read.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	const most = 10 * 365 * 24 * time.Hour
	text := textproto.TrimString(h.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int64(most/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}

	return min(max(0, at.Sub(now)), most), true
}
