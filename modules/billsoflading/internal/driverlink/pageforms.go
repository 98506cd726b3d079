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
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/page"
)

// verbs are what drivers do on their page.
func verbs() []face.Verb {
	return []face.Verb{
		{Name: "photos", Title: "Add a photo", Submit: "Send the photo", Second: true, Fields: []page.Field{
			choice("subject", "What it shows", inspecting.Subjects...), {Name: "file", Label: "Photo", Type: "file", Accept: "image/*", Required: true},
		}},
		{Name: "damages", Title: "Note a damage", Submit: "Note the damage", Second: true, Fields: []page.Field{
			{Name: "code", Label: "Damage", Type: "select", Options: letters()},
			choice("side", "Side", "unknown", "left", "right", "front", "rear", "top", "interior"),
			{Name: "note", Label: "Note", MaxLength: 1000},
		}},
		{Name: "inspections", Title: "Say how the vehicle is", Submit: "Save", Second: true, Fields: []page.Field{
			{Name: "inspector", Label: "Your name", MaxLength: 200, Autocomplete: "name"},
			{Name: "vin_scanned", Label: "VIN on the vehicle", MaxLength: 20},
			{Name: "odometer", Label: "Odometer, in miles", InputMode: "numeric", MaxLength: 9},
			{Name: "keys_count", Label: "Keys", InputMode: "numeric", MaxLength: 2},
			{Name: "fuel_eighths", Label: "Fuel, in eighths", InputMode: "numeric", MaxLength: 1},
			{Name: "drivable", Label: "Does it drive?", Type: "select", Options: []page.Option{{Value: "unknown", Text: "Not tried"}, {Value: "yes", Text: "Yes"}, {Value: "no", Text: "No"}}},
			choice("weather", "Seen when it was", "dry", "wet", "snow", "dark"),
			{Name: "loose_items", Label: "Left in it", MaxLength: 2000},
			{Name: "notes", Label: "Notes", Type: "textarea", MaxLength: 5000},
		}},
		{Name: "submissions", Submit: "The inspection is complete"},
		{Name: "signatures", Submit: "Sign", Fields: []page.Field{billpage.Signer, {Name: "reason", Label: "Why?", MaxLength: 500, Required: true}}},
		{Name: "sign_links", Title: "Sign on the customer's phone", Submit: "Make a link", Second: true, Fields: []page.Field{
			{Name: "to", Label: "Phone or e-mail to send it to", MaxLength: 320},
		}},
	}
}

// choice is a field with values that are their own texts.
func choice(name, label string, values ...string) page.Field {
	f := page.Field{Name: name, Label: label, Type: "select"}
	for _, v := range values {
		f.Options = append(f.Options, page.Option{Value: v, Text: strings.ReplaceAll(v, "_", " ")})
	}

	return f
}

// letters are the damages by the letters of the trade.
func letters() (options []page.Option) {
	codes, err := damage.Load()
	if err != nil {
		return nil
	}
	for _, c := range codes.Letters {
		options = append(options, page.Option{Value: c.ID, Text: c.Label})
	}

	return options
}

// aiag is the field of a damage where manufacturers ask for their codes.
var aiag = page.Field{Name: "code", Label: "AIAG code", Hint: "Five digits: area, type and severity.", InputMode: "numeric", MaxLength: 5, Required: true}

// record adds what the driver records of a vehicle at the stage that is next.
func record(card *face.Card, b report.Report, v report.Vehicle) {
	of := map[string]string{"vehicle_uuid": v.Vehicle.UUID.String(), "stage": string(b.Due)}
	damaged := face.Act{Verb: "damages", Hidden: map[string]string{"vehicle_uuid": of["vehicle_uuid"], "stage": of["stage"], "x": "", "y": ""}}
	if b.Inspection == store.AIAG {
		damaged.Hidden["code_system"] = "aiag"
		damaged.Fields = []page.Field{aiag, choice("side", "Side", "unknown", "left", "right", "front", "rear", "top", "interior"), {Name: "note", Label: "Note", MaxLength: 1000}}
	}
	found := at(b, v)
	if found == nil {
		found = &report.Inspection{Drivable: "unknown", Weather: "dry", Unit: "mi"}
	}
	if card.Own == nil {
		card.Own = billpage.Outline{}
	}
	card.Acts = []face.Act{{Verb: "submissions", Hidden: of}}
	card.Aside = []face.Act{{Verb: "photos", Hidden: of}, damaged, {Verb: "inspections", Hidden: of, Values: map[string]string{
		"inspector": found.Inspector, "vin_scanned": found.VIN, "odometer": numberText(found.Odometer), "keys_count": numberText(found.Keys), "fuel_eighths": numberText(found.Fuel),
		"drivable": found.Drivable, "weather": found.Weather, "loose_items": found.Loose, "notes": found.Notes,
	}}}
}

// sign adds who signs a bill of lading at the stage that is next.
func sign(card *face.Card, b report.Report) {
	roles := map[string]bool{}
	for _, s := range b.Signatures {
		roles[s.Role] = roles[s.Role] || s.Stage == b.Due
	}
	as := func(role, method string) map[string]string {
		return map[string]string{"bol_uuid": b.UUID.String(), "stage": string(b.Due), "role": role, "method": method, "strokes": ""}
	}
	if !roles[store.Driver] {
		card.Acts = append(card.Acts, face.Act{
			Verb: "signatures", Title: "Driver", Submit: "Sign as the driver", Text: signing.Statement(b.Due, store.Driver), Hidden: as(store.Driver, ""), Without: []string{"reason"},
		})
	}
	other := b.Due.Counterpart()
	if roles[other] {
		return
	}
	card.Acts = append(card.Acts, face.Act{
		Verb: "signatures", Title: "Customer", Submit: "Sign as the customer", Second: true, Text: signing.Statement(b.Due, other), Hidden: as(other, ""), Without: []string{"reason"},
	})
	card.Aside = append(card.Aside, face.Act{Verb: "sign_links", Hidden: map[string]string{"bol_uuid": b.UUID.String()}})
	if b.Inspection != store.Standard {
		return
	}
	absent := as(other, store.NotAvailable)
	delete(absent, "strokes")
	card.Aside = append(card.Aside, face.Act{
		Verb: "signatures", Title: "No one is there to sign", Submit: "Go on without a signature", Second: true, Hidden: absent, Without: []string{"name"},
	})
}

func numberText(n *int64) string {
	if n == nil {
		return ""
	}

	return strconv.FormatInt(*n, 10)
}
