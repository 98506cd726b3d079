package twilio

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
)

// resource is a message as Twilio shows it.
type resource struct {
	SID         vendorhttp.Text `json:"sid"`
	Status      vendorhttp.Text `json:"status"`
	Body        string          `json:"body"`
	ErrorCode   vendorhttp.Text `json:"error_code"`
	NumSegments vendorhttp.Text `json:"num_segments"`
	Price       vendorhttp.Text `json:"price"`
	PriceUnit   vendorhttp.Text `json:"price_unit"`
	DateCreated string          `json:"date_created"`
	Direction   string          `json:"direction"`
	From        vendorhttp.Text `json:"from"`
	To          vendorhttp.Text `json:"to"`
	NumMedia    vendorhttp.Text `json:"num_media"`
}

// Send implements provider.Messages.
func (a account) Send(ctx context.Context, m provider.Outgoing) (provider.Accepted, error) {
	form := url.Values{"To": {m.To}, "From": {m.From}}
	if m.Body != "" {
		form.Set("Body", m.Body)
	}
	if a.service != "" {
		form.Set("MessagingServiceSid", a.service)
	}
	for _, link := range m.Media {
		form.Add("MediaUrl", link)
	}
	if a.at.StatusURL != "" {
		form.Set("StatusCallback", a.at.StatusURL+"?"+url.Values{provider.ReferenceKey: {m.Reference}}.Encode())
	}
	var r resource
	if err := a.call(ctx, http.MethodPost, "Messages.json", nil, form, &r); err != nil {
		return provider.Accepted{}, err
	}
	if r.SID == "" {
		return provider.Accepted{}, vendorhttp.Unreadable()
	}
	u := r.update()

	return provider.Accepted{ID: u.ID, Status: u.Status, Raw: u.Raw, Segments: u.Segments, Cost: u.Cost}, nil
}

// Fetch implements provider.Messages.
func (a account) Fetch(ctx context.Context, id string) (provider.Update, error) {
	var r resource
	if err := a.call(ctx, http.MethodGet, "Messages/"+url.PathEscape(id)+".json", nil, nil, &r); err != nil {
		return provider.Update{}, err
	}
	if r.SID == "" {
		return provider.Update{}, vendorhttp.Unreadable()
	}

	return r.update(), nil
}

// findPage is how many of the newest messages from one number to another are looked at.
const findPage = "200"

// Find implements provider.Messages. It is not narrowed by DateSent: a message that waits at Twilio has none. It is
// never complete: Twilio says of no time after which its list has every message that it has taken.
func (a account) Find(ctx context.Context, s provider.Search) (found []provider.Update, complete bool, err error) {
	var page struct {
		Messages []resource `json:"messages"`
	}
	query := url.Values{"To": {s.To}, "From": {s.From}, "PageSize": {findPage}}
	if err := a.call(ctx, http.MethodGet, "Messages.json", query, nil, &page); err != nil {
		return nil, false, err
	}
	for _, r := range page.Messages {
		made, unreadable := time.Parse(time.RFC1123Z, r.DateCreated)
		if r.SID == "" || r.Body != s.Body || unreadable != nil || made.Before(s.Since) || strings.HasPrefix(r.Direction, "inbound") {
			continue
		}
		found = append(found, r.update())
	}

	return found, false, nil
}

func (r resource) update() provider.Update {
	status, _ := statusOf(string(r.Status))
	u := provider.Update{ID: string(r.SID), Status: status, Raw: string(r.Status), Segments: countCharacters(string(r.NumSegments))}
	if r.Price != "" {
		u.Cost = provider.Cost{Amount: strings.TrimPrefix(string(r.Price), "-"), Currency: string(r.PriceUnit)}
	}

	return withFailure(u, string(r.ErrorCode))
}
