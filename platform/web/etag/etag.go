// Package etag reads, makes and compares entity tags (RFC 9110, 8.8.3).
package etag

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

// Of is a strong entity tag (RFC 9110, 8.8.3).
func Of(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// NotModified is the answer for a GET whose If-None-Match has the tag, nil otherwise. Weak tags do
// match here, and what cannot be read matches nothing (RFC 9110, 13.1.2).
func NotModified(ifNoneMatch, tag string) error {
	tags, ok := Parse(ifNoneMatch)
	if !ok {
		return nil
	}
	for _, known := range tags {
		if known == "*" || strings.TrimPrefix(known, "W/") == tag {
			return &httperror.Error{Status: http.StatusNotModified, Headers: http.Header{"Etag": {tag}}}
		}
	}

	return nil
}

// Parse reads a list of entity tags, or "*" by itself. A comma may stand inside a tag.
func Parse(header string) (tags []string, ok bool) {
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
