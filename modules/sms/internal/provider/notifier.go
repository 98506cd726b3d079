package provider

import (
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/inbound/verify"
)

// Notifier is a Provider that tells by itself what becomes of messages, and brings messages from outside.
type Notifier interface {
	Provider

	// Kinds are the kinds of notifications, without the area: for statuses, and for messages. They may be the same.
	Kinds() (status, message string)
	// Scheme verifies notifications; without a key for that in the credentials it refuses all.
	Scheme(c Credentials) verify.Scheme
	// KeyNames are the names of the credential by which notifications are verified, and of a second one that is
	// good as well, while the first is being changed.
	KeyNames() (first, second string)
}

// Keys are the credentials of some names, as keys of notifications.
func Keys(c Credentials, names ...string) []verify.Key {
	var keys []verify.Key
	for _, name := range names {
		keys = append(keys, verify.Key{ID: name, Secret: []byte(c.Reveal()[name])})
	}

	return keys
}

// Notice is what a notification says: one of the two, or, if it is to be ignored, why.
type Notice struct {
	Update  *Update
	Inbound *Inbound
	Ignored string
}

// Ignore is a notice of nothing.
func Ignore(why string) Notice { return Notice{Ignored: why} }

// ReferenceKey is the key of our reference in the query of the address for statuses.
const ReferenceKey = "attempt"

// ReferenceOf is our reference in the target of a notification, "" if there is none.
func ReferenceOf(target string) string {
	_, query, _ := strings.Cut(target, "?")
	parsed, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	id, err := uuid.Parse(parsed.Get(ReferenceKey))
	if err != nil {
		return ""
	}

	return id.String()
}
