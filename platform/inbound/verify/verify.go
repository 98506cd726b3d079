// Package verify tells whether a notification comes from who it says: the schemes by which vendors sign
// what they send.
//
// A Scheme looks at the bytes as they came, before anybody reads them as anything, compares in constant
// time, and fails closed: without a key nothing is right. Several keys may be in force at once, so that they can be
// changed; the scheme says which one matched.
//
//	scheme := verify.All(
//		verify.BearerSHA256(verify.Key{ID: "token 1", Secret: sum}),
//		verify.DocuSign(verify.Key{ID: "key A", Secret: []byte("…")}),
//	)
//	key, err := scheme(ctx, request)
//
// The Sign… functions do what the vendor does, for sandboxes and tests.
package verify

import (
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // what Twilio signs with; HMAC-SHA1 is not broken
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Tolerance is how far a signed time may be from ours, both ways, where a scheme is given none: what
// Stripe, Telnyx and Standard Webhooks advise.
const Tolerance = 5 * time.Minute

// Why a request is not verified. None of them says anything of a secret; a sender is told none of them.
var (
	// ErrNoKey says that no key is configured.
	ErrNoKey = errors.New("no key is configured")
	// ErrNoURL says that the scheme signs our address, and we do not know it: set web.services_url or
	// web.base_url.
	ErrNoURL = errors.New("the public address is not configured: set web.services_url or web.base_url")
	// ErrUnsigned says that the request has no signature, or none that can be read.
	ErrUnsigned = errors.New("there is no signature")
	// ErrMismatch says that no signature is one of our keys over this request.
	ErrMismatch = errors.New("the signature does not match")
	// ErrStale says that the signed time differs too much from the current time.
	ErrStale = errors.New("the signed time differs too much from the current time")
)

// Request is a request as it came.
type Request struct {
	// URLs are the addresses, with path and query, under which the sender may know us, by our
	// configuration: never by what the request says of itself.
	URLs   []string
	Header http.Header
	// Body is the whole body. A scheme does not change it.
	Body []byte
	Now  time.Time
}

// Key is a secret, or a public key, by which a sender is recognised.
type Key struct {
	// ID names the key in the log of deliveries. It is no secret.
	ID string
	// Secret is what the scheme says; a key with an empty one is no key.
	Secret []byte
}

// Scheme returns the ID of the key that matched, or one of the errors above. ctx is for schemes of an
// area's own that look something up.
type Scheme func(ctx context.Context, r Request) (key string, err error)

// usableKeys are the keys that have a secret.
func usableKeys(keys []Key) []Key {
	var list []Key
	for _, k := range keys {
		if len(k.Secret) > 0 {
			list = append(list, k)
		}
	}

	return list
}

// matchSignature returns the key whose sum is one of the signatures. All are compared, whichever matches.
func matchSignature(keys []Key, signatures [][]byte, sums func(secret []byte) [][]byte) (string, error) {
	keys = usableKeys(keys)
	switch {
	case len(keys) == 0:
		return "", ErrNoKey
	case len(signatures) == 0:
		return "", ErrUnsigned
	}
	matched := -1
	for i, k := range keys {
		for _, sum := range sums(k.Secret) {
			for _, s := range signatures {
				if subtle.ConstantTimeCompare(sum, s) == 1 {
					matched = i
				}
			}
		}
	}
	if matched < 0 {
		return "", ErrMismatch
	}

	return keys[matched].ID, nil
}

// singleSum is the sums of a scheme that has one for each key.
func singleSum(sum func(secret []byte) []byte) func([]byte) [][]byte {
	return func(secret []byte) [][]byte { return [][]byte{sum(secret)} }
}

func hmacSHA256(secret []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, secret)
	for _, p := range parts {
		_, _ = mac.Write(p) // never fails
	}

	return mac.Sum(nil)
}

func hmacSHA1(secret []byte, text string) []byte {
	mac := hmac.New(sha1.New, secret)
	_, _ = mac.Write([]byte(text)) // never fails

	return mac.Sum(nil)
}

// decodeSignatures are the signatures of a header that are base64, without those that are not.
func decodeSignatures(values ...string) [][]byte {
	var list [][]byte
	for _, v := range values {
		if sum, err := base64.StdEncoding.DecodeString(v); err == nil && len(sum) > 0 {
			list = append(list, sum)
		}
	}

	return list
}

func encodeBase64(sum []byte) string { return base64.StdEncoding.EncodeToString(sum) }

// checkTimestamp refuses a time, in seconds since 1970, that is too far from now. A tolerance of zero is Tolerance.
func checkTimestamp(now time.Time, seconds string, tolerance time.Duration) error {
	const digits = 12 // until the year 33658, and no overflow
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || len(seconds) > digits {
		return ErrUnsigned
	}
	if tolerance <= 0 {
		tolerance = Tolerance
	}
	if now.Sub(time.Unix(at, 0)).Abs() > tolerance {
		return ErrStale
	}

	return nil
}
