package main

import (
	"fmt"
	"strings"
)

// field is a field of a module, as the API takes it.
type field struct {
	Key      string         `json:"key"`
	Label    string         `json:"label"`
	Type     string         `json:"type"`
	Required bool           `json:"required"`
	Indexed  bool           `json:"indexed"`
	Search   bool           `json:"searchable,omitempty"`
	Options  map[string]any `json:"options,omitempty"`
}

// vehicleFields are the eight payload keys of the service interface. VIN and price are indexed, and
// so is the reference, as references always are.
func vehicleFields(customers string) []field {
	return []field{
		{Key: "vin", Label: "VIN", Type: "vin", Required: true, Indexed: true},
		{Key: "year", Label: "Year", Type: "integer"},
		{Key: "price", Label: "Price", Type: "decimal", Indexed: true},
		{Key: "operable", Label: "Operable", Type: "boolean"},
		{Key: "pickup_date", Label: "Pick-up date", Type: "date"},
		{Key: "pickup_time", Label: "Pick-up time", Type: "local_datetime"},
		{Key: "notes", Label: "Notes", Type: "long_text"},
		{Key: "customer", Label: "Customer", Type: "reference", Options: map[string]any{"module_uuid": customers}},
	}
}

const (
	vinHole   = "_______VIN_______"
	priceHole = "__PRICE_"

	recordTemplate  = `{"module_uuid":"%s","payload":` + payloadTemplate + `}`
	payloadTemplate = `{"vin":"` + vinHole + `","year":2021,"price":"` + priceHole + `",` +
		`"operable":true,"pickup_date":"2026-03-14","pickup_time":"2026-03-14 09:30:00",` +
		`"notes":"Keys are with the office. Call ahead, the gate is locked after six.",` +
		`"customer":{"record_uuid":"%s"}}`
)

// recordBody is the body of a create, into which VIN and price are written in place.
type recordBody struct {
	bytes      []byte
	vin, price int // where they are
}

func newRecordBody(module, customer string) recordBody {
	return recordBodyOf(fmt.Sprintf(recordTemplate, module, customer))
}

// recordBodyOf is for a text with holes for a price and, perhaps, a VIN.
func recordBodyOf(text string) recordBody {
	return recordBody{bytes: []byte(text), vin: strings.Index(text, vinHole), price: strings.Index(text, priceHole)}
}

// put makes it the body of the n-th record.
func (b recordBody) put(n uint64) {
	if b.vin >= 0 {
		putVIN(b.bytes[b.vin:], n)
	}
	putPrice(b.bytes[b.price:], n)
}
