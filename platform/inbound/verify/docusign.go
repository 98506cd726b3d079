package verify

import (
	"context"
	"strings"
)

const (
	docuSignHeader = "X-Docusign-Signature-"
	// docuSignMost is how many signatures of one request are looked at: as many keys an account may have.
	docuSignMost = 100
)

// DocuSign verifies notifications of DocuSign Connect: X-DocuSign-Signature-1 to -N have, for each key that is active
// there, the HMAC-SHA256 of the body in base64. Any of them may be of any of ours. A secret is the Connect
// key as text. No time is signed: a repeat is told by its dedupe key alone.
func DocuSign(keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		var values []string
		for name, list := range r.Header {
			if strings.HasPrefix(name, docuSignHeader) {
				values = append(values, list...)
			}
		}
		if len(values) > docuSignMost {
			return "", ErrUnsigned
		}

		return matchSignature(keys, decodeSignatures(values...), singleSum(func(secret []byte) []byte { return hmacSHA256(secret, r.Body) }))
	}
}

// SignDocuSign is the value of an X-DocuSign-Signature header.
func SignDocuSign(secret, body []byte) string { return encodeBase64(hmacSHA256(secret, body)) }
