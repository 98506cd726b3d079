package loadview

import (
	"encoding/json"
	"time"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// AgreedTerms are what a carrier has agreed to, of a load as it sees it, in a form that can be compared. What becomes of the load on its way is none
// of it.
func AgreedTerms(seen []byte) string {
	var l struct {
		Transport  string `json:"transport_type"`
		Inspection string `json:"inspection_type"`
		Stops      []struct {
			Kind   string          `json:"kind"`
			Venue  json.RawMessage `json:"venue"`
			Window json.RawMessage `json:"window"`
		} `json:"stops"`
		Vehicles []struct {
			UUID     string `json:"uuid"`
			VIN      string `json:"vin"`
			Make     string `json:"make"`
			Model    string `json:"model"`
			Operable *bool  `json:"operable"`
			Pay      string `json:"carrier_pay"`
		} `json:"vehicles"`
		Plan         json.RawMessage `json:"payment_plan"`
		Instructions string          `json:"instructions_carrier"`
	}
	if json.Unmarshal(seen, &l) != nil {
		return ""
	}
	text, err := json.Marshal(l)
	if err != nil {
		return ""
	}
	normal, err := rawjson.Normal(text)
	if err != nil {
		return ""
	}

	return string(normal)
}

// Zones are the time zones of the first and the last stop of a load as a carrier sees it, UTC where they are not known.
func Zones(seen []byte) (first, last *time.Location) {
	var l struct {
		Stops []struct {
			Venue struct {
				TimeZone string `json:"time_zone"`
			} `json:"venue"`
		} `json:"stops"`
	}
	first, last = time.UTC, time.UTC
	if json.Unmarshal(seen, &l) != nil || len(l.Stops) == 0 {
		return first, last
	}
	if zone, err := time.LoadLocation(l.Stops[0].Venue.TimeZone); err == nil {
		first = zone
	}
	if zone, err := time.LoadLocation(l.Stops[len(l.Stops)-1].Venue.TimeZone); err == nil {
		last = zone
	}

	return first, last
}
