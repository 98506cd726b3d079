package stream

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

// ErrRange is the answer to a Range of which the file has nothing.
var ErrRange = errs.New(errs.Invalid, "web.range_not_satisfiable", "The requested range is outside of the file.")

// part is what is sent of a stream.
type part struct {
	// length is -1 if it is not known.
	first, length int64
	partial       bool
}

// part decides how much of the stream is sent (RFC 9110, 14). A Range that is none, has several
// parts, or is meant for another version is ignored, as the standard allows.
func (s *Stream) part(r Request) (part, error) {
	whole := part{length: s.size}
	header := r.Header("Range")
	if s.source == nil || header == "" || r.Method != http.MethodGet || !s.ifRangeMatches(r.Header("If-Range")) {
		return whole, nil
	}
	first, last, ok := parseRange(header, s.size)
	if !ok {
		return whole, nil
	}
	if first >= s.size || first > last {
		body := httperror.New(ErrRange.WithDetail("size", s.size), r.ID)
		body.Status = http.StatusRequestedRangeNotSatisfiable
		body.Headers.Set("Content-Range", "bytes */"+strconv.FormatInt(s.size, 10))

		return part{}, body
	}

	return part{first: first, length: min(last, s.size-1) - first + 1, partial: true}, nil
}

// ifRangeMatches reports whether an If-Range is for this version. Only exact matches count.
func (s *Stream) ifRangeMatches(ifRange string) bool {
	if ifRange == "" || ifRange == s.tag {
		return true
	}
	at, err := http.ParseTime(ifRange)

	return err == nil && !s.modified.IsZero() && at.Equal(s.modified)
}

// parseRange reads a range of bytes. Last may lie behind the end, and first too: that is nothing.
func parseRange(header string, size int64) (first, last int64, ok bool) {
	unit, set, found := strings.Cut(header, "=")
	from, to, dash := strings.Cut(strings.TrimSpace(set), "-")
	if !found || !dash || !strings.EqualFold(strings.TrimSpace(unit), "bytes") || strings.Contains(set, ",") {
		return 0, 0, false
	}
	if from == "" {
		n, ok := parsePosition(to)

		return nonEmptySuffix(n, size), size - 1, ok
	}
	first, ok = parsePosition(from)
	if !ok || to == "" {
		return first, size - 1, ok
	}
	last, ok = parsePosition(to)

	return first, last, ok && last >= first
}

// nonEmptySuffix is where the last n bytes begin; the last 0 bytes are nowhere.
func nonEmptySuffix(n, size int64) int64 {
	if n == 0 {
		return size
	}

	return max(0, size-n)
}

// parsePosition reads digits, and nothing else.
func parsePosition(text string) (int64, bool) {
	n, err := strconv.ParseUint(text, 10, 63)

	return int64(n), err == nil
}

// copy returns what writes the part of a source.
func (p part) copy(source io.ReadSeeker) func(context.Context, io.Writer) error {
	return func(ctx context.Context, w io.Writer) error {
		if _, err := source.Seek(p.first, io.SeekStart); err != nil {
			return fmt.Errorf("byte %d of a download: %w", p.first, err)
		}
		_, err := io.CopyN(w, untilEnded{ctx, source}, p.length)

		return err
	}
}

// untilEnded reads until a context ends.
type untilEnded struct {
	ctx    context.Context //nolint:containedctx // of the copy that reads
	source io.Reader
}

// Read implements io.Reader.
func (r untilEnded) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}

	return r.source.Read(p)
}

// disposition names a file (RFC 6266): for all in ASCII and, if that is not the name, as RFC 8187
// has it. What names a place rather than a file is left out.
func disposition(kind, name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '/' || r == '\\' || r == unicode.ReplacementChar {
			return '_'
		}

		return r
	}, name)
	plain := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || r == '%' || r == '"' {
			return '_'
		}

		return r
	}, name)
	text := mime.FormatMediaType(kind, map[string]string{"filename": plain})
	if plain != name {
		extended := mime.FormatMediaType(kind, map[string]string{"filename": name + "é"})
		_, value, _ := strings.Cut(extended, "filename*=")
		text += "; filename*=" + strings.TrimSuffix(value, "%C3%A9")
	}

	return text
}
