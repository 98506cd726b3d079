package twilio

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// receivedPage is how many messages a page has.
const receivedPage = "200"

// FetchInbound implements provider.Messages. Twilio narrows by the day.
func (a account) FetchInbound(ctx context.Context, m provider.Missed) ([]provider.Inbound, error) {
	var all []provider.Inbound
	query := url.Values{"To": {m.To}, "DateSent>": {m.Since.UTC().Format(time.DateOnly)}, "PageSize": {receivedPage}}
	for range mostPages {
		var page struct {
			Messages []resource `json:"messages"`
			Next     string     `json:"next_page_uri"`
		}
		if err := a.call(ctx, http.MethodGet, "Messages.json", query, nil, &page); err != nil {
			return nil, err
		}
		for _, r := range page.Messages {
			in, fits := r.received(m)
			if !fits {
				continue
			}
			if known, err := m.Known(ctx, in.ID); err != nil || known {
				if err != nil {
					return nil, err
				}

				continue
			}
			if err := a.attach(ctx, &in, countCharacters(string(r.NumMedia))); err != nil {
				return nil, err
			}
			all = append(all, in)
		}
		_, next, more := strings.Cut(page.Next, "?")
		if !more {
			break
		}
		parsed, err := url.ParseQuery(next)
		if err != nil {
			return nil, vendorhttp.Unreadable()
		}
		query = parsed
	}

	return all, nil
}

// received is a message from outside; false if it is none, or was not asked for.
func (r resource) received(m provider.Missed) (provider.Inbound, bool) {
	at, err := time.Parse(time.RFC1123Z, r.DateCreated)
	in := provider.Inbound{
		ID: string(r.SID), From: string(r.From), To: string(r.To), Body: r.Body, Segments: countCharacters(string(r.NumSegments)), At: at.UTC(),
	}

	return in, err == nil && r.Direction == "inbound" && in.ID != "" && len(in.ID) <= 64 && in.To == m.To && in.From != "" && len(in.From) <= 100 &&
		!at.Before(m.Since)
}

// attach adds the links of a message's files.
func (a account) attach(ctx context.Context, in *provider.Inbound, files int) error {
	if files == 0 {
		return nil
	}
	var list struct {
		Media []struct {
			SID vendorhttp.Text `json:"sid"`
		} `json:"media_list"`
	}
	path := "Messages/" + url.PathEscape(in.ID) + "/Media"
	if err := a.call(ctx, http.MethodGet, path+".json", nil, nil, &list); err != nil {
		return err
	}
	for _, file := range list.Media[:min(len(list.Media), mostMedia)] {
		in.Media = append(in.Media, a.accountURL()+path+"/"+url.PathEscape(string(file.SID)))
	}

	return nil
}

// accountURL is the address of everything of the account.
func (a account) accountURL() string { return a.base + "/Accounts/" + url.PathEscape(a.sid) + "/" }

// Media implements provider.Messages. The credentials go to the account's own address alone.
func (a account) Media(ctx context.Context, link string) (provider.File, error) {
	var auth outbound.Authorize
	if strings.HasPrefix(link, a.accountURL()) {
		auth = a.auth()
	}

	return a.files.Get(ctx, link, a.at.Key, auth)
}
