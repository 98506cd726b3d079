// Package etag reads, makes and compares entity tags (RFC 9110, 8.8.3).
package etag

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/web/coding"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

// Of is a strong entity tag (RFC 9110, 8.8.3).
func Of(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// Coded is the tag of a representation in a content coding: "5" becomes "5-gzip". Strong tags differ between codings (RFC 9110, 8.8.3.3);
// a weak one stays.
func Coded(tag, as string) string {
	if plain, strong := strings.CutSuffix(tag, `"`); strong && !strings.HasPrefix(tag, "W/") {
		return plain + "-" + as + `"`
	}

	return tag
}

// Same reports whether a strong tag from a client is tag, in whatever coding the client got it.
func Same(known, tag string) bool {
	if known == tag {
		return true
	}

	return known == Coded(tag, coding.Gzip) || known == Coded(tag, coding.Zstd)
}

// Known returns which tag of an If-None-Match is of the same version as tag: "*" is tag itself. Weak tags do match here, and what
// cannot be read matches nothing (RFC 9110, 13.1.2).
func Known(ifNoneMatch, tag string) (known string, ok bool) {
	tags, readable := Parse(ifNoneMatch)
	if !readable {
		return "", false
	}
	for _, known := range tags {
		if known == "*" {
			return tag, true
		}
		if strong := strings.TrimPrefix(known, "W/"); Same(strong, tag) {
			return strong, true
		}
	}

	return "", false
}

// NotModified is the answer for a GET whose If-None-Match has the tag, nil otherwise. The answer has the tag that the client has.
func NotModified(ifNoneMatch, tag string) error {
	if known, ok := Known(ifNoneMatch, tag); ok {
		return &httperror.Error{Status: http.StatusNotModified, Headers: http.Header{"Etag": {known}}}
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
