package receiving

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
)

// Digests are what a client says of the content that it sends, in the headers of RFC 9530.
type Digests struct{ Content, Repr string }

// Expected returns the hashes that the content must have. A form is not the file, so Content-Digest cannot
// speak of that.
func (d Digests) Expected(form bool, field string) ([][]byte, error) {
	var all [][]byte
	if form && d.Content != "" {
		return nil, store.ErrInvalid.WithField("Content-Digest", "The Content-Digest of a form is not the digest of the file. Send Repr-Digest, or the field sha256.")
	}
	for name, header := range map[string]string{"Content-Digest": d.Content, "Repr-Digest": d.Repr} {
		sum, err := parseDigest(header)
		if err != nil {
			return nil, store.ErrInvalid.WithField(name, "The "+name+" must be such as sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:.")
		}
		if sum != nil {
			all = append(all, sum)
		}
	}
	if field != "" {
		sum, err := hex.DecodeString(field)
		if err != nil || len(sum) != sha256.Size {
			return nil, store.ErrInvalid.WithField("sha256", "The sha256 must have 64 hexadecimal digits.")
		}
		all = append(all, sum)
	}

	return all, nil
}

// parseDigest reads the SHA-256 of a dictionary of digests; nil if it has none, since a digest of another
// algorithm may be ignored.
func parseDigest(header string) ([]byte, error) {
	for entry := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(entry), "=")
		if name != "sha-256" {
			continue
		}
		text, wrapped := strings.CutPrefix(value, ":")
		text, closed := strings.CutSuffix(text, ":")
		sum, err := base64.StdEncoding.DecodeString(text)
		if !wrapped || !closed || err != nil || len(sum) != sha256.Size {
			return nil, store.ErrInvalid
		}

		return sum, nil
	}

	return nil, nil
}
