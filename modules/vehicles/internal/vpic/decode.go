package vpic

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

// mostCandidates is how many possible values of a detail are listed.
const mostCandidates = 10

// Ask is what is decoded.
type Ask struct {
	// VIN is a text as a user wrote it.
	VIN string
	// Year is the model year if the caller knows it, or 0.
	Year int
	// Now is the current year: model years are at most two years ahead.
	Now int
}

// Decode decodes a VIN, or a part of one. A text that is no VIN has Problems. The error is of the data.
//
// Each detail comes from the schema in which the most details match, and within it from the most specific key: schemas of other
// vehicles match by chance in a few places. Where several values are equally good, they are candidates.
func (d *Data) Decode(ask Ask) (vehiclesapi.Decoded, error) {
	number := Normalize(ask.VIN)
	out := vehiclesapi.Decoded{
		PossibleYears: []int{}, PossibleMakes: []string{}, PossibleModels: []string{}, Candidates: map[string][]string{},
		Warnings: []vehiclesapi.Warning{}, Problems: []vehiclesapi.Problem{}, Type: vehiclesapi.Other, CheckDigit: "unknown", Source: "offline",
	}
	if legacy(number, ask.Year) {
		out.VIN, out.Valid = number, true
		if ask.Year > 0 {
			out.Year = &ask.Year
		}
		warn(&out, "legacy", "VINs from before 1981 have fewer than 17 characters. They are not decoded.")

		return out, nil
	}
	problems := Problems(number)
	if strings.ContainsAny(number, "IOQ") && len(problems) == 0 { // not legacy by its year
		problems = []vehiclesapi.Problem{{Message: fmt.Sprintf("The VIN has %d characters. It must have %d.", len(number), length)}}
	}
	if len(problems) > 0 {
		out.VIN, out.Problems = clip(number), problems

		return out, nil
	}
	out.VIN, out.Valid = number, true
	c := &decoding{data: d, out: &out, ask: ask, number: number}
	if len(number) < length && (len(number) < shortest || !d.known(number)) {
		c.warn("partial", "The VIN is not complete, and its manufacturer is not known. It is not decoded.")

		return out, nil
	}
	if len(number) < length || strings.ContainsRune(number, unknown) {
		c.warn("partial", "The VIN is not complete. Details that depend on the missing characters are not known.")
	}
	c.number += strings.Repeat(string(unknown), length-len(number))

	return out, c.decode()
}

// clip shortens what is no VIN.
func clip(text string) string {
	const most = 40
	if runes := []rune(text[:min(len(text), 4*most)]); len(runes) > most {
		return string(runes[:most])
	}

	return strings.ToValidUTF8(text[:min(len(text), 4*most)], "")
}

// decoding is under way.
type decoding struct {
	data   *Data
	out    *vehiclesapi.Decoded
	ask    Ask
	number string // of 17 characters
	wmi    *wmi
	matched
}

// matched are the best values of each element.
type matched struct {
	best [elements]best
	seen uint16 // elements
}

// best are the values that match best.
type best struct {
	coherence, specific int
	hits                []hit
}

type hit struct {
	value uint16
	block *block
}

func (c *decoding) decode() error {
	c.out.CheckDigit = checkDigit(c.number)
	c.wmi = c.data.maker(c.number)
	c.out.Country = cmp.Or(countryOf(c.number), c.data.countryOf(c.wmi), region(c.number))
	if c.wmi == nil {
		c.out.Make = abroad[c.number[:3]]
		possible := years(c.number, c.ask.Now, "")
		if c.steers(c.out.Make) {
			possible = nil
		}
		c.guessYear(possible)
		if c.out.Make != "" {
			c.warn("no_details", "The manufacturer is known, but not this kind of vehicle.")
		} else {
			c.warn("unknown_manufacturer", "The manufacturer "+c.number[:3]+" is not known.")
			if !ruled(c.number) {
				c.out.Year = nil
			}
		}
		c.checkCheckDigit()

		return nil
	}
	kind := ""
	if c.wmi.kind >= 0 {
		kind = c.data.kinds[c.wmi.kind].name
		c.out.VehicleType, c.out.Type = kind, c.data.kinds[c.wmi.kind].is
	}
	if err := c.chooseYear(c.cycles(years(c.number, c.ask.Now, kind))); err != nil {
		return err
	}
	c.details()
	c.checkCheckDigit()

	return nil
}

