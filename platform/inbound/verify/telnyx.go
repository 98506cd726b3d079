package verify

import (
	"context"
	"crypto/ed25519"
	"time"
)

const (
	telnyxSignature = "Telnyx-Signature-Ed25519"
	telnyxTimestamp = "Telnyx-Timestamp"
)

// Telnyx verifies webhooks of Telnyx: telnyx-signature-ed25519 is, in base64, the Ed25519 signature of
// telnyx-timestamp, a pipe character and the body. A secret is the public key of the portal, 32 bytes.
func Telnyx(tolerance time.Duration, keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		at := r.Header.Get(telnyxTimestamp)
		key, err := signedBy(keys, decodeSignatures(r.Header.Get(telnyxSignature)), telnyxText(at, r.Body))
		if err != nil {
			return "", err
		}

		return key, checkTimestamp(r.Now, at, tolerance)
	}
}

// SignTelnyx is the value of telnyx-signature-ed25519; the timestamp is in seconds since 1970.
func SignTelnyx(private ed25519.PrivateKey, timestamp string, body []byte) string {
	return encodeBase64(ed25519.Sign(private, telnyxText(timestamp, body)))
}

func telnyxText(timestamp string, body []byte) []byte { return append([]byte(timestamp+"|"), body...) }

// signedBy returns the key by which one of the signatures is one of the text.
func signedBy(keys []Key, signatures [][]byte, text []byte) (string, error) {
	keys = usableKeys(keys)
	switch {
	case len(keys) == 0:
		return "", ErrNoKey
	case len(signatures) == 0:
		return "", ErrUnsigned
	}
	for _, k := range keys {
		for _, s := range signatures {
			if len(k.Secret) == ed25519.PublicKeySize && ed25519.Verify(k.Secret, text, s) {
				return k.ID, nil
			}
		}
	}

	return "", ErrMismatch
}
