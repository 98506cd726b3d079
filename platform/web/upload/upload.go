// Package upload reads bodies as they arrive: files by themselves or in a form, not more, not slower and not less than they may be.
package upload

import (
	"crypto/sha256"
	"hash"
	"io"
	"mime"
	"net/http"
	"slices"

	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

const (
	bytesMedia = "application/octet-stream"
	// FormMedia is the media type of a form that has the file.
	FormMedia = "multipart/form-data"
)

// Upload is the input of an operation that reads its body as it arrives. Embed it, and declare the
// media types in Operation.Consumes and the largest size in Operation.MaxBody. Of multipart/form-data
// it is the one file in there. A body that is left out, where it may be, is read as an empty one.
//
// It is an io.Reader until the handler returns. Its errors are what to answer: a body that is too
// large, too slow (web.streams.min_upload_rate) or incomplete. What was read before is no whole file:
// keep it only after io.EOF.
type Upload struct {
	source io.Reader
	form   *form
	media  string
	hash   hash.Hash
	ended  bool
	length int64
}

// Request is a request whose body is about to be read.
type Request struct {
	// Length is what the client says; negative if it does not say it.
	Length int64
	// Label is the Content-Type; Media are the types that are read, without parameters.
	Label string
	Media []string
	// Optional says that there may be no body.
	Optional bool
	// Body is nil if there is none.
	Body io.Reader
}

// Receiver is an input with an Upload.
type Receiver interface{ Receive(r Request) error }

// Read implements io.Reader.
func (u *Upload) Read(p []byte) (int, error) {
	n, err := u.source.Read(p)
	if u.hash != nil {
		_, _ = u.hash.Write(p[:n]) // never fails
	}
	u.ended = u.ended || err == io.EOF

	return n, err
}

// Media returns the media type that the client says the file has, without parameters; "" if there is
// no body.
func (u *Upload) Media() string { return u.media }

// Length returns how many bytes the client says that the body has, with all of a form; negative if it does not say.
func (u *Upload) Length() int64 { return u.length }

// Name returns the name of the file in the form, without folders; "" if there is none.
func (u *Upload) Name() string {
	if u.form == nil {
		return ""
	}

	return u.form.name
}

// Fields returns the other fields of the form that came so far: all of them, after io.EOF.
func (u *Upload) Fields() map[string]string {
	if u.form == nil {
		return nil
	}

	return u.form.fields
}

// Hash has SHA-256 computed of what is read from now on. It is called before reading.
func (u *Upload) Hash() { u.hash = sha256.New() }

// SHA256 returns the hash of the file, nil before io.EOF and without Hash.
func (u *Upload) SHA256() []byte {
	if u.hash == nil || !u.ended {
		return nil
	}

	return u.hash.Sum(nil)
}

// Receive implements Receiver.
func (u *Upload) Receive(r Request) error {
	u.length = r.Length
	if r.Optional && r.Length == 0 {
		u.source = http.NoBody

		return nil
	}
	label := r.Label
	if label == "" {
		label = bytesMedia
	}
	var parameters map[string]string
	var err error
	u.media, parameters, err = mime.ParseMediaType(label)
	if err != nil || !slices.Contains(r.Media, u.media) {
		return httperror.ErrMedia.WithDetail("accepted", r.Media)
	}
	if r.Body == nil {
		return httperror.ErrNoBody
	}
	u.source = r.Body
	if u.media != FormMedia {
		return nil
	}
	u.form, err = openForm(u.source, parameters["boundary"])
	if err != nil {
		return err
	}
	u.source, u.media = u.form, u.form.media

	return nil
}
