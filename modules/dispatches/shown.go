package dispatches

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// fact is a part of what a carrier is shown of an offer: a field of the load, or one of the offer's own terms.
type fact struct {
	Field string `json:"field"`
	// Sum is a checksum of all that the field shows, "" for an empty one. Text is what people read of it.
	Sum  string `json:"sum,omitempty"`
	Text string `json:"text,omitempty"`
}

// facts is all that a carrier is shown of an offer, sorted by field.
type facts []fact

// offerChange is a field of an offer or its load that is not what its carrier was shown before.
type offerChange struct {
	Field  string `json:"field" example:"vehicles"`
	Before string `json:"before" doc:"As people read it; empty for nothing."`
	After  string `json:"after"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (offerChange) SchemaName() string { return "OfferChange" }

// unkeyed are the fields of a load that follow from others, or that say what becomes of it: a carrier agrees to none of them.
var unkeyed = map[string]bool{
	"uuid": true, "number": true, "state": true, "miles": true, "minutes": true, "miles_measured": true, "transit_from_days": true, "transit_to_days": true,
	"origin_state": true, "destination_state": true, "pickup_from": true, "deliver_by": true, "vehicle_count": true, "inop_count": true,
}

// mostFactText is how many characters are kept of what people read of a field.
const mostFactText = 2000

// factsOf is what the carrier of an offer is shown, of a load as a bidder sees it and of the terms of the settings.
func factsOf(o offer, seen []byte, terms string) (facts, error) {
	var load map[string]json.RawMessage
	if err := json.Unmarshal(seen, &load); err != nil {
		return nil, err
	}
	var read loadShown
	if err := json.Unmarshal(seen, &read); err != nil {
		return nil, err
	}
	stops := stopPlaces(load["stops"])
	var all facts
	for name, value := range load {
		if unkeyed[name] {
			continue
		}
		plain, err := canonical(value, stops)
		if err != nil {
			return nil, err
		}
		all = append(all, fact{name, sumOf(plain), read.text(name, value)})
	}
	for name, text := range map[string]string{"amount": string(o.Amount), "pickup_date": string(o.PickupDate), "delivery_date": string(o.DeliveryDate), "terms": terms} {
		one := fact{Field: name, Text: text}
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
	slices.SortFunc(all, func(a, b fact) int { return strings.Compare(a.Field, b.Field) })

	return all, nil
}

// key stands for facts, for differences.
func (f facts) key() string {
	sums := make([]string, len(f))
	for i, one := range f {
		sums[i] = one.Sum
	}

	return strings.Join(sums, ".")
}

// differences lists the fields that are not what was shown with a key.
func (f facts) differences(key string) (fields []string) {
	then := strings.Split(key, ".")
	for i, one := range f {
		if len(then) != len(f) || then[i] != one.Sum {
			fields = append(fields, one.Field)
		}
	}

	return fields
}

// changesFrom lists what is not as it was.
func (f facts) changesFrom(was facts) (changes []offerChange) {
	before := make(map[string]fact, len(was))
	for _, one := range was {
		before[one.Field] = one
	}
	for _, one := range f {
		if old := before[one.Field]; old.Sum != one.Sum {
			changes = append(changes, offerChange{one.Field, old.Text, one.Text})
		}
	}

	return changes
}

// fieldsOf are the fields of changes.
func fieldsOf(changes []offerChange) []string {
	fields := make([]string, len(changes))
	for i, c := range changes {
		fields[i] = c.Field
	}

	return fields
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

// text is what people read of a field of a load.
func (l loadShown) text(name string, value []byte) string {
	var lines []string
	switch name {
	case "stops":
		for _, one := range l.Stops {
			t := one.text()
			lines = append(lines, strings.ReplaceAll(t.Title+"\n"+page.Plain(t.Lines), "\n", ", "))
		}
	case "vehicles":
		for _, one := range l.Vehicles {
			lines = append(lines, one.text())
		}
	case "commodities":
		for _, one := range l.Goods {
			lines = append(lines, one.text())
		}
	case "payment_plan":
		for _, one := range l.Plan {
			lines = append(lines, one.text(page.Amount(one.Amount, l.Currency)+" "))
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

// viewer finds what the carriers of offers are shown now. It reads each load once for each carrier and amount, and the settings once.
type viewer struct {
	desk  *desk
	loads map[viewed][]byte
	terms *preferences
}

type viewed struct {
	load, carrier uuid.UUID
	amount        money.Amount
}

func newViewer(d *desk) *viewer { return &viewer{desk: d, loads: map[viewed][]byte{}} }

// seen returns the load of an offer as its carrier sees it: for the current amount, with the payments that are agreed on with it. If the load cannot be
// accepted at that amount, it is as the load has it. Error: loads.load_not_found.
func (v *viewer) seen(ctx context.Context, o offer) ([]byte, error) {
	of := viewed{o.Load, o.Carrier, o.Amount}
	if read, there := v.loads[of]; there {
		return read, nil
	}
	seen, err := v.desk.coverage.Proposed(ctx, o.Load.String(), o.Carrier.String(), string(o.Amount))
	if errs.IsRefusal(err) && err != nil && !errors.Is(err, loadsapi.ErrNotFound) {
		seen, err = v.desk.coverage.Seen(ctx, o.Load.String(), loadsapi.Bidder)
	}
	if err == nil {
		v.loads[of] = seen
	}

	return seen, err
}

// facts returns what the carrier of an offer is shown. Error: loads.load_not_found.
func (v *viewer) facts(ctx context.Context, o offer) (facts, error) {
	if v.terms == nil {
		kept, err := v.desk.settings.Read(ctx)
		if err != nil {
			return nil, err
		}
		v.terms = &kept.Now
	}
	seen, err := v.seen(ctx, o)
	if err != nil {
		return nil, err
	}

	return factsOf(o, seen, v.terms.Terms)
}
