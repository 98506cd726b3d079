package verify

import (
	"context"
	"encoding/hex"
	"strings"
)

const metaHeader = "X-Hub-Signature-256"

// Meta verifies webhooks of Meta: X-Hub-Signature-256 is "sha256=" and, in hexadecimal, the HMAC-SHA256 of the
// body. A secret is the app secret as text. No time is signed.
func Meta(keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		var signatures [][]byte
		text, found := strings.CutPrefix(r.Header.Get(metaHeader), "sha256=")
		if sum, err := hex.DecodeString(text); found && err == nil && len(sum) > 0 {
			signatures = append(signatures, sum)
		}

		return matchSignature(keys, signatures, singleSum(func(secret []byte) []byte { return hmacSHA256(secret, r.Body) }))
	}
}

// SignMeta is the value of X-Hub-Signature-256.
func SignMeta(secret, body []byte) string {
	return "sha256=" + hex.EncodeToString(hmacSHA256(secret, body))
}