// chooseYear matches the schemas of the years that the VIN may mean, the most probable first, until a model is found. Where the seventh
// place does not tell the years apart, the one in which more details match is chosen.
func (c *decoding) chooseYear(possible []int) error {
	if c.ask.Year > 0 {
		if len(possible) > 0 && !slices.Contains(possible, c.ask.Year) {
			c.warn("year_differs", fmt.Sprintf("The VIN encodes %s, not %d.", words(possible), c.ask.Year))
		}
		c.out.Year = &c.ask.Year

		return c.match(c.ask.Year)
	}
	if len(possible) == 0 {
		c.guessYear(nil)

		return c.match(0)
	}
	found, details, modeled := matched{}, -1, []int{}
	chosen := possible[0]
	recent := c.newest(possible)
	for _, year := range possible {
		if err := c.match(year); err != nil {
			return err
		}
		n := bits.OnesCount16(c.seen)
		switch {
		case c.seen&(1<<elementModel) != 0:
			modeled = append(modeled, year)
			n += int(elements)
			if year == recent {
				n += int(elements)
			}
		case !ruled(c.number):
			n = 0 // patterns of North America match other vehicles by chance
		}
		if n > details {
			found, details, chosen = c.matched, n, year
		}
		if c.yearRuled() && len(modeled) > 0 {
			break
		}
	}
	c.matched, c.out.Year = found, &chosen
	if c.yearCertain(possible, modeled, chosen) {
		return nil
	}
	c.guessYear(append([]int{chosen}, slices.DeleteFunc(possible, func(y int) bool { return y == chosen })...))

	return nil
}

// cycles leaves out the years in which the manufacturer did not have its WMI yet.
func (c *decoding) cycles(possible []int) []int {
	spans := c.data.spans[c.wmi.spans[0]:c.wmi.spans[1]]
	if makes := c.data.makers[c.wmi.makes[0]:c.wmi.makes[1]]; len(makes) > 0 && c.steers(c.data.makes[makes[0]].name) {
		return nil
	}
	if len(spans) == 0 {
		return possible
	}
	first := math.MaxInt
	for _, s := range spans {
		first = min(first, firstYear+int(s.from))
	}

	return slices.DeleteFunc(possible, func(y int) bool { return y < first })
}

// steers reports whether the tenth place says on which side the steering wheel is, as on vehicles of Mercedes-Benz for other markets.
func (c *decoding) steers(name string) bool {
	return name == "Mercedes-Benz" && (c.number[9] == '1' || c.number[9] == '2') && !ruled(c.number)
}

// newest is the year that is probable of a truck or bus with a letter at the seventh place, 0 for others: most makers follow the rule of light
// trucks.
func (c *decoding) newest(possible []int) int {
	heavy := slices.Contains([]string{"Truck", "Bus", "Incomplete Vehicle"}, c.out.VehicleType)
	if !heavy || len(possible) == 0 || c.number[6] == unknown || c.number[6] >= '0' && c.number[6] <= '9' {
		return 0
	}

	return slices.Max(possible)
}

// yearCertain reports whether a year is the only one: the rules of North America apply, as the place of the maker or the check digit
// shows, and no other year is possible or has a model.
func (c *decoding) yearCertain(possible, modeled []int, chosen int) bool {
	switch {
	case !northAmerican(c.number) && (c.out.CheckDigit == "invalid" || len(modeled) == 0):
		return false
	case len(possible) == 1 || (len(modeled) == 1 && !c.yearRuled()):
		return true
	}

	return chosen == possible[0] && (c.yearRuled() || c.lightTruck())
}

