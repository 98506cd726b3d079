package web

import (
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/etag"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

var errStale = errs.New(errs.Stale, "web.stale", "This was changed since you read it.")

// Resource is the output of an operation that answers with one versioned thing. A handler returns
// it as it is, not embedded. A GET answers If-None-Match with 304, a write honours Prefer.
type Resource[T any] struct {
	ETag     string `header:"ETag" doc:"The version of the resource, for If-Match and If-None-Match."`
	Location string `header:"Location" doc:"The path of the resource."`
	Body     T
}

// NewResource answers with body, which has a version and is read at location, a path
// ("/sms/api/v1/numbers/…").
func NewResource[T any](body T, version int64, location string) *Resource[T] {
	return &Resource[T]{ETag: etag.Of(version), Location: location, Body: body}
}

// versioned is an output that is a Resource.
type versioned interface {
	tag() string
	path() string
}

func (r *Resource[T]) tag() string { return r.ETag }

func (r *Resource[T]) path() string { return r.Location }

// IfMatch is an input that may say which version it is meant for. Embed it in the input of a
// write, and call Check with the version that is about to be changed.
type IfMatch struct {
	IfMatch string `header:"If-Match" doc:"The ETag of the version to change. If the resource has changed since, the answer is 412."`
}

// IfVersion is the condition that a resource has a version, 0 for any.
func IfVersion(version int64) IfMatch {
	if version == 0 {
		return IfMatch{}
	}

	return IfMatch{IfMatch: etag.Of(version)}
}

// conditional is an input with IfMatch.
type conditional interface{ Check(current int64) error }

// Check returns errs.Stale, with details.current_version, if the request is meant for another
// version than current, and errs.Invalid if its If-Match cannot be read. Without If-Match, and with
// "*", any version is meant. Weak tags never match (RFC 9110, 13.1.1).
func (m IfMatch) Check(current int64) error {
	if m.IfMatch == "" {
		return nil
	}
	tags, ok := etag.Parse(m.IfMatch)
	if !ok {
		return httperror.ErrInvalid.WithField("If-Match", `If-Match must be * or tags such as "3", separated by commas.`)
	}
	for _, tag := range tags {
		if tag == "*" || etag.Same(tag, etag.Of(current)) {
			return nil
		}
	}

	return errStale.WithMessage("This was changed since you read it: it is at version %d.", current).
		WithDetail("current_version", current)
}

// Optional is a value of an answer that is null where there is none, which is its zero value.
func Optional[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}

	return &value
}
