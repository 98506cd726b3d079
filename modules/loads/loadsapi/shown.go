package loadsapi

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// shown is what a customer is shown of a load beside its prices: the parts of a key, in their order.
func (s Snapshot) shown() []fact {
	var stops, vehicles strings.Builder
	for _, one := range s.Stops {
		stops.WriteString(strings.Join([]string{one.Kind, one.City, one.State, one.PostalCode}, "|") + "\n")
	}
	for _, v := range s.Vehicles {
		vehicles.WriteString(strings.Join([]string{v.UUID, v.Name, v.Type, strconv.FormatBool(v.Operable), strconv.FormatBool(v.Modified)}, "|") + "\n")
	}

	return []fact{
		{FieldDay, s.AvailableFrom},
		{FieldCurrency, s.Currency},
		{"stops", stops.String()},
		{"vehicles", vehicles.String()},
		{"transport_type", s.TransportType},
		{"priority", strconv.FormatBool(s.Expedited)},
	}
}

type fact struct{ field, text string }

// The fields of a load that say when, and in which money, the same transport is done.
const (
	FieldDay      = "available_from"
	FieldCurrency = "currency"
)

// Key stands for what a customer is shown of a load beside its prices, for Differences.
func (s Snapshot) Key() string {
	const bytes = 6
	parts := []string{}
	for _, f := range s.shown() {
		part := ""
		if f.text != "" {
			sum := sha256.Sum256([]byte(f.text))
			part = hex.EncodeToString(sum[:bytes])
		}
		parts = append(parts, part)
	}

	return strings.Join(parts, ".")
}

// Differences lists the fields of a load that are not what was shown with a key. A day that was not shown is left to the customer.
func (s Snapshot) Differences(key string) []string {
	var all []string
	now, then := strings.Split(s.Key(), "."), strings.Split(key, ".")
	for i, f := range s.shown() {
		switch {
		case len(then) != len(now):
			all = append(all, f.field)
		case f.field == FieldDay && then[i] == "":
		case now[i] != then[i]:
			all = append(all, f.field)
		}
	}

	return all
}
