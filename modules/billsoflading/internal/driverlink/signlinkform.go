package driverlink

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/dispatchd/dispatchd/platform/field"
)

// signLinkForm is the body of the form by which a link to sign is made: who enters an e-mail address is sent an e-mail, else a text.
func signLinkForm(form url.Values) any {
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
