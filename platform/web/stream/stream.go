// Package stream answers bit by bit, after the handler returned: exports, files, and what lasts for as long as the client listens.
package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/web/coding"
	"github.com/dispatchd/dispatchd/platform/web/etag"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// mediaLines is JSON, a value a line.
const mediaLines = "application/x-ndjson"

// Stream is the output of an operation whose answer is written bit by bit after the handler
// returned: an export, a file. The handler makes it with New, Lines or NewDownload, and the
// operation declares its media types in Operation.Produces.
type Stream struct {
	// Body is for Huma.
	Body func(huma.Context)

	media       string
	disposition string
	tag         string
	modified    time.Time
	headers     [][2]string
	// size is -1 if it is not known.
	size int64
	// source is what write reads from, if parts of it can be asked for.
	source io.ReadSeeker
	write  func(ctx context.Context, w io.Writer) error
	close  func() error
	broken error
}

// New answers with what write writes.
//
// The context of write has the values of the handler's, such as the principal, and not its
// deadline. It ends when the client goes away or does not read, when the caller's token is no
// longer good, after web.streams.max_duration, and when the service stops. Writing waits for the
// client, so memory stays flat; w is nobody's after write returned. Every second what was written
// goes out, and at once with Flush. Before anything went out, an error of write is answered like
// one of a handler; later it ends the connection, so that the client does not take a part for
// the whole. Nothing is written for HEAD.
func New(media string, write func(ctx context.Context, w io.Writer) error) *Stream {
	return &Stream{media: media, size: -1, write: write}
}

// Lines answers with values as application/x-ndjson. An error among them ends the stream as in
// New. The context is as there; the handler's has ended when values are asked for.
func Lines[T any](values func(ctx context.Context) iter.Seq2[T, error]) *Stream {
	return New(mediaLines, func(ctx context.Context, w io.Writer) error {
		for value, err := range values(ctx) {
			if err != nil {
				return err
			}
			if err := jsonbody.Marshal(w, value); err != nil {
				return fmt.Errorf("a line: %w", err)
			}
			if _, err := w.Write([]byte{'\n'}); err != nil {
				return err
			}
		}

		return nil
	})
}

// NewDownload answers with what source has, or with the part that a Range asks for. A source that is
// an io.Closer is closed. For an io.ReaderAt, use an io.SectionReader.
func NewDownload(media string, source io.ReadSeeker) *Stream {
	s := &Stream{media: media, source: source}
	if closer, ok := source.(io.Closer); ok {
		s.close = closer.Close
	}
	if s.size, s.broken = source.Seek(0, io.SeekEnd); s.broken != nil {
		s.broken = fmt.Errorf("the size of a download: %w", s.broken)
	}

	return s
}

const (
	mediaPDF   = "application/pdf"
	mediaBytes = "application/octet-stream"
)

// FileTypes are the media types that NewFile answers with.
func FileTypes() []string { return []string{mediaPDF, mediaBytes} }

// NewFile answers with a file for saving, whose content has a hash. What is no PDF says no more than that it is bytes, so that no browser makes
// anything of it.
func NewFile(name, media, hash string, content io.ReadSeekCloser) *Stream {
	if media != mediaPDF {
		media = mediaBytes
	}

	return NewDownload(media, content).Attachment(name).Tagged(hash)
}

// Attachment has browsers save the answer under a name.
func (s *Stream) Attachment(name string) *Stream {
	s.disposition = disposition("attachment", name)

	return s
}

// Inline has browsers show the answer, and save it under a name if asked to.
func (s *Stream) Inline(name string) *Stream {
	s.disposition = disposition("inline", name)

	return s
}

// Sized says how many bytes there will be. Writing more or less is a defect, and ends the connection.
func (s *Stream) Sized(bytes int64) *Stream {
	s.size = bytes

	return s
}

// Tagged says of which version the answer is: the text of a strong ETag, without its quotes.
func (s *Stream) Tagged(version string) *Stream {
	s.tag = `"` + version + `"`

	return s
}

// Modified says when the answer last changed.
func (s *Stream) Modified(at time.Time) *Stream {
	s.modified = at.UTC().Truncate(time.Second)

	return s
}

