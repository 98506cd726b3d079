package driverlink

import (
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/billpage"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/inspecting"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/signing"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/damage"
	"github.com/dispatchd/dispatchd/platform/page"
)

// addForms adds what the driver enters to a bill of lading.
func addForms(t *billpage.Bill, b report.Report, link string) {
	if b.Due == "" {
		t.Notes = append(t.Notes, "All is signed. Thank you.")

		return
	}
	done := true
	for i, v := range b.Vehicles {
		at := v.Pickup
		if b.Due == store.AtDelivery {
			at = v.Delivery
		}
		if at != nil && at.State == store.Submitted {
			continue
		}
		done = false
		t.Cars[i].Outline = true
		t.Cars[i].Aside = vehicleForms(v.Vehicle, b, at, link)
	}
	roles := map[string]bool{}
	for _, s := range b.Signatures {
		roles[s.Role] = roles[s.Role] || s.Stage == b.Due
	}
	if !done {
		t.Notes = append(t.Notes, "Inspect all vehicles, then sign at the "+string(b.Due)+".")

		return
	}
	hidden := func(role string) map[string]string {
		return map[string]string{"bol_uuid": b.UUID.String(), "stage": string(b.Due), "role": role, "strokes": ""}
	}
	scope := b.UUID.String()
	if !roles[store.Driver] {
		t.Forms = append(t.Forms, billpage.Section{
			Title: "Driver", Form: signatureFields("Sign as the driver", hidden(store.Driver), link).Apart("d" + scope), Text: signing.Statement(b.Due, store.Driver),
		})
	}
	other := b.Due.Counterpart()
	if roles[other] {
		return
	}
	customer := signatureFields("Sign as the customer", hidden(other), link)
	customer.Second = true
	t.Forms = append(t.Forms, billpage.Section{Title: "Customer", Form: customer.Apart("c" + scope), Text: signing.Statement(b.Due, other)})
	t.Aside = append(t.Aside, billpage.Section{Title: "Sign on the customer's phone", Form: signLinkFields(b.UUID.String(), link).Apart("l" + scope)})
	if b.Inspection != store.Standard {
		return
	}
	absent := hidden(other)
	absent["method"] = store.NotAvailable
	t.Aside = append(t.Aside, billpage.Section{Title: "No one is there to sign", Form: absentFields(absent, link).Apart("n" + scope)})
}

func signatureFields(submit string, hidden map[string]string, link string) *page.Form {
	return &page.Form{Action: link + "/signatures", Hidden: hidden, Submit: submit, Name: "signature", Fields: billpage.SignerFields()}
}

func signLinkFields(bill, link string) *page.Form {
	return &page.Form{
		Action: link + "/sign_links", Hidden: map[string]string{"bol_uuid": bill}, Submit: "Make a link", Second: true,
		Fields: []page.Field{{Name: "to", Label: "Phone or e-mail to send it to", MaxLength: 320}},
	}
}

func absentFields(hidden map[string]string, link string) *page.Form {
	return &page.Form{
		Action: link + "/signatures", Hidden: hidden, Submit: "Go on without a signature", Second: true, Name: "entry",
		Fields: []page.Field{{Name: "reason", Label: "Why?", MaxLength: 500, Required: true}},
	}
}

