package attachments

import (
	"crypto/sha1" //nolint:gosec // the one that every tus server knows; it finds accidents, not attackers
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"slices"
	"strconv"
	"strings"
)

// What OPTIONS says of us (https://tus.io/protocols/resumable-upload).
const (
	tusVersion    = "1.0.0"
	tusExtensions = "creation,creation-with-upload,checksum,termination,expiration"
	tusChecksums  = "sha256,sha1"
	mediaTus      = "application/offset+octet-stream"
)

// mostMetadata is how many bytes of Upload-Metadata are kept.
const mostMetadata = 8 << 10

// parseTusNumber reads a header that counts bytes.
func parseTusNumber(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strings.HasPrefix(text, "+") {
		return 0, errHeader.WithMessage("The %s must be a number of bytes, such as 1048576.", name)
	}

	return n, nil
}

// parseMetadata reads Upload-Metadata: pairs of a key and its value in Base64, separated by commas. What
// clients send of their own accord and we do not believe is left out; keys may be those that are named.
func parseMetadata(header string, known ...string) (map[string]string, error) {
	fields := map[string]string{}
	if len(header) > mostMetadata {
		return fields, errHeader.WithMessage("The Upload-Metadata must have at most %d bytes.", mostMetadata)
	}
	if strings.TrimSpace(header) == "" {
		return fields, nil
	}
	for pair := range strings.SplitSeq(header, ",") {
		name, encoded, _ := strings.Cut(strings.TrimSpace(pair), " ")
		value, err := base64.StdEncoding.DecodeString(encoded)
		if _, twice := fields[name]; err != nil || name == "" || twice {
			return fields, errHeader.WithMessage("The Upload-Metadata must be such as filename cGhvdG8uanBn,category cG9k: each key once, its value in Base64.")
		}
		fields[name] = strings.ToValidUTF8(strings.ReplaceAll(string(value), "\x00", ""), "_")
	}
	wrong := errInvalid
	for name := range fields {
		switch {
		case slices.Contains([]string{"name", "type", "filetype", "relativePath"}, name):
		case !slices.Contains(known, name):
			name = printable(name)
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

// checksum is what the bytes of a request must have.
type checksum struct {
	hash hash.Hash
	sum  string
}

// parseChecksum reads Upload-Checksum, nil if there is none.
func parseChecksum(header string) (*checksum, error) {
	if header == "" {
		return nil, nil
	}
	algorithm, encoded, _ := strings.Cut(header, " ")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	c := &checksum{sum: string(sum)}
	switch algorithm {
	case "sha256":
		c.hash = sha256.New()
	case "sha1":
		c.hash = sha1.New() //nolint:gosec // as above
	}
	if c.hash == nil || err != nil || len(sum) != c.hash.Size() {
		return nil, errHeader.WithMessage("The Upload-Checksum must be an algorithm, one of %s, and a checksum in Base64.", tusChecksums)
	}

	return c, nil
}

// matches reports whether the bytes that were hashed are the right ones.
func (c *checksum) matches() bool { return string(c.hash.Sum(nil)) == c.sum }
