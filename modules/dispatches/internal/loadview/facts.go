package loadview

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Fact is a part of what a carrier is shown of an offer: a field of the load, or one of the offer's own terms.
type Fact struct {
	Field string `json:"field"`
	// Sum is a checksum of all that the field shows, "" for an empty one. Text is what people read of it.
	Sum  string `json:"sum,omitempty"`
	Text string `json:"text,omitempty"`
}

// Facts is all that a carrier is shown of an offer, sorted by field.
type Facts []Fact

// Key stands for facts, for differences.
func (f Facts) Key() string {
	sums := make([]string, len(f))
	for i, one := range f {
		sums[i] = one.Sum
	}

	return strings.Join(sums, ".")
}

// Differences lists the fields that are not what was shown with a key.
func (f Facts) Differences(key string) (fields []string) {
	then := strings.Split(key, ".")
	for i, one := range f {
		if len(then) != len(f) || then[i] != one.Sum {
			fields = append(fields, one.Field)
		}
	}

	return fields
}

// ChangesFrom lists what is not as it was.
func (f Facts) ChangesFrom(was Facts) (changes []Change) {
	before := make(map[string]Fact, len(was))
	for _, one := range was {
		before[one.Field] = one
	}
	for _, one := range f {
		if old := before[one.Field]; old.Sum != one.Sum {
			changes = append(changes, Change{one.Field, old.Text, one.Text})
		}
	}

	return changes
}

// Change is a field of an offer or its load that is not what its carrier was shown before.
type Change struct {
	Field  string `json:"field" example:"vehicles"`
	Before string `json:"before" doc:"As people read it; empty for nothing."`
	After  string `json:"after"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Change) SchemaName() string { return "OfferChange" }

// FieldsOf are the fields of changes.
func FieldsOf(changes []Change) []string {
	fields := make([]string, len(changes))
	for i, c := range changes {
		fields[i] = c.Field
	}

	return fields
}

// unkeyedFields are the fields of a load that follow from others, or that say what becomes of it: a carrier agrees to none of them.
var unkeyedFields = map[string]bool{
	"uuid": true, "number": true, "state": true, "miles": true, "minutes": true, "miles_measured": true, "transit_from_days": true, "transit_to_days": true,
	"origin_state": true, "destination_state": true, "pickup_from": true, "deliver_by": true, "vehicle_count": true, "inop_count": true,
}

// mostFactText is how many characters are kept of what people read of a field.
const mostFactText = 2000

// OfferTerms are the terms of an offer beside its load: Text is that of the settings.
type OfferTerms struct {
	Amount           money.Amount
	Pickup, Delivery field.Date
	Text             string
}

// FactsOf lists what the carrier of an offer is shown: the load as a bidder sees it, and the terms of the offer.
func FactsOf(seen []byte, terms OfferTerms) (Facts, error) {
	var load map[string]json.RawMessage
	if err := json.Unmarshal(seen, &load); err != nil {
		return nil, err
	}
	var read Load
	if err := json.Unmarshal(seen, &read); err != nil {
		return nil, err
	}
	stops := stopPlaces(load["stops"])
	var all Facts
	for name, value := range load {
		if unkeyedFields[name] {
			continue
		}
		plain, err := canonical(value, stops)
		if err != nil {
			return nil, err
		}
		all = append(all, Fact{name, sumOf(plain), read.fieldText(name, value)})
	}
	for name, text := range map[string]string{
		"amount": string(terms.Amount), "pickup_date": string(terms.Pickup), "delivery_date": string(terms.Delivery), "terms": terms.Text,
	} {
		one := Fact{Field: name, Text: text}
		if text != "" {
			one.Sum = sumOf([]byte(text))
		}
		all = append(all, one)
	}
	for i := range all {
		if text := []rune(all[i].Text); len(text) > mostFactText {
			all[i].Text = string(text[:mostFactText]) + "…"
		}
	}
	slices.SortFunc(all, func(a, b Fact) int { return strings.Compare(a.Field, b.Field) })

	return all, nil
}

func sumOf(text []byte) string {
	const length = 6
	switch string(text) {
	case "null", `""`, "[]", "{}":
		return ""
	}
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:length])
}

// stopPlaces are the places of stops in their order, by their uuids.
func stopPlaces(stops []byte) map[string]int {
	var all []struct {
		UUID string `json:"uuid"`
	}
	places := map[string]int{}
	if json.Unmarshal(stops, &all) != nil {
		return places
	}
	for i, one := range all {
		places[one.UUID] = i
	}

	return places
}

// canonical is a field of a load in one form: without the uuids of its parts, which change when they are written anew, and what follows from others.
func canonical(value []byte, stops map[string]int) ([]byte, error) {
	if len(bytes.TrimSpace(value)) == 0 {
		return []byte("null"), nil
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	text, err := json.Marshal(withoutIDs(document, stops))
	if err != nil {
		return nil, err
	}

	return rawjson.Normal(text)
}

func withoutIDs(document any, stops map[string]int) any {
	switch v := document.(type) {
	case []any:
		for i := range v {
			v[i] = withoutIDs(v[i], stops)
		}
	case map[string]any:
		for name, one := range v {
			switch name {
			case "uuid", "from_at", "to_at", "time_zone":
				delete(v, name)
			case "pickup_stop_uuid", "delivery_stop_uuid":
				id, _ := one.(string)
				v[name] = stops[id]
			default:
				v[name] = withoutIDs(one, stops)
			}
		}
	}

	return document
}

// fieldText is what people read of a field of a load.
func (l Load) fieldText(name string, value []byte) string {
	var lines []string
	switch name {
	case "stops":
		for _, one := range l.Stops {
			t := Stop(one).Text()
			lines = append(lines, strings.ReplaceAll(t.Title+"\n"+page.Plain(t.Lines), "\n", ", "))
		}
	case "vehicles":
		for _, one := range l.Vehicles {
			lines = append(lines, Vehicle(one).Text().String())
		}
	case "commodities":
		for _, one := range l.Commodities {
			lines = append(lines, Goods(one).Text())
		}
	case "payment_plan":
		for _, one := range l.Plan {
			lines = append(lines, Payment(one).Text(l.AmountText(one.Amount)+" "))
		}
	case "available_from":
		if l.AvailableFrom != "" {
			lines = []string{page.Day(l.AvailableFrom)}
		}
	default:
		var text string
		if json.Unmarshal(value, &text) == nil {
			lines = []string{text}
		}
	}

	return strings.Join(lines, "; ")
}
