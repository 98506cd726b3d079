package custommodules

import (
	"encoding/json"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
)

// EveryType is a module with a field of every type, and payloads for it, for tests through the API.
type EveryType struct {
	// Customers is the module that references are to; Customer, User and File, an image, are what exists.
	Customers, Customer, User, File string
}

// Fields are the fields of the module.
func (e EveryType) Fields() []map[string]any {
	var fields []map[string]any
	for i, s := range samples() {
		if slices.Contains(definition.DerivedNames, s.typ) { // nothing refers to the module, and nothing is looked up
			continue
		}
		field := map[string]any{"key": "f" + strconv.Itoa(i), "type": s.typ, "indexed": false}
		switch {
		case s.typ == "reference":
			field["options"] = map[string]any{"module_uuid": e.Customers}
		case s.typ == "item":
		case s.options != "":
			field["options"] = json.RawMessage(s.options)
		}
		fields = append(fields, field)
	}

	return fields
}

// Computed are the keys of the fields whose values the service makes.
func (e EveryType) Computed() []string {
	var keys []string
	for i, s := range samples() {
		if s.typ == "auto_number" || s.typ == "formula" {
			keys = append(keys, "f"+strconv.Itoa(i))
		}
	}

	return keys
}

// Payload returns a payload, another for each seed: some fields are left out, and some have no value.
func (e EveryType) Payload(seed int) map[string]json.RawMessage {
	payload := map[string]json.RawMessage{}
	for i, s := range samples() {
		var raw string
		switch value := rapid.SampledFrom([]string{"", "null", "value", "value", "value"}).Example(seed*100 + i); {
		case value == "" || s.typ == "auto_number" || s.typ == "formula" || slices.Contains(definition.DerivedNames, s.typ):
			continue
		case value == "null":
			raw = "null"
		case s.typ == "reference":
			raw = `{"record_uuid":"` + e.Customer + `"}`
		case s.typ == "item":
			raw = `{"type":"` + definition.RecordItem + `","uuid":"` + e.Customer + `"}`
		case s.typ == "file":
			raw = `{"attachment_uuid":"` + e.File + `"}`
		case s.typ == "user":
			raw = strconv.Quote(e.User)
		default:
			raw = s.values.Example(seed*100 + i)
		}
		payload["f"+strconv.Itoa(i)] = json.RawMessage(raw)
	}

	return payload
}
