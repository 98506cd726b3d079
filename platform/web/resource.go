package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/errs"
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
	return &Resource[T]{ETag: etag(version), Location: location, Body: body}
}

// versioned is an output that is a Resource.
type versioned interface{ tag() string }

func (r *Resource[T]) tag() string { return r.ETag }

// etag is a strong entity tag (RFC 9110, 8.8.3).
func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// IfMatch is an input that may say which version it is meant for. Embed it in the input of a
// write, and call Check with the version that is about to be changed.
type IfMatch struct {
	IfMatch string `header:"If-Match" doc:"The ETag of the version that this is meant for. If there is another one by now, the answer is 412."`
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
	tags, ok := entityTags(m.IfMatch)
	if !ok {
		return errInvalid.WithField("If-Match", `The If-Match must be * or tags such as "3", separated by commas.`)
	}
	for _, tag := range tags {
		if tag == "*" || tag == etag(current) {
			return nil
		}
	}

	return errStale.WithMessage("This was changed since you read it: it is at version %d.", current).
		WithDetail("current_version", current)
}

// notModified is the answer for a GET whose If-None-Match has the tag, nil otherwise. Weak tags do
// match here, and what cannot be read matches nothing (RFC 9110, 13.1.2).
func notModified(ifNoneMatch, tag string) error {
	tags, ok := entityTags(ifNoneMatch)
	if !ok {
		return nil
	}
	for _, known := range tags {
		if known == "*" || strings.TrimPrefix(known, "W/") == tag {
			return &httpError{status: http.StatusNotModified, headers: http.Header{"Etag": {tag}}}
		}
	}

	return nil
}

// entityTags reads a list of entity tags, or "*" by itself. A comma may stand inside a tag.
func entityTags(header string) (tags []string, ok bool) {
	rest := strings.TrimSpace(header)
	if rest == "*" {
		return []string{"*"}, true
	}
	for rest != "" {
		weak := strings.HasPrefix(rest, "W/")
		rest = strings.TrimPrefix(rest, "W/")
		if !strings.HasPrefix(rest, `"`) {
			return nil, false
		}
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 {
			return nil, false
		}
		tag := rest[:end+2]
		if weak {
			tag = "W/" + tag
		}
		tags = append(tags, tag)
		rest = strings.TrimSpace(rest[end+2:])
		next, comma := strings.CutPrefix(rest, ",")
		if rest != "" && !comma {
			return nil, false
		}
		rest = strings.TrimSpace(next)
	}

	return tags, len(tags) > 0
}

// Optional is a value of an answer that is null where there is none, which is its zero value.
func Optional[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}

	return &value
}