// With sets a further header of the answer, such as what a browser may make of a file.
func (s *Stream) With(header, value string) *Stream {
	s.headers = append(s.headers, [2]string{header, value})

	return s
}

// Closing has c closed when the stream has ended, or turned out not to be wanted.
func (s *Stream) Closing(c io.Closer) *Stream {
	before := s.close
	s.close = c.Close
	if before != nil {
		s.close = func() error { return errors.Join(c.Close(), before()) }
	}

	return s
}

// Flush sends what was written to the writer of a stream. Of other writers it does nothing.
func Flush(w io.Writer) error {
	if f, ok := w.(interface{ Flush() error }); ok {
		return f.Flush()
	}

	return nil
}

// Prepare implements Output.
func (s *Stream) Prepare(r Request) (Plan, error) {
	if s.broken != nil {
		return Plan{}, s.broken
	}
	if s.write == nil && s.source == nil {
		return Plan{}, ErrNoOutput
	}
	if !r.Produces(s.media) {
		return Plan{}, fmt.Errorf("the stream is %s, which the operation does not declare in Produces", s.media)
	}
	if err := s.unchanged(r); err != nil {
		return Plan{}, err
	}
	part, err := s.part(r)
	if err != nil {
		return Plan{}, err
	}
	if s.source != nil {
		s.write = part.copy(s.source)
	}
	s.Body = func(h huma.Context) { s.answer(h, part) }
	if !s.compresses(r) {
		return Plan{Length: part.length, Write: s.run}, nil
	}
	s.headers = append(s.headers, [2]string{"Content-Encoding", r.Coding})
	plain := s.tag
	if plain != "" {
		s.tag = etag.Coded(plain, r.Coding)
	}

	return Plan{
		Length: LengthChunked, Write: s.run, Size: part.length, Tag: plain,
		Compress: func(to io.Writer) coding.Writer { return r.Codings.NewWriter(to, r.Coding) },
	}, nil
}

// compresses reports whether the answer to a request is compressed: not one of which parts can be asked for, whose bytes have numbers.
func (s *Stream) compresses(r Request) bool {
	return r.Coding != "" && s.source == nil && coding.Text(s.media) && (s.size < 0 || s.size >= coding.Threshold)
}

// run writes the stream.
func (s *Stream) run(ctx context.Context, r *Run) error {
	if err := s.write(ctx, r.writer); err != nil {
		return err
	}

	return context.Cause(ctx) // a writer that gave up may say nothing
}

// Discard implements Output.
func (s *Stream) Discard() error {
	if s.close == nil {
		return nil
	}

	return s.close()
}

// unchanged answers 304 if the client has this version.
func (s *Stream) unchanged(r Request) error {
	if known := r.Header("If-None-Match"); known != "" {
		if s.tag == "" {
			return nil
		}

		return etag.NotModified(known, s.tag)
	}
	since, err := http.ParseTime(r.Header("If-Modified-Since"))
	if err == nil && !s.modified.IsZero() && !s.modified.After(since) {
		return &httperror.Error{
			Status:  http.StatusNotModified,
			Headers: http.Header{"Last-Modified": {s.modified.Format(http.TimeFormat)}},
		}
	}

	return nil
}

// answer sets the status and the headers. They belong to Huma's view of the exchange.
func (s *Stream) answer(h huma.Context, p part) {
	set := func(name, value string) {
		if value != "" {
			h.SetHeader(name, value)
		}
	}
	set("Content-Type", s.media)
	set("Content-Disposition", s.disposition)
	set("ETag", s.tag)
	for _, header := range s.headers {
		set(header[0], header[1])
	}
	if !s.modified.IsZero() {
		set("Last-Modified", s.modified.Format(http.TimeFormat))
	}
	if s.source != nil {
		set("Accept-Ranges", "bytes")
	}
	status := max(h.Operation().DefaultStatus, http.StatusOK)
	if p.partial {
		status = http.StatusPartialContent
		set("Content-Range", "bytes "+strconv.FormatInt(p.first, 10)+"-"+
			strconv.FormatInt(p.first+p.length-1, 10)+"/"+strconv.FormatInt(s.size, 10))
	}
	h.SetStatus(status)
}
