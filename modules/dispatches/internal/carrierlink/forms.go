package carrierlink

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/page"
)

// formOf makes the body of what a form of the page sends.
func formOf(names ...string) func(form url.Values) any {
	return func(form url.Values) any { return bodyOf(form, names...) }
}

func bodyOf(form url.Values, names ...string) map[string]any {
	body := map[string]any{}
	for _, name := range names {
		if text := strings.TrimSpace(form.Get(name)); text != "" {
			body[name] = text
		}
	}
	if text, entered := body["amount"].(string); entered {
		body["amount"] = page.EnteredAmount(text)
	}
	who := map[string]any{}
	for _, name := range []string{"driver_name", "driver_phone", "truck", "truck_plate"} {
		if text := strings.TrimSpace(form.Get(name)); text != "" {
			who[name] = text
		}
	}
	if len(who) > 0 {
		body["crew"] = who
	}
	if text := form.Get("shown_key"); text != "" {
		body["shown_key"] = text
	}
	if text := form.Get("shown"); text != "" {
		body["shown"] = text
		if n, err := strconv.Atoi(text); err == nil {
			body["shown"] = n
		}
	}

	return body
}

func acceptForm(form url.Values) any {
	body := bodyOf(form, "pickup_date", "delivery_date")
	body["name"], body["accepted"] = form.Get("name"), form.Get("accepted") == "true"

	return body
}

func confirmForm(form url.Values) any {
	body := bodyOf(form, "name", "revision")
	body["accepted"] = form.Get("accepted") == "true"
	if n, err := strconv.Atoi(form.Get("revision")); err == nil {
		body["revision"] = n
	}

	return body
}

// proofForms are the forms by which a carrier proves who it is.
func proofForms(p proof.Demand, link string) []section {
	company := section{"Before you accept: your company", companyFields(p.USDOT, link)}
	switch {
	case p.Number, p.USDOT != "" && len(p.Channels) == 0:
		return []section{company}
	case len(p.Channels) == 0:
		return nil
	}
	to := page.Field{Name: "channel", Label: "Send it to", Hint: "The phone or e-mail that the regulator has on record for you.", Type: "select", Required: true}
	for _, c := range p.Channels {
		to.Options = append(to.Options, page.Option{Value: c.Name, Text: c.To})
	}

	return []section{
		{"Before you accept: a code", &page.Form{Action: link + "/code", Submit: "Send a code", Fields: []page.Field{to}}},
		{"Your code", codeFields(link)},
	}
}

func companyFields(usdot, link string) *page.Form {
	return &page.Form{Action: link + "/company", Submit: "Look me up", Fields: []page.Field{
		{
			Name: "usdot", Label: "USDOT number", Hint: "We then send a code to the phone or e-mail that the regulator has on record for you.", Value: usdot, InputMode: "numeric",
			MaxLength: 20, Required: true,
		},
	}}
}

func codeFields(link string) *page.Form {
	return &page.Form{Action: link + "/identify", Submit: "Confirm", Fields: []page.Field{
		{Name: "code", Label: "Code", InputMode: "numeric", Autocomplete: "one-time-code", MaxLength: 20, Required: true},
	}}
}

func declineFields(o offerShown, link string) *page.Form {
	return &page.Form{
		Action: link + "/decline", Hidden: map[string]string{"shown": strconv.Itoa(o.Shown)}, Submit: "Decline", Second: true,
		Fields: []page.Field{{Name: "note", Label: "What made you decline?", Type: "textarea", MaxLength: 500}},
	}
}

func hidden(o offerShown) map[string]string {
	return map[string]string{"shown": strconv.Itoa(o.Shown), "shown_key": o.Key}
}

func acceptFields(o offerShown, link string) *page.Form {
	form := &page.Form{Action: link + "/accept", Hidden: hidden(o), Submit: "Accept this load"}
	form.Fields = []page.Field{
		{Name: "pickup_date", Label: "Day of the pickup", Type: "date", Value: string(o.Pickup), Required: true},
		{Name: "delivery_date", Label: "Day of the delivery", Type: "date", Value: string(o.Delivery), Required: true},
		{Name: "driver_name", Label: "Driver", MaxLength: 200},
		{Name: "driver_phone", Label: "Phone of the driver", Type: "tel", MaxLength: 40},
		{Name: "name", Label: "Your name", Autocomplete: "name", MaxLength: 200, Required: true},
		{Name: "accepted", Label: "I accept this load at this pay, on these days and terms", Type: "checkbox", Required: true},
	}

	return form
}

