package reports

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// Report is a vendor's status report of an envelope, pushed or polled.
type Report struct {
	// Event is the vendor's word for what has happened, "" if it was asked.
	Event string `json:"event"`
	// RecipientID is who it is about, by the vendor's id, Detail what else there is to say of it.
	RecipientID string `json:"recipient_id,omitempty"`
	Detail      string `json:"detail,omitempty"`
	// At is when the vendor said it, the zero time if that is not known; Received is when it came.
	At       time.Time `json:"at,omitzero"`
	Received time.Time `json:"received"`
	// Delivery is that of the notification, uuid.Nil if there was none.
	Delivery uuid.UUID       `json:"delivery"`
	Update   provider.Update `json:"update"`
}

// PolledReport is what a vendor has answered at a time.
func PolledReport(u provider.Update, at time.Time) Report {
	return Report{At: at, Received: at, Update: u}
}

// FromNotice is what a notification says.
func FromNotice(n connect.Notice, delivery uuid.UUID, received time.Time) Report {
	t := Report{Event: n.Event, RecipientID: n.RecipientID, At: n.GeneratedAt, Received: received, Delivery: delivery, Update: n.Update}
	switch n.Event {
	case "recipient-reassign", "recipient-delegate":
		t.Detail = n.ReassignedRecipientID
	case "envelope-purge":
		t.Detail = n.PurgeState
	case "envelope-voided", "envelope-declined":
		t.Detail = n.Update.Reason
	case "recipient-declined", "recipient-autoresponded":
		for _, r := range n.Update.Recipients {
			if r.ID == n.RecipientID {
				t.Detail = r.Reason
			}
		}
	}

	return t
}

// moment is when it happened: as the envelope or the recipient says, which is the same however often it is told; else
// when the vendor said it; else when it came.
func (t Report) moment() time.Time {
	at := t.ownTime()
	if at.IsZero() {
		at = t.At
	}
	if at.IsZero() {
		at = t.Received
	}

	return clock.Stamp(at)
}

func (t Report) ownTime() time.Time {
	u := t.Update
	switch t.Event {
	case "envelope-created":
		return u.CreatedAt
	case "envelope-sent":
		return u.SentAt
	case "envelope-delivered":
		return u.DeliveredAt
	case "envelope-completed":
		return u.CompletedAt
	case "envelope-declined", "envelope-voided":
		if "envelope-"+u.Status == t.Event {
			return u.At
		}
	}
	for _, r := range u.Recipients {
		if r.ID != t.RecipientID || r.ID == "" {
			continue
		}
		switch t.Event {
		case "recipient-sent":
			return r.SentAt
		case "recipient-delivered":
			return r.DeliveredAt
		case "recipient-completed":
			return r.SignedAt
		case "recipient-declined":
			return r.DeclinedAt
		}
	}

	return time.Time{}
}

// dedupeKey tells what has happened apart: the same, told twice, has the same one.
func (t Report) dedupeKey() string {
	parts := []string{t.Event, t.RecipientID, t.Detail, t.moment().Format(time.RFC3339Nano)}
	if t.ownTime().IsZero() && t.At.IsZero() {
		parts = append(parts, t.Delivery.String())
	}
	if t.Event == "" {
		parts = append(parts, t.Update.Status, t.Update.At.Format(time.RFC3339Nano))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "|")))

	return hex.EncodeToString(sum[:])
}
