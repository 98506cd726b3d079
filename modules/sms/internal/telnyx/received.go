package telnyx

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
)

// recordPage is the most detail records that a page has.
const recordPage = "50"

// record is a message among the detail records, which have no texts.
type record struct {
	ID vendorhttp.Text `json:"uuid"`
	At time.Time       `json:"created_at"`
}

// FetchInbound implements provider.Messages: the detail records say which messages there were, and each that is new is read.
// Telnyx keeps messages for ten days.
func (a account) FetchInbound(ctx context.Context, m provider.Missed) ([]provider.Inbound, error) {
	var all []provider.Inbound
	for n := 1; n <= mostPages; n++ {
		var page struct {
			Data []record `json:"data"`
			Meta struct {
				Pages int `json:"total_pages"`
			} `json:"meta"`
		}
		query := url.Values{
			"filter[record_type]": {"messaging"}, "filter[direction]": {"inbound"}, "filter[cld]": {m.To}, "sort": {"created_at"},
			"filter[created_at][gte]": {m.Since.UTC().Format(time.RFC3339)}, "page[size]": {recordPage}, "page[number]": {strconv.Itoa(n)},
		}
		if err := a.call(ctx, http.MethodGet, "detail_records", query, nil, &page); err != nil {
			return nil, err
		}
		for _, r := range page.Data {
			in, found, err := a.receivedOne(ctx, m, r)
			if err != nil {
				return nil, err
			}
			if found {
				all = append(all, in)
			}
		}
		if n >= page.Meta.Pages {
			break
		}
	}

	return all, nil
}

// receivedOne reads the message of a record; false if it is known, gone, or not what was asked for.
func (a account) receivedOne(ctx context.Context, m provider.Missed, r record) (provider.Inbound, bool, error) {
	id := string(r.ID)
	if id == "" || len(id) > 64 {
		return provider.Inbound{}, false, nil
	}
	if known, err := m.Known(ctx, id); err != nil || known {
		return provider.Inbound{}, false, err
	}
	var answer struct {
		Data resource `json:"data"`
	}
	err := a.call(ctx, http.MethodGet, "messages/"+url.PathEscape(id), nil, nil, &answer)
	if vendorhttp.IsNotFound(err) {
		return provider.Inbound{}, false, nil
	}
	if err != nil || answer.Data.Direction != "inbound" || string(answer.Data.ID) != id || len(answer.Data.To) == 0 {
		return provider.Inbound{}, false, err
	}
	notice := inboundNotice(answer.Data, r.At)
	if notice.Inbound == nil || notice.Inbound.To != m.To {
		return provider.Inbound{}, false, nil
	}

	return *notice.Inbound, true, nil
}

// Media implements provider.Messages. Telnyx's links need no credentials.
func (a account) Media(ctx context.Context, link string) (provider.File, error) {
	return a.files.Get(ctx, link, a.at.Key, nil)
}