func counterFields(o offerShown, link string) *page.Form {
	return &page.Form{Action: link + "/counter", Hidden: hidden(o), Submit: "Send the counter", Second: true, Fields: []page.Field{
		{Name: "amount", Label: "Pay", Value: string(o.Amount), InputMode: "decimal", MaxLength: 20},
		{Name: "pickup_date", Label: "Day of the pickup", Type: "date", Value: string(o.Pickup)},
		{Name: "delivery_date", Label: "Day of the delivery", Type: "date", Value: string(o.Delivery)},
		{Name: "note", Label: "Note", Type: "textarea", MaxLength: 500},
	}}
}

func collectFields(left, link string) *page.Form {
	return &page.Form{Action: link + "/collected", Submit: "Say that it was paid", Second: true, Fields: []page.Field{
		{Name: "amount", Label: "Amount", Value: left, InputMode: "decimal", MaxLength: 20, Required: true},
		{Name: "method", Label: "How?", Type: "select", Required: true, Options: []page.Option{
			{Value: "cash", Text: "Cash"},
			{Value: "certified_check", Text: "Certified check"},
			{Value: "money_order", Text: "Money order"},
			{Value: "check", Text: "Check"},
			{Value: "zelle", Text: "Zelle"},
			{Value: "venmo", Text: "Venmo"},
			{Value: "cashapp", Text: "Cash App"},
			{Value: "other", Text: "Otherwise"},
		}},
	}}
}

func confirmFields(revision int64, link string) *page.Form {
	return &page.Form{
		Action: link + "/confirm", Hidden: map[string]string{"revision": strconv.FormatInt(revision, 10)}, Submit: "Accept the new terms", Fields: []page.Field{
			{Name: "name", Label: "Your name", Autocomplete: "name", MaxLength: 200, Required: true},
			{Name: "accepted", Label: "I accept this load at this pay, on these days and terms", Type: "checkbox", Required: true},
		},
	}
}

// updateFields has when the carrier is expected as on a clock at the stop.
func updateFields(who store.Crew, pickup, delivery, link string) *page.Form {
	return &page.Form{Action: link + "/update", Submit: "Save", Fields: []page.Field{
		{Name: "driver_name", Label: "Driver", Value: who.DriverName, MaxLength: 200},
		{Name: "driver_phone", Label: "Phone of the driver", Type: "tel", Value: string(who.DriverPhone), MaxLength: 40},
		{Name: "truck", Label: "Truck", Value: who.Truck, MaxLength: 100},
		{Name: "eta_pickup", Label: "At the pickup, local time", Type: "datetime-local", Value: pickup},
		{Name: "eta_delivery", Label: "At the delivery, local time", Type: "datetime-local", Value: delivery},
	}}
}

func cancelFields(reasons []preferences.Reason, link string) *page.Form {
	why := page.Field{Name: "reason", Label: "Why?", Type: "select", Required: true}
	for _, r := range reasons {
		why.Options = append(why.Options, page.Option{Value: r.ID, Text: r.Label})
	}

	return &page.Form{Action: link + "/cancel", Submit: "Give the load back", Second: true, Fields: []page.Field{
		why, {Name: "note", Label: "Note", Type: "textarea", MaxLength: 500},
	}}
}

// FieldLabel is the label of a field of the forms.
func FieldLabel(field string) string {
	return map[string]string{
		"name": "Your name", "usdot": "USDOT number", "accepted": "Terms", "pickup_date": "Day of the pickup", "delivery_date": "Day of the delivery", "amount": "Pay", "driver_phone": "Phone of the driver",
		"eta_pickup": "At the pickup", "eta_delivery": "At the delivery", "reason": "Why?",
	}[field]
}
