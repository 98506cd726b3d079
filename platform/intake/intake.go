// Package intake reads requests for transports as others send them: labeled lines, HTML, ADF, JSON, CSV and mails. It does no I/O.
//
// Every format comes down to labeled values, which a dictionary makes fields of. What is not understood is kept, and can be learned: [Learn] finds the
// labels whose values people have entered since. [KeyOf] says by what a request that is sent again is recognized.
//
// What becomes of a request is for areas to decide: loads makes leads and drafts of the requests of its sources.
package intake

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// Format is a way in which requests are written.
type Format string

// The formats.
const (
	Text Format = "text"
	HTML Format = "html"
	ADF  Format = "adf"
	JSON Format = "json"
	CSV  Format = "csv"
	Mail Format = "mail"
)

// Inquiry is a request for a transport as far as it was understood.
type Inquiry struct {
	// Fields are what was found, by the names of the constants.
	Fields map[Field]Found `json:"fields"`
	// Vehicles are texts such as "2012 BMW X6 inop", or a VIN.
	Vehicles []string `json:"vehicles"`
	// Cars are the same vehicles, in the same order, as they came: in parts, or as a text.
	Cars []Car `json:"cars,omitempty"`
	// Unparsed are lines that have a label which is not known.
	Unparsed []string `json:"unparsed"`
}

// Found is a value, and how sure it is that it is one, from 0 to 1.
type Found struct {
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
}

// Field is something that a request says.
type Field string

// The fields.
const (
	First       Field = "first_name"
	Last        Field = "last_name"
	Name        Field = "name"
	Company     Field = "company"
	Email       Field = "email"
	Phone       Field = "phone"
	Day         Field = "available_from"
	Transport   Field = "transport_type"
	Origin      Field = "origin"
	OriginCity  Field = "origin_city"
	OriginState Field = "origin_state"
	OriginZIP   Field = "origin_zip"
	Dest        Field = "destination"
	DestCity    Field = "destination_city"
	DestState   Field = "destination_state"
	DestZIP     Field = "destination_zip"
	ExternalID  Field = "external_id"
	Notes       Field = "notes"
	vehicle     Field = "vehicle"
	year        Field = "year"
	carMake     Field = "make"
	model       Field = "model"
	kind        Field = "type"
	trim        Field = "trim"
	vin         Field = "vin"
	operable    Field = "operable"
)

// Pair is a labeled value.
type Pair struct{ Label, Value string }

// Labels are what a company has taught: further labels, and their fields.
type Labels map[string]Field

// Car is a vehicle, whose parts may have come one by one: what came apart is not joined and read as a text.
type Car struct {
	Year     string `json:"year,omitempty"`
	Make     string `json:"make,omitempty"`
	Model    string `json:"model,omitempty"`
	Trim     string `json:"trim,omitempty"`
	Kind     string `json:"kind,omitempty"`
	VIN      string `json:"vin,omitempty"`
	Operable string `json:"operable,omitempty"`
	// Whole is a text that names the vehicle.
	Whole string `json:"text,omitempty"`
}

// Apart reports whether make and model, or the VIN, came apart.
func (c Car) Apart() bool { return c.Make != "" && c.Model != "" || c.VIN != "" && c.Whole == "" }

// Text is the vehicle in one line.
func (c Car) Text() string {
	if c.Whole != "" {
		return strings.TrimSpace(c.VIN + " " + c.Whole + c.condition())
	}
	parts := []string{c.VIN, c.Year, c.Make, c.Model, c.Trim}
	if c.Make+c.Model+c.VIN == "" {
		parts = append(parts, c.Kind)
	}

	return strings.TrimSpace(strings.Join(strings.Fields(strings.Join(parts, " ")), " ") + c.condition())
}

// Inoperable reports whether the vehicle does not run.
func (c Car) Inoperable() bool {
	switch normal(c.Operable) {
	case "no", "false", "0", "inop", "inoperable", "notrunning", "nonrunning", "doesnotrun", "notoperable", "n":
		return true
	}

	return false
}

func (c Car) condition() string {
	if c.Inoperable() {
		return " inop"
	}

	return ""
}

// ModelYear is the year in four digits or, after an apostrophe or alone, in two; 0 if it is none.
func (c Car) ModelYear(now int) int {
	const four, two, ahead, century = 4, 2, 2, 100
	text := strings.TrimLeft(strings.TrimSpace(c.Year), "'’‘`")
	n, err := strconv.Atoi(strings.TrimSuffix(text, ".0"))
	switch {
	case err != nil || n < 0:
		return 0
	case len(text) == two:
		if n += now - now%century; n > now+ahead {
			n -= century
		}
	case len(text) < four:
		return 0
	}

	return n
}

// From makes an inquiry of labeled values.
func From(pairs []Pair, own Labels) Inquiry {
	q := Inquiry{Fields: map[Field]Found{}, Vehicles: []string{}, Unparsed: []string{}}
	var cars []Car
	dictionary := labels()
	at := func(i int) *Car {
		for len(cars) <= i {
			cars = append(cars, Car{})
		}

		return &cars[i]
	}
	for _, p := range pairs {
		value := strings.Join(strings.Fields(p.Value), " ")
		if value == "" {
			continue
		}
		field, index, known := meaning(dictionary, p.Label, own)
		if !known {
			if len(q.Unparsed) < mostUnparsed {
				q.Unparsed = append(q.Unparsed, short(strings.TrimSpace(p.Label)+": "+value))
			}

			continue
		}
		which := index
		if index < 0 {
			which = max(0, len(cars)-1)
		}
		if of := partOf(at, field, which); of != nil {
			if *of != "" && index < 0 { // another vehicle begins
				of = partOf(at, field, len(cars))
			}
			*of = value

			continue
		}
		q.keep(field, value)
	}
	for _, c := range cars {
		if text := c.Text(); text != "" {
			q.Vehicles, q.Cars = append(q.Vehicles, text), append(q.Cars, c)
		}
	}

	return q
}

