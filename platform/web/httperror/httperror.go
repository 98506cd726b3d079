// Package httperror is the one body of all errors of the API, and the failures that any operation may answer with.
package httperror

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// RetryAfter is when to try again after a failure that passes and does not say.
const RetryAfter = 5 * time.Second

// Failures that do not depend on the operation.
var (
	ErrInternal   = errs.New(errs.Internal, "web.internal", "Something went wrong on our side. Please contact the operator of the service with the request id.")
	ErrDeadline   = errs.New(errs.Unavailable, "web.deadline_passed", "The request timed out and may have been partly carried out. Check before you try again.")
	ErrUnreadable = errs.New(errs.Malformed, "web.malformed_request", "The request could not be read.")
	ErrTooSlow    = errs.New(errs.Timeout, "web.request_too_slow", "The request took too long to arrive.")
	ErrHead       = errs.New(errs.TooLarge, "web.headers_too_large", "The request line and headers are too large.")
	ErrTooLarge   = errs.New(errs.TooLarge, "web.body_too_large", "The body is too large.")
	ErrMedia      = errs.New(errs.UnsupportedMedia, "web.unsupported_media", "The media type of the body is not supported.")
	ErrMalformed  = errs.New(errs.Malformed, "web.malformed_json", "The body is not valid JSON.")
	ErrNoBody     = errs.New(errs.Malformed, "web.body_missing", "The request requires a body.")
	// ErrInvalid is the answer to a request whose form is wrong; areas have errors of their own for what only they can know to be
	// wrong.
	ErrInvalid = errs.New(errs.Invalid, "web.invalid", "The given data was invalid.")
)

// Error is the one body of all errors, with the status and headers that belong to it.
type Error struct {
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
	Trace     []TraceEntry        `json:"trace,omitempty"`

	// Status and Headers belong to the answer.
	Status  int         `json:"-"`
	Headers http.Header `json:"-"`
}

// Error implements error.
func (b *Error) Error() string { return b.Code + ": " + b.Message }

// GetStatus implements huma.StatusError.
func (b *Error) GetStatus() int { return b.Status }

// GetHeaders implements huma.HeadersError.
func (b *Error) GetHeaders() http.Header { return b.Headers }

// Schema implements huma.SchemaProvider: the document has the schemas of errors already.
func (*Error) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Ref: "#/components/schemas/ErrorResponse"}
}

// New is the answer for an expected failure of a request.
func New(e *errs.Error, requestID string) *Error {
	body := &Error{
		Message: e.Message, Code: e.Code, Errors: e.Fields, Details: e.Details, RequestID: requestID,
		Status: Status(e.Kind), Headers: http.Header{},
	}
	if body.Status == http.StatusUnprocessableEntity && body.Errors == nil {
		body.Errors = map[string][]string{} // clients read it of every 422
	}
	wait := e.RetryAfter
	if e.Kind == errs.Unavailable {
		wait = cmp.Or(wait, RetryAfter)
	}
	if wait > 0 && e.Kind == errs.TooMany {
		body.Message += " Try again " + errs.In(wait) + "."
	}
	if wait > 0 {
		body.Headers.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}

	return body
}

// statusChecksum is how tus 1.0 answers bytes that are not those of their checksum.
const statusChecksum = 460

// Status returns the HTTP status of a kind of failure.
func Status(kind errs.Kind) int {
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

// TraceEntry is a call in the documented debug body. Class and type are those of a method; a plain
// function has neither.
type TraceEntry struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Class    string `json:"class,omitempty"`
	Type     string `json:"type,omitempty"`
}
