package verify

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"mime"
	"net/url"
	"slices"
	"strings"
)

const (
	twilioHeader = "X-Twilio-Signature"
	twilioBody   = "bodySHA256"
	mediaForm    = "application/x-www-form-urlencoded"
)

// Twilio verifies callbacks of Twilio: X-Twilio-Signature is, in base64, the HMAC-SHA1 of our address, as Twilio has it,
// and of the parameters of the form, sorted by name; of other bodies the address has the SHA-256 as bodySHA256.
// The address is right with and without its port, as Twilio's own libraries have it. A secret is an auth token as text, primary and
// secondary. No time is signed.
func Twilio(keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		if len(usableKeys(keys)) == 0 {
			return "", ErrNoKey
		}
		if len(r.URLs) == 0 {
			return "", ErrNoURL
		}
		tail, err := twilioTail(r)
		if err != nil {
			return "", err
		}
		addresses := withAndWithoutPorts(r.URLs)

		return matchSignature(keys, decodeSignatures(r.Header.Get(twilioHeader)), func(secret []byte) [][]byte {
			var sums [][]byte
			for _, address := range addresses {
				sums = append(sums, hmacSHA1(secret, address+tail))
			}

			return sums
		})
	}
}

// SignTwilio is the value of X-Twilio-Signature for a form, nil if the body is none.
func SignTwilio(secret []byte, address string, form url.Values) string {
	return encodeBase64(hmacSHA1(secret, address+sortForm(form)))
}

// twilioTail is what is signed after the address.
func twilioTail(r Request) (string, error) {
	if sum, given := queryOf(r.URLs[0])[twilioBody]; given {
		want := sha256.Sum256(r.Body)
		if subtle.ConstantTimeCompare([]byte(hex.EncodeToString(want[:])), []byte(strings.ToLower(sum[0]))) != 1 {
			return "", ErrMismatch
		}

		return "", nil
	}
	if len(r.Body) == 0 {
		return "", nil
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != mediaForm {
		return "", ErrUnsigned
	}
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return "", ErrUnsigned
	}

	return sortForm(form), nil
}

// queryOf are the keys of an address, those that can be read.
func queryOf(address string) url.Values {
	_, query, _ := strings.Cut(address, "?")
	values, _ := url.ParseQuery(query) //nolint:errcheck // what cannot be read is signed as it is

	return values
}

// sortForm are names and values of a form, by name, and each value of a repeated one once, by value.
func sortForm(form url.Values) string {
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		values := slices.Sorted(slices.Values(form[name]))
		for _, value := range slices.Compact(values) {
			text.WriteString(name)
			text.WriteString(value)
		}
	}

	return text.String()
}

// withAndWithoutPorts are the given ones with and without their port, and those without one with the default port of their scheme.
func withAndWithoutPorts(list []string) []string {
	var all []string
	for _, address := range list {
		all = append(all, address)
		scheme, rest, _ := strings.Cut(address, "://")
		port := ":443"
		if scheme == "http" {
			port = ":80"
		}
		host, path := rest, ""
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			host, path = rest[:i], rest[i:]
		}
		if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
			all = append(all, scheme+"://"+host[:colon]+path)
		} else {
			all = append(all, scheme+"://"+host+port+path)
		}
	}

	return all
}
