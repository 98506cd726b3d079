package telnyx

import (
	"context"
	"net/http"
	"net/url"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
)

// outgoing is a message to send.
type outgoing struct {
	From    string   `json:"from"`
	To      string   `json:"to"`
	Text    string   `json:"text,omitempty"`
	Media   []string `json:"media_urls,omitempty"`
	Profile string   `json:"messaging_profile_id,omitempty"`
	Webhook string   `json:"webhook_url,omitempty"`
}

// resource is a message as Telnyx shows it.
type resource struct {
	ID        vendorhttp.Text `json:"id"`
	Direction string          `json:"direction"`
	From      struct {
		Number vendorhttp.Text `json:"phone_number"`
	} `json:"from"`
	To []struct {
		Number vendorhttp.Text `json:"phone_number"`
		Status vendorhttp.Text `json:"status"`
	} `json:"to"`
	Text  vendorhttp.Text `json:"text"`
	Parts int             `json:"parts"`
	Media []struct {
		URL vendorhttp.Text `json:"url"`
	} `json:"media"`
	Cost struct {
		Amount   vendorhttp.Text `json:"amount"`
		Currency vendorhttp.Text `json:"currency"`
	} `json:"cost"`
	Errors []failure `json:"errors"`
}

// Send implements provider.Messages.
func (a account) Send(ctx context.Context, m provider.Outgoing) (provider.Accepted, error) {
	body := outgoing{From: m.From, To: m.To, Text: m.Body, Media: m.Media, Profile: a.profile}
	if a.at.StatusURL != "" {
		body.Webhook = a.at.StatusURL + "?" + url.Values{provider.ReferenceKey: {m.Reference}}.Encode()
	}
	u, err := a.message(ctx, http.MethodPost, "messages", body)

	return provider.Accepted{ID: u.ID, Status: u.Status, Raw: u.Raw, Segments: u.Segments, Cost: u.Cost}, err
}

// Fetch implements provider.Messages.
func (a account) Fetch(ctx context.Context, id string) (provider.Update, error) {
	return a.message(ctx, http.MethodGet, "messages/"+url.PathEscape(id), nil)
}

func (a account) message(ctx context.Context, method, path string, body any) (provider.Update, error) {
	var answer struct {
		Data resource `json:"data"`
	}
	if err := a.call(ctx, method, path, nil, body, &answer); err != nil {
		return provider.Update{}, err
	}
	if answer.Data.ID == "" {
		return provider.Update{}, vendorhttp.Unreadable()
	}
	u, _ := answer.Data.update()

	return u, nil
}

// Find implements provider.Messages: Telnyx has no list of messages.
func (account) Find(context.Context, provider.Search) ([]provider.Update, bool, error) {
	return nil, false, refusal(provider.NotSupported, "")
}

// update is what a message says of itself; false if its status is not known.
func (r resource) update() (provider.Update, bool) {
	u := provider.Update{
		ID: string(r.ID), Status: provider.Sending, Segments: min(max(0, r.Parts), 1000),
		Cost: provider.Cost{Amount: string(r.Cost.Amount), Currency: string(r.Cost.Currency)},
	}
	if len(r.To) == 0 {
		return u, false
	}
	u.Raw = string(r.To[0].Status)
	known := true
	switch u.Raw {
	case "queued", "sending":
	case "sent", "delivery_unconfirmed": // the carrier sends no receipt
		u.Status = provider.Sent
	case "delivered":
		u.Status = provider.Delivered
	case "delivery_failed":
		u.Status, u.Reason = provider.Undelivered, provider.UnknownReason
	case "expired":
		u.Status, u.Reason = provider.Undelivered, provider.Expired
	case "sending_failed":
		u.Status, u.Reason = provider.Failed, provider.UnknownReason
	default:
		known = false
	}
	if u.Reason != "" && len(r.Errors) > 0 && len(r.Errors[0].Code) <= 20 {
		u.Code = string(r.Errors[0].Code)
		if m, ok := meaningOf(u.Code); ok {
			u.Reason = m.Reason
		}
	}

	return u, known
}
