package secret

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// The text of a master key is "dsk_" and 32 random bytes in base64 for URLs, without padding.
const (
	keyPrefix = "dsk_"
	keySize   = 32
)

var errKey = errors.New("want keys as 'dispatchd secret new' prints them, dsk_…")

// NewKey makes a master key.
func NewKey() string {
	random := make([]byte, keySize)
	_, _ = rand.Read(random) // never fails, see its documentation

	return keyPrefix + base64.RawURLEncoding.EncodeToString(random)
}

// master is one master key. Nothing is encrypted under it itself: each use has a key derived from
// it, by HKDF-SHA256 (RFC 5869).
type master []byte

// parseMasters reads the keys in a text, separated by commas or white space. The first is the one
// in use, the others are former ones.
func parseMasters(text string) ([]master, error) {
	var all []master
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, ",", " ")) {
		encoded, prefixed := strings.CutPrefix(word, keyPrefix)
		key, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if !prefixed || err != nil || len(key) != keySize {
			return nil, errKey // without the text, which is a secret
		}
		for i, other := range all {
			if bytes.Equal(other, key) {
				return nil, fmt.Errorf("key %d is the same as key %d", len(all)+1, i+1)
			}
		}
		all = append(all, key)
	}
	if len(all) == 0 {
		return nil, errKey
	}

	return all, nil
}

func (m master) derive(purpose string, size int) ([]byte, error) {
	return hkdf.Key(sha256.New, m, nil, "dispatchd/"+purpose, size)
}

// id names the key; it stands in front of what is encrypted under it, and tells nothing of it.
func (m master) id() (uint32, error) {
	id, err := m.derive("id", 4)
	if err != nil {
		return 0, err
	}

	return max(1, binary.BigEndian.Uint32(id)), nil
}
