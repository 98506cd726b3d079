package docusign

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

const (
	// burstPause is how long calls are refused after too many in a moment, hourPause where nobody says until when.
	burstPause    = 30 * time.Second
	throttlePause = 15 * time.Minute
	longestPause  = time.Hour
)

// failure is the error of the port for a call's, nil for nil. Nothing of the request is in it, and of the answer only
// what DocuSign says of it.
//
//   - What has not left this process was not taken, and can be tried again.
//   - What DocuSign refused with a code of its own was not taken.
//   - Of all else nobody knows: time-outs, 5xx, broken or unreadable answers, 4xx of who knows which proxy.
func (p *Provider) failure(err error) error {
	if err == nil {
		return nil
	}
	failure, ok := errors.AsType[*outbound.Error](err)
	if !ok {
		return &provider.Error{Reason: provider.ProviderDown, Cause: err}
	}
	e := &provider.Error{Reason: provider.ProviderDown, Cause: err}
	switch {
	case failure.Outcome == outbound.NotSent:
		e.Taken, e.Retryable = provider.No, true
		if failure.Reason == outbound.BadRequest {
			e.Reason, e.Retryable = provider.Invalid, false
		}
		e.RetryAfter = failure.RetryAfter(p.clock.Now())
	case failure.Reason == outbound.BadStatus:
		p.answered(e, failure)
	case failure.Reason == outbound.TooLong:
		e.Reason, e.Detail = provider.Invalid, "The answer is larger than the service takes."
	default:
		e.Retryable = true
	}

	return e
}

func (p *Provider) answered(e *provider.Error, failure *outbound.Error) {
	var said struct {
		Code    string `json:"errorCode"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(failure.Answer.Body, &said) //nolint:errcheck // what cannot be read says nothing
	e.Code, e.Detail = readableText(strings.ToUpper(said.Code)), readableText(said.Message)
	reason, known := reasonOf(e.Code)
	switch {
	case failure.Status >= http.StatusInternalServerError:
		e.Retryable = true
	case failure.Status == http.StatusTooManyRequests, reason == provider.RateLimited:
		e.Reason, e.Taken, e.Retryable, e.RetryAfter = provider.RateLimited, provider.No, true, p.retryDelay(e.Code, failure)
	case failure.Status == http.StatusUnauthorized:
		e.Reason, e.Taken = provider.Auth, provider.No
	case e.Code == "UNSPECIFIED_ERROR":
		e.Retryable = true
	case failure.Status >= http.StatusBadRequest && e.Code != "":
		e.Reason, e.Taken = byStatus(failure.Status), provider.No
		if known {
			e.Reason = reason
		}
	}
}

// retryDelay is for how long nothing is to be asked.
func (p *Provider) retryDelay(code string, failure *outbound.Error) time.Duration {
	now := p.clock.Now()
	switch {
	case strings.HasPrefix(code, "BURST_"):
		return burstPause
	case code == "API_REQUEST_IS_THROTTLED":
		return throttlePause
	case !failure.RetryAt.IsZero():
		return failure.RetryAfter(now)
	}
	if seconds, err := strconv.ParseInt(failure.Answer.Header.Get("X-Ratelimit-Reset"), 10, 64); err == nil && seconds > 0 {
		return min(max(0, time.Unix(seconds, 0).Sub(now)), longestPause)
	}

	return now.Truncate(time.Hour).Add(time.Hour).Sub(now) // they begin anew with the hour
}

func byStatus(status int) provider.Reason {
	switch status {
	case http.StatusForbidden:
		return provider.Forbidden
	case http.StatusNotFound:
		return provider.NotFound
	case http.StatusConflict:
		return provider.Conflict
	default:
		return provider.Invalid
	}
}

// reasonOf is what a code means, in upper case.
func reasonOf(code string) (provider.Reason, bool) {
	if strings.HasSuffix(code, "_LIMIT_EXCEEDED") && (strings.HasPrefix(code, "HOURLY_") || strings.HasPrefix(code, "BURST_")) {
		return provider.RateLimited, true
	}
	switch code {
	case "API_REQUEST_IS_THROTTLED":
		return provider.RateLimited, true
	case "USER_AUTHENTICATION_FAILED", "AUTHORIZATION_INVALID_TOKEN", "PARTNER_AUTHENTICATION_FAILED":
		return provider.Auth, true
	case "ACCOUNT_LACKS_PERMISSIONS", "USER_LACKS_PERMISSIONS", "USER_DOES_NOT_BELONG_TO_SPECIFIED_ACCOUNT", "ACCOUNT_NOT_AUTHORIZED_FOR_ENVELOPE",
		"USER_NOT_ENVELOPE_SENDER_OR_RECIPIENT", "USER_LACKS_MEMBERSHIP", "USER_NOT_ACCOUNT_ADMIN":
		return provider.Forbidden, true
	case "ENVELOPE_DOES_NOT_EXIST", "RESOURCE_NOT_FOUND", "DOCUMENT_DOES_NOT_EXIST", "TEMPLATE_NOT_FOUND", "TEMPLATE_ID_INVALID":
		return provider.NotFound, true
	case "RECIPIENT_NOT_IN_SEQUENCE", "ENVELOPE_CANNOT_VOID_INVALID_STATE", "ENVELOPE_INVALID_STATUS", "UNKNOWN_ENVELOPE_RECIPIENT",
		"EDIT_LOCK_ENVELOPE_LOCKED", "EDIT_LOCK_NOT_LOCK_OWNER", "RECIPIENT_HAS_SIGNED":
		return provider.Conflict, true
	case "INVALID_REQUEST_PARAMETER", "ENVELOPE_IS_INCOMPLETE":
		return provider.Invalid, true
	default:
		return "", false
	}
}

// needsNewGrant reports whether a call was refused for its token, or because the account is elsewhere by now.
func needsNewGrant(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)

	return ok && e.Taken == provider.No && (e.Reason == provider.Auth || e.Code == "USER_DOES_NOT_BELONG_TO_SPECIFIED_ACCOUNT")
}

// authFailure is the error of the port for one of the server that has the tokens. Nothing else was asked then.
func (p *Provider) authFailure(err error) error {
	e, ok := errors.AsType[*provider.Error](p.failure(err))
	if !ok {
		return err
	}
	e.Taken = provider.No
	failure, ok := errors.AsType[*outbound.Error](err)
	if !ok || failure.Answer == nil || failure.Status >= http.StatusInternalServerError || failure.Status == http.StatusTooManyRequests {
		e.Retryable = true

		return e
	}
	var said struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(failure.Answer.Body, &said) //nolint:errcheck // what cannot be read says nothing
	e.Code, e.Detail = readableText(said.Error), readableText(said.Description)
	switch {
	case said.Error == "consent_required":
		e.Reason = provider.ConsentRequired
	case said.Error == "" && failure.Status != http.StatusUnauthorized:
		e.Retryable = true // a proxy's
	default:
		e.Reason = provider.Auth
	}

	return e
}

// unreadableError is the error of an answer of 2xx that does not say what it has to: what was asked for was probably done.
func unreadableError() error {
	return &provider.Error{Reason: provider.ProviderDown, Detail: "The answer does not say what was made."}
}

// invalidRequest is the error of what DocuSign is not even asked.
func invalidRequest(detail string) error {
	return &provider.Error{Reason: provider.Invalid, Taken: provider.No, Detail: detail}
}

// storableText is a text that both databases can keep.
func storableText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "")
}

// readableText is a text that both databases can keep, and a person can read.
func readableText(text string) string {
	const most = 500
	text = storableText(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}

	return text
}
