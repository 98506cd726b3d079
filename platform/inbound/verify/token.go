package verify

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// The headers of vendors that show a token which they were given, or gave us.
const (
	// CentralDispatch is the token that the answer to a subscription has in a header.
	CentralDispatch = "Api-Token"
	// SuperDispatch is the verification_token of a subscription.
	SuperDispatch = "X-Super-Dispatch-Verification-Token"
)

// Token verifies requests that have a secret as the value of a header. What else they say is not
// protected by it: ask for https.
func Token(header string, keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) { return matchSecret(keys, r.Header.Get(header)) }
}

// Bearer verifies requests with "Authorization: Bearer" and a secret.
func Bearer(keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) { return matchSecret(keys, credentials(r, "bearer")) }
}

// BearerSHA256 is Bearer for those who keep the SHA-256 of a token instead of the token: a secret is those 32 bytes.
func BearerSHA256(keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		return matchSignature(keys, hashed(credentials(r, "bearer")), singleSum(func(secret []byte) []byte { return secret }))
	}
}

// Basic verifies requests with "Authorization: Basic": a secret is "user:password".
func Basic(keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		text, err := base64.StdEncoding.DecodeString(credentials(r, "basic"))
		if err != nil {
			text = nil
		}

		return matchSecret(keys, string(text))
	}
}

// matchSecret compares hashes, so that the time tells nothing of a length either.
func matchSecret(keys []Key, shown string) (string, error) {
	return matchSignature(keys, hashed(shown), singleSum(func(secret []byte) []byte {
		sum := sha256.Sum256(secret)

		return sum[:]
	}))
}

func hashed(text string) [][]byte {
	if text == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(text))

	return [][]byte{sum[:]}
}

// credentials are those of the Authorization header, if it is of that scheme (RFC 9110, 11.1).
func credentials(r Request, scheme string) string {
	name, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(name, scheme) {
		return ""
	}

	return strings.TrimSpace(value)
}
