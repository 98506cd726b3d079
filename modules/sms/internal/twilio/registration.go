package twilio

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// messagingPage is how many entries a page of the messaging API has.
const messagingPage = "100"

// page is a page of the messaging API. Which list it has depends on what is asked for.
type page struct {
	Numbers []struct {
		SID string `json:"sid"`
	} `json:"phone_numbers"`
	Campaigns []struct {
		Status string `json:"campaign_status"`
	} `json:"compliance"`
	Verifications []struct {
		Number string `json:"tollfree_phone_number_sid"`
		Status string `json:"status"`
	} `json:"verifications"`
	Meta struct {
		Next string `json:"next_page_url"`
	} `json:"meta"`
}

// pages reads a list of the messaging API. A list that cannot be read is as good as empty, and known says so: an
// API key may be allowed to send and not to look at registrations.
func (a account) pages(ctx context.Context, path string, each func(page)) (known bool) {
	query := url.Values{"PageSize": {messagingPage}}
	for range mostPages {
		var p page
		if err := a.request(ctx, a.messaging, outbound.Request{Method: http.MethodGet, Path: path, Query: query}, &p); err != nil {
			return false
		}
		each(p)
		_, next, more := strings.Cut(p.Meta.Next, "?")
		if !more {
			return true
		}
		parsed, err := url.ParseQuery(next)
		if err != nil {
			return false
		}
		query = parsed
	}

	return false
}

// register fills in whether the carriers of the United States let numbers send. A local number does by the campaign of
// the messaging service that it is in (twilio.com/docs/messaging/api/usapptoperson-resource), a toll-free one by its
// own verification.
func (a account) register(ctx context.Context, numbers []provider.Owned) {
	campaign, members := a.campaign(ctx)
	verified, known := map[string]provider.Registration{}, true
	if hasTollFree(numbers) {
		known = a.pages(ctx, "Tollfree/Verifications", func(p page) {
			for _, v := range p.Verifications {
				verified[v.Number] = betterRegistration(verified[v.Number], verificationOf(v.Status))
			}
		})
	}
	for i, n := range numbers {
		switch {
		case n.Registration != provider.RegistrationUnknown:
		case n.Kind == provider.TollFree && known:
			numbers[i].Registration = betterRegistration(provider.Unregistered, verified[n.ID])
		case n.Kind != provider.TollFree && members[n.ID]:
			numbers[i].Registration = campaign
		case n.Kind != provider.TollFree && members != nil:
			numbers[i].Registration = provider.Unregistered
		}
	}
}

func hasTollFree(numbers []provider.Owned) bool {
	for _, n := range numbers {
		if n.Kind == provider.TollFree {
			return true
		}
	}

	return false
}

// campaign returns how far the best campaign of the account's messaging service is, and which numbers are in that;
// nil if there is no service, or nobody knows.
func (a account) campaign(ctx context.Context) (provider.Registration, map[string]bool) {
	if a.service == "" {
		return provider.RegistrationUnknown, nil
	}
	service := "Services/" + url.PathEscape(a.service)
	members, best := map[string]bool{}, provider.Unregistered
	known := a.pages(ctx, service+"/PhoneNumbers", func(p page) {
		for _, n := range p.Numbers {
			members[n.SID] = true
		}
	}) && a.pages(ctx, service+"/Compliance/Usa2p", func(p page) {
		for _, c := range p.Campaigns {
			best = betterRegistration(best, campaignOf(c.Status))
		}
	})
	if !known {
		return provider.RegistrationUnknown, nil
	}

	return best, members
}

func campaignOf(status string) provider.Registration {
	switch status {
	case "VERIFIED":
		return provider.Registered
	case "PENDING", "IN_PROGRESS":
		return provider.Pending
	case "FAILED", "SUSPENDED":
		return provider.Rejected
	default:
		return provider.RegistrationUnknown
	}
}

func verificationOf(status string) provider.Registration {
	switch status {
	case "TWILIO_APPROVED":
		return provider.Registered
	case "PENDING_REVIEW", "IN_REVIEW":
		return provider.Pending
	case "TWILIO_REJECTED":
		return provider.Rejected
	default:
		return provider.RegistrationUnknown
	}
}

// betterRegistration returns the registration of two that a number gets further with.
func betterRegistration(a, b provider.Registration) provider.Registration {
	if registrationRank(b) > registrationRank(a) {
		return b
	}

	return a
}

func registrationRank(r provider.Registration) int {
	switch r {
	case provider.Registered:
		return 4
	case provider.Pending:
		return 3
	case provider.RegistrationUnknown:
		return 2
	case provider.Rejected:
		return 1
	case provider.Unregistered, provider.NotRequired:
	}

	return 0
}