// partOf is the part of a vehicle that a field is, nil for none.
func partOf(at func(i int) *Car, f Field, index int) *string {
	if !slices.Contains([]Field{vehicle, year, carMake, model, trim, kind, vin, operable}, f) {
		return nil
	}
	c := at(index)
	switch f {
	case year:
		return &c.Year
	case carMake:
		return &c.Make
	case model:
		return &c.Model
	case trim:
		return &c.Trim
	case kind:
		return &c.Kind
	case vin:
		return &c.VIN
	case operable:
		return &c.Operable
	default:
		return &c.Whole
	}
}

// keep keeps a value of a field, unless there is a surer one.
func (q *Inquiry) keep(f Field, value string) {
	found := Found{value, sureness(f, value)}
	if was, there := q.Fields[f]; !there || was.Confidence < found.Confidence {
		q.Fields[f] = found
	}
}

const (
	unsure = 0.3
	// mostUnparsed is how many lines are kept that were not understood.
	mostUnparsed = 200
)

// sureness is how sure it is that a value is one of a field.
func sureness(f Field, value string) float64 {
	good := true
	switch f {
	case Email:
		user, host, found := strings.Cut(value, "@")
		good = found && user != "" && strings.Contains(host, ".") && !strings.ContainsAny(value, " ,;")
	case Phone:
		const least = 10
		good = len(digits(field.PlainPhone(value))) >= least
	case OriginZIP, DestZIP:
		good = zipRule.MatchString(naming.ZIP(value)) || postalRule.MatchString(value)
	case OriginState, DestState:
		good = stateOf(value) != "" || len(value) > 3 //nolint:mnd // a name
	case Origin, Dest:
		_, ok := PlaceOf(value)
		good = ok
	default:
	}
	if !good {
		return unsure
	}

	return 1
}

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}

		return r
	}, text)
}

var many = regexp.MustCompile(`(?i)(^|\s)(\d{2,4}\s*x|x\s*\d{2,4}|(qty|quantity)\s*\d{2,4})(\s|$)`)

// Many reports whether what was not understood of vehicles has a number of them, which is too large then.
func Many(rest string) bool { return many.MatchString(rest) }

// From and To are the ends of the transport, with how sure they are; 0 if they are not said.
func (q Inquiry) From() (Place, float64) { return q.end(Origin, OriginCity, OriginState, OriginZIP) }

// To is the end of the transport.
func (q Inquiry) To() (Place, float64) { return q.end(Dest, DestCity, DestState, DestZIP) }

func (q Inquiry) end(whole, city, state, zip Field) (Place, float64) {
	p := Place{q.Fields[city].Value, cmp.Or(stateOf(q.Fields[state].Value), strings.ToUpper(q.Fields[state].Value)), naming.ZIP(q.Fields[zip].Value)}
	if p.ZIP != "" && q.Fields[zip].Confidence == 1 {
		return p, 1
	}
	if p.City != "" && p.State != "" {
		p.ZIP = ""

		return p, 1
	}
	made, ok := PlaceOf(q.Fields[whole].Value)
	if !ok {
		return made, 0
	}

	return made, q.Fields[whole].Confidence
}

// Who is the name of the customer, and how sure it is.
func (q Inquiry) Who() (string, float64) {
	if name := strings.TrimSpace(q.Fields[First].Value + " " + q.Fields[Last].Value); name != "" {
		return name, 1
	}
	if q.Fields[Name].Value != "" {
		return q.Fields[Name].Value, q.Fields[Name].Confidence
	}

	return q.Fields[Company].Value, q.Fields[Company].Confidence
}

// Value is the value of a field, "" if it is not there or not sure.
func (q Inquiry) Value(f Field) string {
	if q.Fields[f].Confidence <= unsure {
		return ""
	}

	return q.Fields[f].Value
}

const longest = 500

func short(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}

	return text
}

// normal is a label without case, spaces and punctuation.
func normal(label string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}

		return -1
	}, label)
}

// meaning is the field of a label, and of which vehicle it is; -1 for the one that is being read.
func meaning(dictionary map[string]Field, label string, own Labels) (Field, int, bool) {
	key := normal(label)
	for text, f := range own {
		if normal(text) == key {
			return f, -1, true
		}
	}
	if f, known := dictionary[key]; known {
		return f, -1, true
	}
	// vehicle2year, year2, vehicles1model.
	head := strings.IndexFunc(key, func(r rune) bool { return r >= '0' && r <= '9' })
	if head < 0 {
		return "", 0, false
	}
	tail := head
	for tail < len(key) && key[tail] >= '0' && key[tail] <= '9' {
		tail++
	}
	n, err := strconv.Atoi(key[head:tail])
	const most = 50
	if f, known := dictionary[key[:head]+key[tail:]]; known && err == nil && n <= most {
		switch f {
		case vehicle, year, carMake, model, trim, kind, vin, operable:
			return f, max(0, n-1), true
		case Phone, Email:
			return f, -1, true
		default:
		}
	}

	return "", 0, false
}