// vehicleForms are what the driver enters of a vehicle.
func vehicleForms(v store.Vehicle, b report.Report, at *report.Inspection, link string) []billpage.Section {
	hidden := func() map[string]string {
		return map[string]string{"vehicle_uuid": v.UUID.String(), "stage": string(b.Due)}
	}
	if at == nil {
		at = &report.Inspection{Drivable: "unknown", Weather: "dry", Unit: "mi"}
	}
	scope := v.UUID.String()
	what := page.Field{Name: "subject", Label: "What it shows", Type: "select", Value: "front"}
	for _, s := range inspecting.Subjects {
		what.Options = append(what.Options, page.Option{Value: s, Text: strings.ReplaceAll(s, "_", " ")})
	}
	note := hidden()
	note["x"], note["y"] = "", ""
	if b.Inspection == store.AIAG {
		note["code_system"] = "aiag"
	}

	photo := &page.Form{Action: link + "/photos", Hidden: hidden(), Submit: "Send the photo", Second: true, Name: "entry", Fields: []page.Field{
		what, {Name: "file", Label: "Photo", Type: "file", Accept: "image/*", Required: true},
	}}
	submission := &page.Form{Action: link + "/submissions", Hidden: hidden(), Submit: "The inspection is complete", Name: "entry"}

	return []billpage.Section{
		{Title: "Add a photo", Form: photo.Apart("p" + scope)},
		{Title: "Note a damage", Form: damageFields(b.Inspection == store.AIAG, note, link).Apart("m" + scope)},
		{Title: "Say how the vehicle is", Form: inspectionFields(at, hidden(), link).Apart("i" + scope)},
		{Title: "Inspection complete", Form: submission.Apart("s" + scope)},
	}
}

func damageFields(aiag bool, hidden map[string]string, link string) *page.Form {
	where := page.Field{Name: "side", Label: "Side", Type: "select", Value: "unknown"}
	for _, s := range []string{"unknown", "left", "right", "front", "rear", "top", "interior"} {
		where.Options = append(where.Options, page.Option{Value: s, Text: s})
	}
	code := page.Field{Name: "code", Label: "Damage", Type: "select"}
	for _, c := range letters() {
		code.Options = append(code.Options, page.Option{Value: c.ID, Text: c.Label})
	}
	if aiag {
		code = page.Field{Name: "code", Label: "AIAG code", Hint: "Five digits: area, type and severity.", InputMode: "numeric", MaxLength: 5, Required: true}
	}

	return &page.Form{Action: link + "/damages", Hidden: hidden, Submit: "Note the damage", Second: true, Name: "damage", Fields: []page.Field{
		code, where, {Name: "note", Label: "Note", MaxLength: 1000},
	}}
}

func inspectionFields(at *report.Inspection, hidden map[string]string, link string) *page.Form {
	return &page.Form{
		Action: link + "/inspections", Hidden: hidden, Submit: "Save", Second: true, Name: "entry", Fields: []page.Field{
			{Name: "inspector", Label: "Your name", Value: at.Inspector, MaxLength: 200, Autocomplete: "name"},
			{Name: "vin_scanned", Label: "VIN on the vehicle", Value: at.VIN, MaxLength: 20},
			{Name: "odometer", Label: "Odometer, in miles", Value: numberText(at.Odometer), InputMode: "numeric", MaxLength: 9},
			{Name: "keys_count", Label: "Keys", Value: numberText(at.Keys), InputMode: "numeric", MaxLength: 2},
			{Name: "fuel_eighths", Label: "Fuel, in eighths", Value: numberText(at.Fuel), InputMode: "numeric", MaxLength: 1},
			{Name: "drivable", Label: "Does it drive?", Type: "select", Value: at.Drivable, Options: []page.Option{{Value: "unknown", Text: "Not tried"}, {Value: "yes", Text: "Yes"}, {Value: "no", Text: "No"}}},
			{Name: "weather", Label: "Seen when it was", Type: "select", Value: at.Weather, Options: []page.Option{{Value: "dry", Text: "dry"}, {Value: "wet", Text: "wet"}, {Value: "snow", Text: "snow"}, {Value: "dark", Text: "dark"}}},
			{Name: "loose_items", Label: "Left in it", Value: at.Loose, MaxLength: 2000},
			{Name: "notes", Label: "Notes", Type: "textarea", Value: at.Notes, MaxLength: 5000},
		},
	}
}

func numberText(n *int64) string {
	if n == nil {
		return ""
	}

	return strconv.FormatInt(*n, 10)
}

func letters() []damage.Code {
	codes, err := damage.Load()
	if err != nil {
		return nil
	}

	return codes.Letters
}
