package inbound

import (
	"crypto/sha256"
	"strings"
)

// ByBody tells notifications apart by their query and their body.
func ByBody(n Notification) string {
	_, query, _ := strings.Cut(n.Target, "?")

	return query + "\n" + string(n.Body)
}

// ByHeader tells notifications apart by a header that is signed, such as webhook-id, and those that do not have it by
// query and body.
func ByHeader(name string) func(Notification) string {
	return func(n Notification) string {
		if value := n.Header.Get(name); value != "" {
			return name + " " + value
		}

		return ByBody(n)
	}
}

// keyDigest is what is stored of a dedupe key.
func keyDigest(key string) []byte {
	sum := sha256.Sum256([]byte(key))

	return sum[:]
}
