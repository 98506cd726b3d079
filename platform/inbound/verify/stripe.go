package verify

import (
	"context"
	"encoding/hex"
	"strings"
	"time"
)

const (
	stripeHeader = "Stripe-Signature"
	// stripeMost is how many parts of the header are read.
	stripeMost = 32
)

// Stripe verifies events of Stripe: Stripe-Signature has a time t and one or more v1, the HMAC-SHA256 in hexadecimal of
// the time, a full stop and the body. A secret is the endpoint's ("whsec_…") as text.
func Stripe(tolerance time.Duration, keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		at, signatures := stripeParts(r.Header.Get(stripeHeader))
		key, err := matchSignature(keys, signatures, singleSum(func(secret []byte) []byte {
			return hmacSHA256(secret, []byte(at+"."), r.Body)
		}))
		if err != nil {
			return "", err
		}

		return key, checkTimestamp(r.Now, at, tolerance)
	}
}

// SignStripe is the value of Stripe-Signature; the timestamp is in seconds since 1970.
func SignStripe(secret []byte, timestamp string, body []byte) string {
	return "t=" + timestamp + ",v1=" + hex.EncodeToString(hmacSHA256(secret, []byte(timestamp+"."), body))
}

// stripeParts reads the header; other versions of signatures are left out.
func stripeParts(header string) (at string, signatures [][]byte) {
	for _, part := range strings.SplitN(header, ",", stripeMost) {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			at = value
		case "v1":
			if sum, err := hex.DecodeString(value); err == nil && len(sum) > 0 {
				signatures = append(signatures, sum)
			}
		}
	}

	return at, signatures
}