// lightTruck reports whether the seventh place tells the year of what was matched, a truck of up to 10,000 pounds.
func (c *decoding) lightTruck() bool {
	hits := c.best[elementWeight].hits
	if len(hits) == 0 || c.number[6] == unknown {
		return false
	}
	digit := c.number[6] >= '0' && c.number[6] <= '9'
	most := c.data.weights[hits[0].value].to

	return !digit && most > 0 && most <= 10_000
}

// yearRuled reports whether the seventh character tells one 30 years from the next (49 CFR 565.15(b)).
func (c *decoding) yearRuled() bool {
	return light(c.out.VehicleType) && c.number[6] != unknown && ruled(c.number)
}

func (c *decoding) guessYear(possible []int) {
	c.out.YearUncertain = true
	if len(possible) == 0 {
		c.warn("year_uncertain", "The VIN does not encode a model year.")

		return
	}
	c.out.Year, c.out.PossibleYears = &possible[0], slices.Sorted(slices.Values(possible))
	message := "The model year may be " + words(c.out.PossibleYears) + "."
	if !northAmerican(c.number) {
		message += " Manufacturers outside North America need not encode the model year."
	}
	c.warn("year_uncertain", message)
}

// words lists years.
func words(years []int) string {
	texts := make([]string, len(years))
	for i, y := range years {
		texts[i] = strconv.Itoa(y)
	}

	return strings.Join(texts, " or ")
}

// match finds the best values of each element in the schemas of a year, 0 for all.
func (c *decoding) match(year int) error {
	c.matched = matched{}
	number := c.number[3:8] + "|" + c.number[9:]
	last := -1
	for _, s := range c.data.spans[c.wmi.spans[0]:c.wmi.spans[1]] {
		if int(s.schema) == last || (year != 0 && (year < firstYear+int(s.from) || year > firstYear+int(s.to))) {
			continue
		}
		last = int(s.schema)
		b, err := c.data.block(last)
		if err != nil {
			return err
		}
		c.matchSchema(b, b.of(last), number)
	}

	return nil
}

func (c *decoding) matchSchema(b *block, patterns []pattern, number string) {
	var room [64]pattern
	found, present := room[:0], uint16(0)
	matched := false
	for i, p := range patterns { // those with the same key follow one another
		if i == 0 || p.key != patterns[i-1].key {
			matched = matches(b.keys[p.key].text, number)
		}
		if matched {
			found = append(found, p)
			present |= 1 << p.element
		}
	}
	c.seen |= present
	coherence := bits.OnesCount16(present)
	for _, p := range found {
		at, specific := &c.best[p.element], b.keys[p.key].specific
		switch {
		case len(at.hits) > 0 && (coherence < at.coherence || (coherence == at.coherence && specific < at.specific)):
			continue
		case len(at.hits) == 0 || coherence > at.coherence || specific > at.specific:
			at.coherence, at.specific, at.hits = coherence, specific, at.hits[:0]
		}
		at.hits = append(at.hits, hit{p.value, b})
	}
}

// details fills in what was matched.
func (c *decoding) details() {
	out, d := c.out, c.data
	c.vehicle()
	out.MatchedFields = bits.OnesCount16(c.seen)
	if c.seen == 0 {
		c.warn("no_details", "The manufacturer is known, but not this kind of vehicle.")
	}
	out.Series, out.Trim = c.text(elementSeries, "series"), c.text(elementTrim, "trim")
	out.EngineModel = c.text(elementEngine, "engine_model")
	out.Fuel = c.one("fuel", c.names(elementFuel, d.fuels))
	out.SecondFuel = c.one("second_fuel", c.names(elementSecondFuel, d.fuels))
	out.Doors, out.Cylinders = c.integer(elementDoors, "doors"), c.integer(elementCylinders, "cylinders")
	out.Displacement = c.displacement()
	c.body()
	var classes []string
	for _, h := range c.best[elementWeight].hits {
		classes = include(classes, d.weights[h.value].class)
	}
	if out.WeightClass = c.one("gvwr_class", classes); out.WeightClass != "" {
		w := d.weights[c.best[elementWeight].hits[0].value]
		if w.from > 0 {
			out.WeightFrom = &w.from
		}
		if w.to > 0 {
			out.WeightTo = &w.to
		}
	}
}

