package twilio

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

// features are what a number can do; Twilio writes them in both ways.
type features struct {
	SMS   bool `json:"sms"`
	MMS   bool `json:"mms"`
	Voice bool `json:"voice"`
	Large bool `json:"SMS"`
	Media bool `json:"MMS"`
}

func (f features) ours() provider.Features {
	return provider.Features{SMS: f.SMS || f.Large, MMS: f.MMS || f.Media, Voice: f.Voice}
}

// numberResource is a number as Twilio shows it.
type numberResource struct {
	SID          string   `json:"sid"`
	Number       string   `json:"phone_number"`
	Locality     string   `json:"locality"`
	Region       string   `json:"region"`
	Capabilities features `json:"capabilities"`
}

// Search implements provider.Numbers.
func (a account) Search(ctx context.Context, q provider.NumberQuery) ([]provider.Available, error) {
	kind, folder := q.Kind, ""
	switch kind {
	case provider.TollFree:
		folder = "TollFree"
	case provider.Mobile:
		folder = "Mobile"
	case provider.Local, "":
		kind, folder = provider.Local, "Local"
	default:
		return nil, &provider.Error{Reason: provider.NotSupported, Taken: provider.No}
	}
	query := url.Values{"PageSize": {strconv.Itoa(q.Limit)}}
	for name, value := range map[string]string{"AreaCode": q.AreaCode, "Contains": q.Contains} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, wanted := range map[string]bool{"SmsEnabled": q.SMS, "MmsEnabled": q.MMS} {
		if wanted {
			query.Set(name, "true")
		}
	}
	var page struct {
		Numbers []numberResource `json:"available_phone_numbers"`
	}
	err := a.call(ctx, http.MethodGet, "AvailablePhoneNumbers/"+url.PathEscape(q.Country)+"/"+folder+".json", query, nil, &page)
	if vendorhttp.IsNotFound(err) { // no numbers of this kind in this country
		return nil, nil
	}
	found := make([]provider.Available, 0, len(page.Numbers))
	for _, n := range page.Numbers {
		found = append(found, provider.Available{
			Number: n.Number, Kind: kind, Locality: n.Locality, Region: n.Region, Features: n.Capabilities.ours(),
		})
	}

	return found, err
}

// Buy implements provider.Numbers. It looks first whether the account has the number: an answer may have been lost.
func (a account) Buy(ctx context.Context, number string) (provider.Owned, error) {
	var page struct {
		Numbers []numberResource `json:"incoming_phone_numbers"`
	}
	if err := a.call(ctx, http.MethodGet, "IncomingPhoneNumbers.json", url.Values{"PhoneNumber": {number}}, nil, &page); err != nil {
		return provider.Owned{}, err
	}
	for _, n := range page.Numbers {
		if n.Number == number {
			return n.owned(), a.SetCallbacks(ctx, n.owned())
		}
	}
	form := a.pointing()
	form.Set("PhoneNumber", number)
	var n numberResource
	if err := a.call(ctx, http.MethodPost, "IncomingPhoneNumbers.json", nil, form, &n); err != nil {
		return provider.Owned{}, err
	}
	if n.SID == "" || n.Number != number {
		return provider.Owned{}, vendorhttp.Unreadable()
	}

	return n.owned(), nil
}

// pointing is the form that brings us what comes to a number. StatusCallback of a number is not set: it is for calls,
// and statuses of messages go where each message says. The fallback is the same address: it is Twilio's one repeat.
func (a account) pointing() url.Values {
	if a.at.MessageURL == "" {
		return url.Values{}
	}

	return url.Values{
		"SmsUrl": {a.at.MessageURL}, "SmsMethod": {http.MethodPost}, "SmsFallbackUrl": {a.at.MessageURL}, "SmsFallbackMethod": {http.MethodPost},
	}
}

// SetCallbacks implements provider.Numbers. Without an address of ours it changes nothing.
func (a account) SetCallbacks(ctx context.Context, o provider.Owned) error {
	form := a.pointing()
	if len(form) == 0 {
		return nil
	}

	return a.call(ctx, http.MethodPost, "IncomingPhoneNumbers/"+url.PathEscape(o.ID)+".json", nil, form, nil)
}

// Release implements provider.Numbers.
func (a account) Release(ctx context.Context, o provider.Owned) error {
	err := a.call(ctx, http.MethodDelete, "IncomingPhoneNumbers/"+url.PathEscape(o.ID)+".json", nil, nil, nil)
	if vendorhttp.IsNotFound(err) {
		return nil
	}

	return err
}

const (
	pageSize  = "1000"
	mostPages = 20
)

// List implements provider.Numbers.
func (a account) List(ctx context.Context) ([]provider.Owned, error) {
	var all []provider.Owned
	query := url.Values{"PageSize": {pageSize}}
	for range mostPages {
		var page struct {
			Numbers []numberResource `json:"incoming_phone_numbers"`
			Next    string           `json:"next_page_uri"`
		}
		if err := a.call(ctx, http.MethodGet, "IncomingPhoneNumbers.json", query, nil, &page); err != nil {
			return nil, err
		}
		for _, n := range page.Numbers {
			all = append(all, n.owned())
		}
		_, next, more := strings.Cut(page.Next, "?")
		if !more {
			a.register(ctx, all)

			return all, nil
		}
		// Of the address of the next page, the query alone is taken: the credentials go nowhere else.
		parsed, err := url.ParseQuery(next)
		if err != nil {
			return nil, vendorhttp.Unreadable()
		}
		query = parsed
	}
	a.register(ctx, all)

	return all, nil
}

func (n numberResource) owned() provider.Owned {
	o := provider.Owned{
		ID: n.SID, Number: n.Number, Kind: provider.Local, Features: n.Capabilities.ours(), Registration: provider.RegistrationUnknown,
	}
	if phone.IsTollFree(n.Number) {
		o.Kind = provider.TollFree
	}
	if !strings.HasPrefix(n.Number, "+1") {
		o.Registration = provider.NotRequired
	}

	return o
}
