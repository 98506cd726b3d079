package telnyx

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendorhttp"
)

// numberResource is a number as Telnyx shows it.
type numberResource struct {
	ID       vendorhttp.Text `json:"id"`
	Number   string          `json:"phone_number"`
	Features []struct {
		Name string `json:"name"`
	} `json:"features"`
	Regions []struct {
		Type string `json:"region_type"`
		Name string `json:"region_name"`
	} `json:"region_information"`
}

// Search implements provider.Numbers.
func (a account) Search(ctx context.Context, q provider.NumberQuery) ([]provider.Available, error) {
	if q.Kind == "" {
		q.Kind = provider.Local
	}
	query := url.Values{
		"filter[country_code]": {q.Country}, "filter[phone_number_type]": {string(q.Kind)}, "filter[limit]": {strconv.Itoa(q.Limit)},
	}
	for name, value := range map[string]string{"filter[national_destination_code]": q.AreaCode, "filter[phone_number][contains]": q.Contains} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, wanted := range map[string]bool{"sms": q.SMS, "mms": q.MMS} {
		if wanted {
			query.Add("filter[features][]", name)
		}
	}
	var page struct {
		Data []numberResource `json:"data"`
	}
	if err := a.call(ctx, http.MethodGet, "available_phone_numbers", query, nil, &page); err != nil {
		return nil, err
	}
	found := make([]provider.Available, 0, len(page.Data))
	for _, n := range page.Data {
		found = append(found, n.available(q.Kind))
	}

	return found, nil
}

func (n numberResource) available(kind provider.Kind) provider.Available {
	a := provider.Available{Number: n.Number, Kind: kind}
	for _, f := range n.Features {
		switch f.Name {
		case "sms":
			a.Features.SMS = true
		case "mms":
			a.Features.MMS = true
		case "voice":
			a.Features.Voice = true
		}
	}
	for _, r := range n.Regions {
		switch r.Type {
		case "state":
			a.Region = r.Name
		case "location", "rate_center":
			a.Locality = r.Name
		}
	}

	return a
}

// Buy implements provider.Numbers. It looks first whether the account has the number: an answer may have been lost.
func (a account) Buy(ctx context.Context, number string) (provider.Owned, error) {
	found, err := a.page(ctx, url.Values{"filter[phone_number]": {number}})
	if err != nil {
		return provider.Owned{}, err
	}
	if o, ok := findNumber(found.Data, number); ok {
		return o, nil
	}
	order := map[string]any{"phone_numbers": []map[string]string{{"phone_number": number}}}
	if a.profile != "" {
		order["messaging_profile_id"] = a.profile
	}
	var answer struct {
		Data struct {
			ID     vendorhttp.Text  `json:"id"`
			Status string           `json:"status"`
			Parts  []numberResource `json:"phone_numbers"`
		} `json:"data"`
	}
	if err := a.call(ctx, http.MethodPost, "number_orders", nil, order, &answer); err != nil {
		return provider.Owned{}, err
	}
	switch {
	case answer.Data.Status == "failure":
		return provider.Owned{}, refusal(provider.NumberNotAvailable, "The order failed.")
	case answer.Data.ID == "":
		return provider.Owned{}, vendorhttp.Unreadable()
	}
	// The order is taken, and carried out a moment later. Who releases the number asks for its id then.
	return owned("", number), nil
}

func findNumber(list []numberResource, number string) (provider.Owned, bool) {
	for _, n := range list {
		if n.Number == number {
			return owned(string(n.ID), number), true
		}
	}

	return provider.Owned{}, false
}

// Release implements provider.Numbers.
func (a account) Release(ctx context.Context, o provider.Owned) error {
	if o.ID == "" {
		found, err := a.page(ctx, url.Values{"filter[phone_number]": {o.Number}})
		if err != nil {
			return err
		}
		known, ok := findNumber(found.Data, o.Number)
		if !ok {
			return nil
		}
		o = known
	}
	err := a.call(ctx, http.MethodDelete, "phone_numbers/"+url.PathEscape(o.ID), nil, nil, nil)
	if vendorhttp.IsNotFound(err) {
		return nil
	}

	return err
}

// SetCallbacks implements provider.Numbers: it puts the number into the messaging profile, and sets that one's address.
func (a account) SetCallbacks(ctx context.Context, o provider.Owned) error {
	if a.profile == "" {
		return refusal(provider.NotSupported, "The account has no messaging_profile_id.")
	}
	if a.at.MessageURL == "" {
		return nil
	}
	body := map[string]string{"webhook_url": a.at.MessageURL, "webhook_failover_url": a.at.MessageURL, "webhook_api_version": "2"}
	if err := a.call(ctx, http.MethodPatch, a.profilePath(), nil, body, nil); err != nil {
		return err
	}

	return a.call(ctx, http.MethodPatch, "phone_numbers/"+url.PathEscape(o.ID)+"/messaging", nil,
		map[string]string{"messaging_profile_id": a.profile}, nil)
}

const (
	pageSize  = "250"
	mostPages = 40
)

// numberPage is a page of the account's numbers.
type numberPage struct {
	Data []numberResource `json:"data"`
	Meta struct {
		Pages int `json:"total_pages"`
	} `json:"meta"`
}

func (a account) page(ctx context.Context, query url.Values) (p numberPage, err error) {
	err = a.call(ctx, http.MethodGet, "phone_numbers", query, nil, &p)

	return p, err
}

// List implements provider.Numbers.
func (a account) List(ctx context.Context) ([]provider.Owned, error) {
	var all []provider.Owned
	for n := 1; n <= mostPages; n++ {
		p, err := a.page(ctx, url.Values{"page[size]": {pageSize}, "page[number]": {strconv.Itoa(n)}})
		if err != nil {
			return nil, err
		}
		for _, r := range p.Data {
			all = append(all, owned(string(r.ID), r.Number))
		}
		if n >= p.Meta.Pages {
			break
		}
	}

	return all, nil
}

// owned is a number of the account. What it can do, its resource does not say: text messages are taken for granted.
func owned(id, number string) provider.Owned {
	o := provider.Owned{
		ID: id, Number: number, Kind: provider.Local, Features: provider.Features{SMS: true, MMS: true, Voice: true},
		Registration: provider.RegistrationUnknown,
	}
	if phone.IsTollFree(number) {
		o.Kind = provider.TollFree
	}
	if !strings.HasPrefix(number, "+1") {
		o.Registration, o.Features.MMS = provider.NotRequired, false
	}

	return o
}
