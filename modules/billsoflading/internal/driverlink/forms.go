package driverlink

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/page"
)

// formValues are the fields of a form of a page.
type formValues = url.Values

// bodyOf makes the body of what a form sends: texts, numbers and marks by their names. What is empty is left out.
func bodyOf(form formValues, texts, numbers, marks []string) map[string]any {
	body := map[string]any{}
	for _, name := range append([]string{"client_id", "occurred_at", "vehicle_uuid", "bol_uuid", "stage"}, texts...) {
		if text := strings.TrimSpace(form.Get(name)); text != "" {
			body[name] = text
		}
	}
	for _, name := range numbers {
		text := strings.TrimSpace(form.Get(name))
		if text == "" {
			continue
		}
		body[name] = text
		if n, is := page.EnteredNumber(text); is {
			body[name] = n
		}
	}
	for _, name := range marks {
		if form.Get(name) == "true" {
			body[name] = true
		}
	}
	if p, there := pointOf(form.Get("lat"), form.Get("lng")); there {
		body["position"] = p
	}

	return body
}

func inspectionForm(form formValues) any {
	return bodyOf(form, []string{"inspector", "vin_scanned", "odometer_unit", "drivable", "loose_items", "weather", "notes", "skipped_reason"},
		[]string{"odometer", "keys_count", "fuel_eighths"}, []string{"subject_to_inspection"})
}

func damageForm(form formValues) any {
	body := bodyOf(form, []string{"code_system", "code", "side", "note"}, []string{"x", "y", "size_mm"}, nil)
	delete(body, "position")

	return body
}

func submitForm(form formValues) any {
	body := bodyOf(form, nil, nil, nil)
	delete(body, "position")

	return body
}

func signatureForm(form formValues) any {
	body := bodyOf(form, []string{"role", "name", "title", "method", "reason", "strokes"}, nil, nil)
	if body["strokes"] != nil && body["method"] == nil {
		body["method"] = store.Drawn
	}

	return body
}

func signLinkForm(form formValues) any {
	body := map[string]any{"bol_uuid": form.Get("bol_uuid")}
	if to := strings.TrimSpace(form.Get("to")); to != "" {
		channel := "sms"
		if strings.Contains(to, "@") {
			channel = "email"
		}
		body["to"] = []map[string]any{{"channel": channel, "address": to}}
	}

	return body
}

// pointOf is a point of two texts with degrees.
func pointOf(lat, lng string) (p field.GeoPoint, there bool) {
	text, err := json.Marshal(map[string]json.Number{"lat": json.Number(lat), "lng": json.Number(lng)})
	if err == nil {
		err = json.Unmarshal(text, &p)
	}

	return p, err == nil
}
