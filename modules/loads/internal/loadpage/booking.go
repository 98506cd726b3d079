package loadpage

import (
	"net/url"
	"strings"

	"github.com/dispatchd/dispatchd/platform/page"
)

// Body is the body of what the page sends.
func Body(form url.Values) any {
	body := map[string]any{"tariff": form.Get("tariff"), "shown_key": form.Get("shown_key"), "name": form.Get("name"), "accepted": form.Get("accepted") == "true"}
	if day := form.Get("available_from"); day != "" {
		body["available_from"] = day
	}
	for _, end := range []string{"pickup", "delivery"} {
		of := map[string]string{}
		for _, name := range []string{"line1", "name", "phone"} {
			if text := strings.TrimSpace(form.Get(end + "." + name)); text != "" {
				of[name] = text
			}
		}
		body[end] = of
	}

	return body
}

// bookForm is the form by which a customer books a load as it is shown. Of one without a first day for its pickup, the customer names it.
func bookForm(l load, link string) *page.Form {
	form := &page.Form{Action: link + "/book", Hidden: map[string]string{"tariff": string(l.Tariff), "shown_key": l.ShownKey}, Submit: "Book this transport"}
	if l.AvailableFrom == "" {
		form.Fields = append(form.Fields, page.Field{Name: "available_from", Label: "First day for the pickup", Type: "date", Required: true})
	}
	for _, end := range []struct{ name, label string }{{"pickup", "Pickup"}, {"delivery", "Delivery"}} {
		form.Fields = append(form.Fields, page.Field{Type: "group", Label: end.label, Fields: []page.Field{
			{Name: end.name + ".line1", Label: "Street and number", MaxLength: 200},
			{Name: end.name + ".name", Label: "Whom the driver meets", MaxLength: 200},
			{Name: end.name + ".phone", Label: "Phone", Type: "tel", MaxLength: 30},
		}})
	}
	form.Fields = append(form.Fields,
		page.Field{Name: "name", Label: "Your name", Autocomplete: "name", MaxLength: 200, Required: true},
		page.Field{Name: "accepted", Label: "I accept the price, and order the transport", Type: "checkbox", Required: true},
	)

	return form
}
