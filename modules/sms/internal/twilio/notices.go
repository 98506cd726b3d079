package twilio

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
	"github.com/dispatchd/dispatchd/platform/inbound"
)

// tokenHeader names a notification and its repeats. It is not signed.
const tokenHeader = "I-Twilio-Idempotency-Token" //nolint:gosec // the name of a header

const mostMedia = 10

// StatusKey tells statuses apart: by message and status, which are signed, and which all repeats have in common.
// I-Twilio-Idempotency-Token, which nobody signs, counts where these are missing.
func StatusKey(n inbound.Notification) string {
	f := parseForm(n)

	return keyOf(n, f, f.get("MessageStatus"))
}

// MessageKey tells messages apart, in the same way.
func MessageKey(n inbound.Notification) string { return keyOf(n, parseForm(n), "") }

func keyOf(n inbound.Notification, f values, status string) string {
	if id := f.get("MessageSid"); id != "" {
		return id + " " + status
	}
	if token := n.Header.Get(tokenHeader); token != "" {
		return tokenHeader + " " + token
	}

	return inbound.ByBody(n)
}

// values are those of a form, without what databases cannot keep. Unknown ones do not matter: Twilio adds some without
// notice.
type values url.Values

func parseForm(n inbound.Notification) values {
	parsed, _ := url.ParseQuery(string(n.Body)) //nolint:errcheck // it was read when it was verified

	return values(parsed)
}

func (v values) get(name string) string { return vendorhttp.StorableText(url.Values(v).Get(name)) }

// foreign reports whether a notification is about another account of Twilio's.
func (v values) foreign(c provider.Credentials) bool {
	return !strings.EqualFold(v.get("AccountSid"), c.Reveal()[keySID])
}

const notOurs = "it is about another account at Twilio"

// ReadStatus reads a verified status callback.
func ReadStatus(c provider.Credentials, n inbound.Notification) provider.Notice {
	f := parseForm(n)
	id, word := f.get("MessageSid"), f.get("MessageStatus")
	switch {
	case f.foreign(c):
		return provider.Ignore(notOurs)
	case id == "" || len(id) > 64 || len(word) > 64:
		return provider.Ignore("it has no MessageSid")
	}
	status, known := statusOf(word)
	if !known {
		return provider.Ignore("an unknown status: " + word)
	}
	u := provider.Update{ID: id, Reference: provider.ReferenceOf(n.Target), Status: status, Raw: word, Segments: countCharacters(f.get("NumSegments"))}
	u = withFailure(u, f.get("ErrorCode"))

	return provider.Notice{Update: &u}
}

// ReadMessage reads a verified message from outside.
func ReadMessage(c provider.Credentials, n inbound.Notification) provider.Notice {
	f := parseForm(n)
	m := provider.Inbound{
		ID: f.get("MessageSid"), From: f.get("From"), To: f.get("To"), Body: f.get("Body"), Segments: countCharacters(f.get("NumSegments")),
		OptOut: strings.ToUpper(f.get("OptOutType")),
	}
	switch {
	case f.foreign(c):
		return provider.Ignore(notOurs)
	case m.ID == "" || len(m.ID) > 64:
		return provider.Ignore("it has no MessageSid")
	case m.From == "" || m.To == "" || len(m.From) > 100 || len(m.To) > 100:
		return provider.Ignore("it has no From or no To")
	}
	for i := range min(countCharacters(f.get("NumMedia")), mostMedia) {
		if link := f.get("MediaUrl" + strconv.Itoa(i)); vendorhttp.IsLink(link) {
			m.Media = append(m.Media, link)
		}
	}

	return provider.Notice{Inbound: &m}
}

// statusOf is what a status of Twilio's means; false if it is not known.
func statusOf(word string) (provider.Status, bool) {
	switch word {
	case "accepted", "scheduled", "queued", "sending":
		return provider.Sending, true
	case "sent", "partially_delivered":
		return provider.Sent, true
	case "delivered", "read":
		return provider.Delivered, true
	case "undelivered":
		return provider.Undelivered, true
	case "failed", "canceled":
		return provider.Failed, true
	case "receiving", "received":
		return provider.Received, true
	default:
		return provider.Sending, false
	}
}

// withFailure says why a message failed, if it did.
func withFailure(u provider.Update, code string) provider.Update {
	if u.Status != provider.Undelivered && u.Status != provider.Failed {
		return u
	}
	if u.Reason = provider.UnknownReason; code != "" && code != "0" && len(code) <= 20 {
		u.Code, u.Reason = code, reasonOf(code)
	}

	return u
}

func countCharacters(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 1000 {
		return 0
	}

	return n
}
