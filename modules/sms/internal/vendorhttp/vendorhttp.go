// Package vendorhttp turns what became of a call to a vendor's API into the errors of the port. What one of them
// promises decides whether a message is handed over again, so a vendor says of no more than it is sure of that it
// was not taken.
package vendorhttp

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// Said is what a vendor's error says, in its own words; the zero value if it could not be read.
type Said struct{ Code, Detail string }

// Meaning is what a vendor's code means. Again says that the same call may succeed later.
type Meaning struct {
	Reason provider.Reason
	Again  bool
}

// Dialect is how a vendor says what went wrong.
type Dialect struct {
	// Read reads the body of an answer that is not 2xx.
	Read func(body []byte) Said
	// Means returns the meaning of a code; false if it is not known.
	Means func(code string) (Meaning, bool)
}

// Error is the error of the port for a call's, nil for nil. Nothing of the request is in it, and of the answer only
// what the vendor says of it.
//
//   - What has not left this process was not taken, and can be tried again.
//   - 429 and 401 were not taken, and neither was another 4xx with a code of the vendor.
//   - Of all else nobody knows: time-outs, 5xx, broken or unreadable answers, 4xx of who knows which proxy.
func (d Dialect) Error(err error, now time.Time) error {
	if err == nil {
		return nil
	}
	failure, ok := errors.AsType[*outbound.Error](err)
	if !ok {
		return &provider.Error{Reason: provider.ProviderDown, Cause: err}
	}
	e := &provider.Error{Reason: provider.ProviderDown, Cause: err}
	e.RetryAfter = failure.RetryAfter(now)
	switch {
	case failure.Outcome == outbound.NotSent:
		e.Taken, e.Retryable = provider.No, failure.Reason != outbound.BadRequest
	case failure.Reason == outbound.BadStatus:
		d.answered(e, failure)
	default:
		e.Retryable = true
	}

	return e
}

func (d Dialect) answered(e *provider.Error, failure *outbound.Error) {
	said := d.Read(failure.Answer.Body)
	e.Code, e.Detail = readableText(said.Code), readableText(said.Detail)
	meaning, known := d.Means(e.Code)
	if known {
		e.Reason, e.Retryable = meaning.Reason, meaning.Again
	}
	switch {
	case failure.Status == http.StatusTooManyRequests:
		e.Reason, e.Taken, e.Retryable = provider.RateLimited, provider.No, true
	case failure.Status == http.StatusUnauthorized:
		e.Reason, e.Taken, e.Retryable = provider.Auth, provider.No, false
	case failure.Status >= 400 && failure.Status < 500 && e.Code != "":
		e.Taken = provider.No
		if !known {
			e.Reason = byStatus(failure.Status)
		}
	case failure.Status >= 500:
		e.Reason, e.Retryable = provider.ProviderDown, true
	}
}

func byStatus(status int) provider.Reason {
	switch status {
	case http.StatusForbidden:
		return provider.DestinationRefused
	case http.StatusNotFound:
		return provider.NotFound
	case http.StatusPaymentRequired:
		return provider.InsufficientFunds
	default:
		return provider.UnknownReason
	}
}

// Unreadable is the error of an answer of 2xx that does not say what it has to: what was asked for was probably done.
func Unreadable() error {
	return &provider.Error{Reason: provider.ProviderDown, Detail: "The answer has no id."}
}

// readableText is a text that both databases can keep, and a person can read.
func readableText(text string) string {
	const most = 500
	text = StorableText(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}

	return text
}

// StorableText is a text without what databases cannot keep.
func StorableText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "")
}

// Text is a text or a number of JSON, as a text: vendors change their minds.
type Text string

// UnmarshalJSON implements json.Unmarshaler. What is neither is "".
func (t *Text) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*t = Text(StorableText(text))

		return nil
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		*t = Text(number)
	}

	return nil
}

// IsLink reports whether a text is the address of a file.
func IsLink(text string) bool {
	const most = 2048
	u, err := url.Parse(text)

	return err == nil && len(text) <= most && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}

// IsNotFound reports whether a vendor does not know what was asked for.
func IsNotFound(err error) bool {
	refusal, ok := errors.AsType[*provider.Error](err)

	return ok && refusal.Reason == provider.NotFound
}
