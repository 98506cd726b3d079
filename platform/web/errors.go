package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// retryAfter is when to try again after a failure that passes and does not say.
const retryAfter = 5 * time.Second

var (
	errInternal    = errs.New(errs.Internal, "web.internal", "Something went wrong on our side. The request id finds it in our log.")
	errDeadline    = errs.New(errs.Unavailable, "web.deadline_passed", "The request took longer than it may. Nothing says how far it came; please look before you try again.")
	errUnreadable  = errs.New(errs.Malformed, "web.malformed_request", "The request could not be read.")
	errSlowRequest = errs.New(errs.Timeout, "web.request_too_slow", "The request took too long to arrive.")
	errHead        = errs.New(errs.TooLarge, "web.headers_too_large", "The first line and the headers of the request are too large.")
)

// httpError is the one body of all errors, with the status and headers that belong to it.
type httpError struct {
	Message   string              `json:"message"`
	Code      string              `json:"code"`
	Errors    map[string][]string `json:"errors,omitzero"`
	Details   map[string]any      `json:"details,omitempty"`
	RequestID string              `json:"request_id,omitempty"`
	OAuth     string              `json:"error,omitempty"`
	OAuthText string              `json:"error_description,omitempty"`
	Exception string              `json:"exception,omitempty"`
	File      string              `json:"file,omitempty"`
	Line      int                 `json:"line,omitempty"`
	Trace     []traceEntry        `json:"trace,omitempty"`

	status  int
	headers http.Header
}

// Error implements error.
func (b *httpError) Error() string { return b.Code + ": " + b.Message }

// GetStatus implements huma.StatusError.
func (b *httpError) GetStatus() int { return b.status }

// GetHeaders implements huma.HeadersError.
func (b *httpError) GetHeaders() http.Header { return b.headers }

// Schema implements huma.SchemaProvider: the document has the schemas of errors already.
func (*httpError) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Ref: schemaPrefix + schemaOf(0)}
}

// fail turns what a handler, or anything before it, failed with into an answer, and logs what the
// answer does not say. It is the only place where a failure meets HTTP.
func (a *API) fail(ctx context.Context, err error) *httpError {
	if body, ok := errors.AsType[*httpError](err); ok {
		return body
	}
	err = errs.Explained(ctx, err)
	expected, ok := errors.AsType[*errs.Error](err)
	open := !ok || expected.Kind == errs.Unavailable || expected.Kind == errs.Internal
	switch {
	case open && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)):
		a.log.LogAttrs(ctx, slog.LevelWarn, "request passed its deadline", slog.Any("error", err))
		expected = errDeadline
	case !ok || expected.Kind == errs.Internal:
		a.log.LogAttrs(ctx, slog.LevelError, "request failed", slog.Any("error", err))
		expected = errInternal
	case expected.Kind == errs.Unavailable:
		a.log.LogAttrs(ctx, slog.LevelWarn, "request could not be served", slog.Any("error", err))
	}
	body := newHTTPError(ctx, expected)
	challenge(body.headers, err)

	return body
}

// newHTTPError is the answer for an expected failure.
func newHTTPError(ctx context.Context, e *errs.Error) *httpError {
	refusal(ctx, e.Code)
	body := &httpError{
		Message: e.Message, Code: e.Code, Errors: e.Fields, Details: e.Details,
		RequestID: telemetry.RequestID(ctx),
		status:    status(e.Kind), headers: http.Header{},
	}
	if body.status == http.StatusUnprocessableEntity && body.Errors == nil {
		body.Errors = map[string][]string{} // clients read it of every 422
	}
	wait := e.RetryAfter
	if e.Kind == errs.Unavailable {
		wait = cmp.Or(wait, retryAfter)
	}
	if wait > 0 {
		body.headers.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}

	return body
}

// statusChecksum is how tus 1.0 answers bytes that are not those of their checksum.
const statusChecksum = 460

// status returns the HTTP status of a kind of failure.
func status(kind errs.Kind) int {
	switch kind {
	case errs.Malformed:
		return http.StatusBadRequest
	case errs.Unauthenticated:
		return http.StatusUnauthorized
	case errs.Forbidden:
		return http.StatusForbidden
	case errs.NotFound:
		return http.StatusNotFound
	case errs.NotAllowed:
		return http.StatusMethodNotAllowed
	case errs.Timeout:
		return http.StatusRequestTimeout
	case errs.Conflict:
		return http.StatusConflict
	case errs.Gone:
		return http.StatusGone
	case errs.Stale:
		return http.StatusPreconditionFailed
	case errs.TooLarge:
		return http.StatusRequestEntityTooLarge
	case errs.UnsupportedMedia:
		return http.StatusUnsupportedMediaType
	case errs.Invalid:
		return http.StatusUnprocessableEntity
	case errs.Locked:
		return http.StatusLocked
	case errs.TooMany:
		return http.StatusTooManyRequests
	case errs.Corrupted:
		return statusChecksum
	case errs.Unavailable:
		return http.StatusServiceUnavailable
	case errs.Internal:
		return http.StatusInternalServerError
	default:
		return http.StatusInternalServerError
	}
}

// send writes an answer to a request that does not, or does no longer, belong to Huma.
func (a *API) send(c *fiber.Ctx, body *httpError) {
	for name, values := range body.headers {
		for _, value := range values {
			c.Append(name, value)
		}
	}
	c.Status(body.status)
	c.Response().ResetBody()
	c.Set(fiber.HeaderContentType, mediaJSON)
	if err := marshalJSON(c.Context(), body); err != nil {
		a.log.LogAttrs(c.UserContext(), slog.LevelError, "error body not written", slog.Any("error", err))
	}
}
