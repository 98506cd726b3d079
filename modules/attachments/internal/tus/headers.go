package tus

import (
	"crypto/sha1" //nolint:gosec // the one that every tus server knows; it finds accidents, not attackers
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
)

// What OPTIONS says of us (https://tus.io/protocols/resumable-upload).
const (
	Version            = "1.0.0"
	Extensions         = "creation,creation-with-upload,checksum,termination,expiration"
	ChecksumAlgorithms = "sha256,sha1"
	MediaType          = "application/offset+octet-stream"
)

// maxMetadata is how many bytes of Upload-Metadata are kept.
const maxMetadata = 8 << 10

// ParseNumber reads a header that counts bytes.
func ParseNumber(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strings.HasPrefix(text, "+") {
		return 0, store.ErrTusHeader.WithMessage("The %s must be a number of bytes, such as 1048576.", name)
	}

	return n, nil
}

// ParseMetadata reads Upload-Metadata: pairs of a key and its value in Base64, separated by commas. What
// clients send of their own accord and we do not believe is left out; keys may be those that are named.
func ParseMetadata(header string, known ...string) (map[string]string, error) {
	fields := map[string]string{}
	if len(header) > maxMetadata {
		return fields, store.ErrTusHeader.WithMessage("The Upload-Metadata must have at most %d bytes.", maxMetadata)
	}
	if strings.TrimSpace(header) == "" {
		return fields, nil
	}
	for pair := range strings.SplitSeq(header, ",") {
		name, encoded, _ := strings.Cut(strings.TrimSpace(pair), " ")
		value, err := base64.StdEncoding.DecodeString(encoded)
		if _, twice := fields[name]; err != nil || name == "" || twice {
			return fields, store.ErrTusHeader.WithMessage("The Upload-Metadata must be such as filename cGhvdG8uanBn,category cG9k: each key once, its value in Base64.")
		}
		fields[name] = strings.ToValidUTF8(strings.ReplaceAll(string(value), "\x00", ""), "_")
	}
	wrong := store.ErrInvalid
	for name := range fields {
		switch {
		case slices.Contains([]string{"name", "type", "filetype", "relativePath"}, name):
		case !slices.Contains(known, name):
			name = filetype.FieldName(name)
			wrong = wrong.WithField(name, "The "+name+" is not known here; the keys are: "+strings.Join(known, ", ")+".")
		}
	}
	if len(wrong.Fields) > 0 {
		return fields, wrong
	}
	if fields["filename"] == "" {
		fields["filename"] = fields["name"]
	}

	return fields, nil
}

// Checksum is what the bytes of a request must have.
type Checksum struct {
	hash hash.Hash
	sum  string
}

// ParseChecksum reads Upload-Checksum, nil if there is none.
func ParseChecksum(header string) (*Checksum, error) {
	if header == "" {
		return nil, nil
	}
	algorithm, encoded, _ := strings.Cut(header, " ")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	c := &Checksum{sum: string(sum)}
	switch algorithm {
	case "sha256":
		c.hash = sha256.New()
	case "sha1":
		c.hash = sha1.New() //nolint:gosec // as above
	}
	if c.hash == nil || err != nil || len(sum) != c.hash.Size() {
		return nil, store.ErrTusHeader.WithMessage("The Upload-Checksum must be an algorithm, one of %s, and a checksum in Base64.", ChecksumAlgorithms)
	}

	return c, nil
}

// Matches reports whether the bytes that were hashed are the right ones.
func (c *Checksum) Matches() bool { return string(c.hash.Sum(nil)) == c.sum }

// Headers are those of every answer.
var Headers = [][2]string{{"Tus-Resumable", Version}, {"Tus-Version", Version}}

// Add adds bytes to those that are checked.
func (c *Checksum) Add(p []byte) {
	_, _ = c.hash.Write(p) // never fails
}
