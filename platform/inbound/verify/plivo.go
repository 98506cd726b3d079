package verify

import (
	"context"
	"strings"
)

const (
	plivoSignature = "X-Plivo-Signature-V2"
	plivoNonce     = "X-Plivo-Signature-V2-Nonce"
)

// PlivoV2 verifies callbacks of Plivo: X-Plivo-Signature-V2 is, in base64, the HMAC-SHA256 of our address without its
// query and of the nonce. A secret is the auth token as text. Neither the body nor a time is signed: take from
// such a callback nothing but that it came, and ask the vendor.
func PlivoV2(keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		if len(usableKeys(keys)) == 0 {
			return "", ErrNoKey
		}
		if len(r.URLs) == 0 {
			return "", ErrNoURL
		}
		nonce := r.Header.Get(plivoNonce)
		if nonce == "" {
			return "", ErrUnsigned
		}

		return matchSignature(keys, decodeSignatures(r.Header.Get(plivoSignature)), func(secret []byte) [][]byte {
			var sums [][]byte
			for _, address := range withAndWithoutPorts(r.URLs) {
				address, _, _ = strings.Cut(address, "?")
				sums = append(sums, hmacSHA256(secret, []byte(address+nonce)))
			}

			return sums
		})
	}
}

// SignPlivoV2 is the value of X-Plivo-Signature-V2.
func SignPlivoV2(secret []byte, address, nonce string) string {
	address, _, _ = strings.Cut(address, "?")

	return encodeBase64(hmacSHA256(secret, []byte(address+nonce)))
}
