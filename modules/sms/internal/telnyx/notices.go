package telnyx

import (
	"encoding/json"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
	"github.com/dispatchd/dispatchd/platform/inbound"
)

const mostMedia = 10

// event is a webhook.
type event struct {
	Data struct {
		ID      vendorhttp.Text `json:"id"`
		Type    vendorhttp.Text `json:"event_type"`
		At      vendorhttp.Text `json:"occurred_at"`
		Payload resource        `json:"payload"`
	} `json:"data"`
}

// Key tells webhooks apart: by the id of the event, which its repeats have in common.
func Key(n inbound.Notification) string {
	var e event
	if json.Unmarshal(n.Body, &e) == nil && e.Data.ID != "" {
		return string(e.Data.ID)
	}

	return inbound.ByBody(n)
}

// Read reads a verified webhook. Whose account it is, its key has told.
func Read(_ provider.Credentials, n inbound.Notification) provider.Notice {
	var e event
	if json.Unmarshal(n.Body, &e) != nil {
		return provider.Ignore("it cannot be read")
	}
	m := e.Data.Payload
	at, _ := time.Parse(time.RFC3339, string(e.Data.At)) //nolint:errcheck // then it is now
	switch {
	case m.ID == "" || len(m.ID) > 64 || len(m.To) == 0:
		return provider.Ignore("it has no id, or no recipient")
	case e.Data.Type == "message.received":
		return inboundNotice(m, at)
	case e.Data.Type != "message.sent" && e.Data.Type != "message.finalized":
		return provider.Ignore("an unknown event")
	}
	u, known := m.update()
	if !known {
		return provider.Ignore("an unknown status")
	}
	u.Reference, u.At = provider.ReferenceOf(n.Target), at.UTC()

	return provider.Notice{Update: &u}
}

func inboundNotice(m resource, at time.Time) provider.Notice {
	in := provider.Inbound{
		ID: string(m.ID), From: string(m.From.Number), To: string(m.To[0].Number), Body: string(m.Text),
		Segments: min(max(0, m.Parts), 1000), At: at.UTC(),
	}
	if in.From == "" || in.To == "" || len(in.From) > 100 || len(in.To) > 100 {
		return provider.Ignore("it has no sender, or no recipient")
	}
	for _, file := range m.Media[:min(len(m.Media), mostMedia)] {
		if vendorhttp.IsLink(string(file.URL)) {
			in.Media = append(in.Media, string(file.URL))
		}
	}

	return provider.Notice{Inbound: &in}
}
