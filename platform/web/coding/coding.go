// Package coding compresses answers, in the content coding that a client asks for (RFC 9110, 8.4 and 12.5.3).
package coding

import (
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The content codings that the service answers in. The names are those of Accept-Encoding.
const (
	Gzip = "gzip"
	Zstd = "zstd"
)

// Threshold is the size from which on answers are compressed, in bytes: less would hardly get smaller.
const Threshold = 1 << 10

// window is how far back zstd looks, in bytes. It takes that much memory for each answer that is being written.
const window = 512 << 10

// Accepted returns the best of some codings that an Accept-Encoding takes, "" for none of them. The first is the best of those that are
// as welcome as each other.
func Accepted(header string, codings ...string) (best string) {
	var most float64
	for _, coding := range codings {
		if weight := weightOf(header, coding); weight > most {
			most, best = weight, coding
		}
	}
	if identity, named := weightOfEntry(header, "identity"); named && identity > most {
		return ""
	}

	return best
}

// weightOf is how welcome a coding is; "*" stands for those that are not named.
func weightOf(header, coding string) float64 {
	if weight, named := weightOfEntry(header, coding); named {
		return weight
	}
	weight, _ := weightOfEntry(header, "*")

	return weight
}

func weightOfEntry(header, coding string) (weight float64, named bool) {
	for entry := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(entry, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != coding && (coding != Gzip || name != "x-gzip") {
			continue
		}
		key, value, weighted := strings.Cut(strings.TrimSpace(parameters), "=")
		if !weighted || !strings.EqualFold(strings.TrimSpace(key), "q") {
			return 1, true
		}
		if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && q >= 0 && q <= 1 {
			return q, true
		}

		return 0, true
	}

	return 0, false
}

// Text reports whether a media type is text, which gets smaller: JSON, CSV, HTML and the like, but not a stream of events, which is
// never whole.
func Text(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	switch {
	case media == "text/event-stream":
		return false
	case strings.HasPrefix(media, "text/"), strings.HasSuffix(media, "+json"), strings.HasSuffix(media, "+xml"):
		return true
	}
	switch media {
	case "application/json", "application/x-ndjson", "application/xml", "application/javascript", "application/manifest+json":
		return true
	}

	return false
}

// Writer compresses what is written to it. Close ends the text.
type Writer interface {
	io.WriteCloser
	// Flush has all that was written be read by the other side.
	Flush() error
}

// Pool lends Writers, whose tables take hundreds of kilobytes. Its zero value is ready.
type Pool struct{ gzip, zstd sync.Pool }

// pooled gives itself back when it is closed.
type pooled struct {
	Writer

	pool *sync.Pool
}

type resettable interface {
	Writer
	Reset(to io.Writer)
}

// NewWriter returns what compresses in one of the codings. It must be closed.
func (p *Pool) NewWriter(to io.Writer, coding string) Writer {
	from := &p.gzip
	if coding == Zstd {
		from = &p.zstd
	}
	writer, _ := from.Get().(resettable)
	if writer == nil {
		writer = newWriter(coding)
	}
	writer.Reset(to)

	return &pooled{Writer: writer, pool: from}
}

// newWriter makes a writer. The only failures of both are options that do not exist.
func newWriter(coding string) resettable {
	if coding == Zstd {
		writer, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true)) //nolint:errcheck // see above

		return writer
	}
	writer, _ := gzip.NewWriterLevel(nil, gzip.DefaultCompression) //nolint:errcheck // see above

	return writer
}

// Close implements io.Closer.
func (w *pooled) Close() error {
	err := w.Writer.Close()
	if writer, ok := w.Writer.(resettable); ok {
		writer.Reset(nil)
		w.pool.Put(writer)
	}

	return err
}
