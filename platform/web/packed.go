package web

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"

	"github.com/dispatchd/dispatchd/platform/web/coding"
	"github.com/dispatchd/dispatchd/platform/web/etag"
)

// packed is a text that is kept compressed alone, and unpacked bit by bit for clients that cannot do it.
type packed struct {
	gzipped []byte
	size    int // of the text, in bytes
	etag    string
}

// packer packs one text after the other.
type packer struct {
	out bytes.Buffer
	zip *gzip.Writer
}

func newPacker() *packer {
	zip, _ := gzip.NewWriterLevel(nil, gzip.BestCompression) //nolint:errcheck // there is such a level

	return &packer{zip: zip}
}

// pack packs what write writes.
func (p *packer) pack(write func(io.Writer) error) (packed, error) {
	p.out.Reset()
	p.zip.Reset(&p.out)
	sum, size := sha256.New(), &counter{}
	buffered := bufio.NewWriterSize(io.MultiWriter(p.zip, sum, size), 64<<10)
	if err := errors.Join(write(buffered), buffered.Flush(), p.zip.Close()); err != nil {
		return packed{}, err
	}

	return packed{gzipped: bytes.Clone(p.out.Bytes()), size: size.bytes, etag: newTag(sum.Sum(nil))}, nil
}

// counter counts what is written to it.
type counter struct{ bytes int }

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)

	return len(p), nil
}

// text unpacks all of it.
func (p packed) text() ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(p.gzipped))
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.Grow(p.size + bytes.MinRead)
	_, err = text.ReadFrom(reader)

	return text.Bytes(), err
}

// send answers with the text, or with 304 if the client has it. See sendFile.
func (p packed) send(c *fiber.Ctx, media string, fresh time.Duration) error {
	c.Vary(fiber.HeaderAcceptEncoding)
	if sendHead(c, file{etag: p.etag, media: media}, fresh) {
		return c.SendStatus(fiber.StatusNotModified)
	}
	if coding.Accepted(c.Get(fiber.HeaderAcceptEncoding), coding.Gzip) != "" {
		c.Set(fiber.HeaderETag, etag.Coded(p.etag, coding.Gzip))
		c.Set(fiber.HeaderContentEncoding, coding.Gzip)

		return c.Send(p.gzipped)
	}
	reader, err := gzip.NewReader(bytes.NewReader(p.gzipped))
	if err != nil {
		return err
	}

	return c.SendStream(reader, p.size)
}
