// Package signing has what customers sign: the terms of a load as they were when its customer agreed to them, and what has changed since.
//
// A customer signs what it sees, and nothing else: what the company pays its carrier is none of these terms.
package signing

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Status is whether a customer has signed a load.
type Status string

// The statuses of loads.
const (
	None Status = "none"
	// Sent is a load whose booking page the customer was sent.
	Sent   Status = "sent"
	Signed Status = "signed"
	// Changed is a load that was changed since it was signed.
	Changed Status = "changed"
)

// Kinds are the kinds of terms, named as the fields of loads without their positions.
func Kinds() []string {
	return []string{vehicleModel, vehicleType, vehicleRuns, places, transport, day, price, payments}
}

const (
	vehicleModel = "vehicles.model"
	vehicleType  = "vehicles.type"
	vehicleRuns  = "vehicles.operable"
	places       = "stops.venue"
	transport    = "transport_type"
	day          = "available_from"
	price        = "tariff"
	payments     = "payment_plan"
)

// Term is one of the things that a customer agrees to.
type Term struct {
	// Key names it for as long as the load lives, Field where it is in the load now: "vehicles.0.operable".
	Key   string `json:"key"`
	Field string `json:"field"`
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Line is a term that has changed.
type Line struct {
	Field  string `json:"field" example:"vehicles.0.operable"`
	Label  string `json:"label" example:"2003 Honda Accord: condition"`
	Before string `json:"before" field:"scope=margins" doc:"Empty for what was added." example:"runs"`
	After  string `json:"after" field:"scope=margins" doc:"Empty for what was removed." example:"does not run"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Line) SchemaName() string { return "ChangeOrderLine" }

// ChangeOrder is what a customer has yet to sign of a load that it has signed before.
type ChangeOrder struct {
	Needed bool     `json:"needed"`
	Fields []string `json:"fields" nullable:"false" doc:"What has changed since."`
	// Since is nil if nothing is needed.
	Since   *time.Time `json:"since" doc:"When the first of the changes was made."`
	SentAt  *time.Time `json:"sent_at" doc:"When the last link to sign was made for the customer."`
	Changes []Line     `json:"changes" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (ChangeOrder) SchemaName() string { return "LoadChangeOrder" }

// Prices are what a customer pays, as people read them.
type Prices struct{ Tariff, ToCompany, ToCarrier string }

// TermsOf are the terms of a load; at has the positions of its vehicles.
func TermsOf(l loadsapi.Snapshot, p Prices, at map[string]int) []Term {
	if text := transports[l.TransportType]; text != "" {
		l.TransportType = text
	}
	whole := func(kind, label, text string) Term { return Term{kind, kind, kind, label, text} }
	all := []Term{
		whole(transport, "Transport", l.TransportType), whole(day, "First day for the pickup", page.Day(l.AvailableFrom)), whole(price, "Price", p.Tariff),
		{payments + ".broker", payments, payments, "You pay to us", p.ToCompany},
		{payments + ".carrier", payments, payments, "You pay to the carrier", p.ToCarrier},
	}
	if n := len(l.Stops) - 1; n > 0 {
		all = append(all, placeOf("From", 0, l.Stops[0]), placeOf("To", n, l.Stops[n]))
	}
	for _, v := range l.Vehicles {
		field, runs := "vehicles."+strconv.Itoa(at[v.UUID])+".", "does not run"
		if v.Operable {
			runs = "runs"
		}
		for _, one := range []struct{ kind, label, text string }{
			{vehicleModel, "vehicle", v.Name}, {vehicleType, "type", v.Type}, {vehicleRuns, "condition", runs},
		} {
			name := strings.TrimPrefix(one.kind, "vehicles.")
			all = append(all, Term{"vehicles." + v.UUID + "." + name, field + name, one.kind, v.Name + ": " + one.label, one.text})
		}
	}

	return all
}

// transports are how customers read the types of transport.
var transports = map[string]string{"open": "open trailer", "enclosed": "enclosed trailer", "driveaway": "driven by a driver"}

func placeOf(label string, i int, s loadsapi.SnapshotStop) Term {
	return Term{places + "." + label, "stops." + strconv.Itoa(i) + ".venue", places, label, strings.TrimSpace(strings.Trim(s.City+", "+s.State, ", ") + " " + s.PostalCode)}
}

// Differences are the terms of some kinds that are others now than they were. A detail that was added to one, such as the ZIP code to a city, is none.
func Differences(before, now []Term, of []string) []Line {
	all := []Line{}
	note := func(t Term, before, after string) {
		if before != after && slices.Contains(of, t.Kind) {
			all = append(all, Line{t.Field, t.Label, before, after})
		}
	}
	for _, t := range now {
		if old, there := find(before, t.Key); there && !t.details(old.Text) {
			note(t, old.Text, t.Text)
		} else if there {
			continue
		} else if t.names() {
			note(t, "", t.Text)
		}
	}
	for _, t := range before {
		if _, there := find(now, t.Key); !there && t.names() {
			t.Field = "vehicles"
			note(t, t.Text, "")
		}
	}

	return all
}

// details reports whether a term is what it was, with a detail that it did not have: where or what was empty, the rest of an address, or a year.
func (t Term) details(before string) bool {
	switch t.Kind {
	case places:
		rest, same := strings.CutPrefix(t.Text, before)

		return same && (before == "" || stateAdded.MatchString(rest) && !strings.Contains(before, ",") || zipAdded.MatchString(rest) || plusFour.MatchString(rest))
	case vehicleModel:
		year, same := strings.CutSuffix(t.Text, " "+before)

		return before == "" || same && yearOnly.MatchString(year)
	case vehicleType, transport, day:
		return before == ""
	}

	return false
}

// What can be added to a place: to a city its state, to a state the ZIP or postal code, and to a ZIP code its last four digits.
var (
	stateAdded = regexp.MustCompile(`^, [A-Z]{2}( |$)`)
	zipAdded   = regexp.MustCompile(`^ (\d{5}(-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d)$`)
	plusFour   = regexp.MustCompile(`^-\d{4}$`)
	yearOnly   = regexp.MustCompile(`^(19|20)\d\d$`)
)

// names reports whether a term says what a thing is. Of a vehicle that comes or goes, no other is told.
func (t Term) names() bool { return t.Kind != vehicleType && t.Kind != vehicleRuns }

func find(all []Term, key string) (Term, bool) {
	i := slices.IndexFunc(all, func(t Term) bool { return t.Key == key })
	if i < 0 {
		return Term{}, false
	}

	return all[i], true
}

// KeyOf identifies changes, so that a customer signs what it was shown. That of no changes is "".
func KeyOf(lines []Line) string {
	if len(lines) == 0 {
		return ""
	}
	h := sha256.New()
	for _, l := range lines {
		for _, text := range []string{l.Label, l.Before, l.After} {
			h.Write([]byte(strconv.Quote(text)))
		}
	}
	const bytes = 12

	return hex.EncodeToString(h.Sum(nil)[:bytes])
}

// Signature is who signs, and how.
type Signature struct {
	Name string
	// Method is one of the methods of signatures; Address is the IP address of a signature by link.
	Method, Address, Note string
	By                    uuid.UUID
}

// Link is the method of signatures by link.
const Link = "link"

// MarshalJSON implements json.Marshaler. Lists that are nil are empty.
func (o ChangeOrder) MarshalJSON() ([]byte, error) {
	type plain ChangeOrder
	if o.Fields == nil {
		o.Fields, o.Changes = []string{}, []Line{}
	}

	return json.Marshal(plain(o))
}

// With is a change order with other changes than it had.
func (o ChangeOrder) With(changes []Line, now time.Time) ChangeOrder {
	o.Needed, o.Changes, o.Fields, o.SentAt = true, changes, []string{}, nil
	if o.Since == nil {
		o.Since = &now
	}
	for _, l := range changes {
		o.Fields = append(o.Fields, l.Field)
	}

	return o
}