// vehicle says make and model. The make is that of the model: manufacturers use one WMI for several makes.
func (c *decoding) vehicle() {
	d, out := c.data, c.out
	var models, makes []string
	for _, h := range c.best[elementModel].hits {
		m := d.models[h.value]
		models, makes = include(models, m.name), include(makes, d.makes[m.make].name)
	}
	if len(models) == 0 {
		for _, m := range d.makers[c.wmi.makes[0]:c.wmi.makes[1]] {
			makes = include(makes, d.makes[m].name)
		}
	}
	switch {
	case len(makes) == 1:
		out.Make = makes[0]
	case len(makes) > 1:
		out.PossibleMakes = some(makes)
		c.warn("ambiguous_make", "The VIN does not tell the make.")
	}
	switch {
	case len(models) == 1 && len(makes) == 1:
		out.Model = models[0]
	case len(models) > 0:
		out.PossibleModels = some(models)
		c.warn("ambiguous_model", "The VIN does not tell the model.")
	}
}

// body says the body class, and the type that follows: of several classes, the type that they have in common.
func (c *decoding) body() {
	var names []string
	var types []vehiclesapi.Type
	for _, h := range c.best[elementBody].hits {
		b := c.data.bodies[h.value]
		names = include(names, b.name)
		if !slices.Contains(types, b.is) {
			types = append(types, b.is)
		}
	}
	if len(types) == 0 && c.out.Model != "" { // models of one type alone, such as motorcycles
		types = c.data.set(c.data.models[c.best[elementModel].hits[0].value].types)
	}
	c.out.BodyClass = c.one("body_class", names)
	if len(types) == 1 && types[0] != vehiclesapi.Other {
		c.out.Type = types[0]
	}
}

// one returns the only value, "" for several, which are candidates.
func (c *decoding) one(key string, values []string) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		return values[0]
	}
	c.out.Candidates[key] = some(values)

	return ""
}

func (c *decoding) text(element int, key string) string {
	var values []string
	for _, h := range c.best[element].hits {
		values = include(values, h.block.texts[h.value])
	}

	return c.one(key, values)
}

func (c *decoding) names(element int, of []string) []string {
	var values []string
	for _, h := range c.best[element].hits {
		values = include(values, of[h.value])
	}

	return values
}

func (c *decoding) integer(element int, key string) *int {
	n, err := strconv.Atoi(c.text(element, key))
	if err != nil || n <= 0 {
		return nil
	}

	return &n
}

func (c *decoding) displacement() *float64 {
	var values []string
	for _, h := range c.best[elementDisplacement].hits {
		if liters, err := strconv.ParseFloat(h.block.texts[h.value], 64); err == nil && liters > 0 && liters < 100 {
			values = include(values, strconv.FormatFloat(liters, 'f', -1, 64))
		}
	}
	liters, err := strconv.ParseFloat(c.one("displacement_l", values), 64)
	if err != nil {
		return nil
	}

	return &liters
}

func (c *decoding) checkCheckDigit() {
	if c.out.CheckDigit == "invalid" && northAmerican(c.number) {
		c.warn("check_digit", "The check digit is wrong. One of the characters may be misread.")
	}
}

func (c *decoding) warn(code, message string) { warn(c.out, code, message) }

func warn(of *vehiclesapi.Decoded, code, message string) {
	of.Warnings = append(of.Warnings, vehiclesapi.Warning{Code: code, Message: message})
}

// include adds a value that is not there yet.
func include(to []string, value string) []string {
	if slices.Contains(to, value) {
		return to
	}

	return append(to, value)
}

// some are the first values, in order.
func some(values []string) []string {
	slices.Sort(values)

	return values[:min(len(values), mostCandidates)]
}
