// Package connect reads what DocuSign Connect sends: JSON SIM messages, and the envelopes of its REST API, which have
// the same shape.
//
// It is lenient on purpose. Scalars may be strings or not, parts may be missing or be something else, entries may
// carry only a name, and what nobody knows is kept: only what is no JSON, or names no event, is refused.
package connect

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// Why a message is refused.
var (
	ErrMalformed = errors.New("connect: the body is not a JSON object")
	ErrNoEvent   = errors.New("connect: the message names no event")
)

// Notice is a message. What was not said is "" or zero.
type Notice struct {
	// Event is the name in its one spelling, which need not be one of Events.
	Event      string `json:"event"`
	APIVersion string `json:"api_version,omitempty"`
	URI        string `json:"uri,omitempty"`
	RetryCount int    `json:"retry_count,omitempty"`
	// ConfigurationID is that of the subscription at the vendor.
	ConfigurationID string    `json:"configuration_id,omitempty"`
	GeneratedAt     time.Time `json:"generated_at,omitzero"`

	AccountID  string `json:"account_id,omitempty"`
	UserID     string `json:"user_id,omitempty"`
	EnvelopeID string `json:"envelope_id,omitempty"`
	// RecipientID is who a recipient event is about, ReassignedRecipientID who takes over.
	RecipientID           string `json:"recipient_id,omitempty"`
	ReassignedRecipientID string `json:"reassigned_recipient_id,omitempty"`
	// PurgeState is how far an envelope-purge is.
	PurgeState string `json:"purge_state,omitempty"`

	// Update is what the message says of the envelope: by its summary and, where that says nothing, by the event.
	Update provider.Update `json:"update"`
}

// Read reads a message. Errors: ErrMalformed, ErrNoEvent.
func Read(body []byte) (Notice, error) {
	top, err := parse(body)
	if err != nil {
		return Notice{}, err
	}
	n := Notice{
		Event: canonical(top.text("event")), APIVersion: top.text("apiVersion"), URI: top.text("uri"), RetryCount: top.number("retryCount"),
		ConfigurationID: top.text("configurationId"), GeneratedAt: top.time("generatedDateTime"),
	}
	if n.Event == "" {
		return Notice{}, ErrNoEvent
	}
	data := top.object("data")
	n.AccountID, n.UserID, n.EnvelopeID = data.text("accountId"), data.text("userId"), EnvelopeID(data.text("envelopeId"))
	n.RecipientID, n.ReassignedRecipientID = data.text("recipientId"), data.text("reassignedRecipientId")
	summary := data.object("envelopeSummary")
	n.Update = envelopeOf(summary, data["envelopeSummary"])
	if n.EnvelopeID == "" {
		n.EnvelopeID = n.Update.ID
	}
	n.Update.ID = n.EnvelopeID
	for _, said := range []object{summary, data, top} {
		if n.PurgeState == "" {
			n.PurgeState = said.text("purgeState")
		}
	}
	n.complete()

	return n, nil
}

// ReadEnvelope reads an envelope as the REST API tells of it. Error: ErrMalformed.
func ReadEnvelope(raw []byte) (provider.Update, error) {
	top, err := parse(raw)
	if err != nil {
		return provider.Update{}, err
	}

	return envelopeOf(top, gjson.Result{Type: gjson.JSON, Raw: string(raw)}), nil
}

// parse returns the object that a body is.
func parse(body []byte) (object, error) {
	if !Valid(body) {
		return nil, ErrMalformed
	}
	top := gjson.ParseBytes(withoutBOM(body))
	if !top.IsObject() {
		return nil, ErrMalformed
	}

	return openObject(top), nil
}

// withoutBOM returns a body without the byte order mark that some senders begin with.
func withoutBOM(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")) }

// EnvelopeID returns an envelope's id in the one form in which it is stored and compared: a UUID in lower case.
func EnvelopeID(text string) string {
	if id, err := uuid.Parse(text); err == nil && len(text) == len(id.String()) {
		return id.String()
	}

	return text
}

// Valid reports whether a body is JSON. It is quick, and not led into depths.
func Valid(body []byte) bool {
	return jsontext.Value(withoutBOM(body)).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// complete adds what the event says by its name to what the summary says.
func (n *Notice) complete() {
	event, known := Find(n.Event)
	u := &n.Update
	if known && event.Of == OfEnvelope && event.Status != "" && (u.Status == "" || event.isFinal() && !isFinalStatus(u.Status)) {
		u.Status, u.At = event.Status, time.Time{}
	}
	if u.Status != "" && u.At.IsZero() {
		u.At, u.Bound = n.GeneratedAt, true
	}
	if !known || event.Status == "" {
		return
	}
	if n.RecipientID == "" || event.Of != OfRecipient {
		return
	}
	r := n.recipient()
	if r.Status != "" {
		return
	}
	r.Status = event.Status
	at := map[string]*time.Time{"sent": &r.SentAt, "delivered": &r.DeliveredAt, "completed": &r.SignedAt, "declined": &r.DeclinedAt}[event.Status]
	if at == nil {
		at = &r.SentAt
	}
	if at.IsZero() {
		*at, r.Bound = n.GeneratedAt, true
	}
}

// recipient returns what is told of the one that the event is about. The only one that is told of without an id is the
// one.
func (n *Notice) recipient() *provider.RecipientUpdate {
	all := n.Update.Recipients
	for i := range all {
		if all[i].ID == n.RecipientID {
			return &all[i]
		}
	}
	if len(all) == 1 && all[0].ID == "" {
		all[0].ID = n.RecipientID

		return &all[0]
	}
	n.Update.Recipients = append(all, provider.RecipientUpdate{ID: n.RecipientID})

	return &n.Update.Recipients[len(all)]
}

// Head is what a message is recognised by, read without the rest.
type Head struct{ Event, AccountID, EnvelopeID, RecipientID, GeneratedDateTime string }

// ReadHead returns the head of a body that is Valid.
func ReadHead(body []byte) Head {
	found := gjson.GetManyBytes(withoutBOM(body), "event", "data.accountId", "data.envelopeId", "data.recipientId", "generatedDateTime")

	return Head{
		Event: canonical(textOf(found[0])), AccountID: textOf(found[1]), EnvelopeID: EnvelopeID(textOf(found[2])),
		RecipientID: textOf(found[3]), GeneratedDateTime: textOf(found[4]),
	}
}

// Key tells messages apart, and is the same however often one is sent: retryCount is not in it.
func Key(body []byte) string {
	body = withoutBOM(body)
	h := ReadHead(body)
	if h.EnvelopeID != "" && h.GeneratedDateTime != "" {
		return strings.Join([]string{h.AccountID, h.EnvelopeID, h.Event, h.RecipientID, h.GeneratedDateTime}, "|")
	}
	count := gjson.GetBytes(body, "retryCount")
	if !count.Exists() || count.Index <= 0 {
		return string(body)
	}

	return string(body[:count.Index]) + string(body[count.Index+len(count.Raw):])
}
