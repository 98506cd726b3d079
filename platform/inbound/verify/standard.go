package verify

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"strings"
	"time"
)

// The headers of Standard Webhooks 1.0 (https://www.standardwebhooks.com).
const (
	standardID        = "Webhook-Id"
	standardTimestamp = "Webhook-Timestamp"
	standardSignature = "Webhook-Signature"
	// standardMost is how many signatures of one request are looked at.
	standardMost = 16
)

var errStandardKey = errors.New("want whsec_ or whpk_ and a key in base64")

// StandardKey reads a key as Standard Webhooks writes it: a secret ("whsec_…", for StandardWebhooks) or a public key
// ("whpk_…", for StandardWebhooksAsymmetric). The error does not quote it.
func StandardKey(id, text string) (Key, error) {
	encodedKey, found := strings.CutPrefix(text, "whsec_")
	public := false
	if !found {
		encodedKey, public = strings.CutPrefix(text, "whpk_")
	}
	secret, err := base64.StdEncoding.DecodeString(encodedKey)
	if err != nil || !found && !public || len(secret) == 0 || public && len(secret) != ed25519.PublicKeySize {
		return Key{}, errStandardKey
	}

	return Key{ID: id, Secret: secret}, nil
}

// StandardWebhooks verifies "v1" of Standard Webhooks: webhook-signature has one or more, the HMAC-SHA256 in base64 of
// webhook-id, webhook-timestamp and the body with full stops between. The dedupe key is webhook-id. For
// secrets see StandardKey.
func StandardWebhooks(tolerance time.Duration, keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		text := standardText(r)
		key, err := matchSignature(keys, standardSignatures(r, "v1"), singleSum(func(secret []byte) []byte {
			return hmacSHA256(secret, []byte(text), r.Body)
		}))

		return standardFresh(r, key, err, tolerance)
	}
}

// StandardWebhooksAsymmetric verifies "v1a", which is Ed25519 over the same.
func StandardWebhooksAsymmetric(tolerance time.Duration, keys ...Key) Scheme {
	return func(_ context.Context, r Request) (string, error) {
		key, err := signedBy(keys, standardSignatures(r, "v1a"), append([]byte(standardText(r)), r.Body...))

		return standardFresh(r, key, err, tolerance)
	}
}

// SignStandard is the "v1" entry of webhook-signature.
func SignStandard(secret []byte, id, timestamp string, body []byte) string {
	return "v1," + encodeBase64(hmacSHA256(secret, []byte(id+"."+timestamp+"."), body))
}

// SignStandardAsymmetric is the "v1a" entry of webhook-signature.
func SignStandardAsymmetric(private ed25519.PrivateKey, id, timestamp string, body []byte) string {
	return "v1a," + encodeBase64(ed25519.Sign(private, append([]byte(id+"."+timestamp+"."), body...)))
}

func standardText(r Request) string {
	return r.Header.Get(standardID) + "." + r.Header.Get(standardTimestamp) + "."
}

// standardFresh refuses what is stale, and an id with a full stop: that could be taken for another time.
func standardFresh(r Request, key string, err error, tolerance time.Duration) (string, error) {
	if id := r.Header.Get(standardID); err == nil && (id == "" || strings.Contains(id, ".")) {
		err = ErrUnsigned
	}
	if err != nil {
		return "", err
	}

	return key, checkTimestamp(r.Now, r.Header.Get(standardTimestamp), tolerance)
}

// standardSignatures are those of one version; others, unknown ones among them, are left out.
func standardSignatures(r Request, version string) [][]byte {
	var values []string
	entries := strings.Fields(r.Header.Get(standardSignature))
	for _, entry := range entries[:min(len(entries), standardMost)] {
		if name, value, _ := strings.Cut(entry, ","); name == version {
			values = append(values, value)
		}
	}

	return decodeSignatures(values...)
}
