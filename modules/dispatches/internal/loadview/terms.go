package loadview

import (
	"encoding/json"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// AgreedTerms are what a carrier has agreed to, of a load as it sees it, in a form that can be compared. What becomes of the load on its way is none
// of it.
func AgreedTerms(seen []byte) string {
	var l loadsapi.CarrierView
	if json.Unmarshal(seen, &l) != nil {
		return ""
	}
	agreed := loadsapi.CarrierView{Transport: l.Transport, Inspection: l.Inspection, Plan: l.Plan, ForCarrier: l.ForCarrier}
	for _, s := range l.Stops {
		agreed.Stops = append(agreed.Stops, loadsapi.CarrierStop{Kind: s.Kind, Venue: s.Venue, Window: s.Window})
	}
	for _, v := range l.Vehicles {
		agreed.Vehicles = append(agreed.Vehicles, loadsapi.CarrierVehicle{
			UUID: v.UUID, VIN: v.VIN, Make: v.Make, Model: v.Model, Operable: v.Operable, CarrierPay: v.CarrierPay,
		})
	}
	text, err := json.Marshal(agreed)
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
	var l loadsapi.CarrierView
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
