package vpic

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

// Filter says which makes or models are listed.
type Filter struct {
	Q    string // part of the name, without regard to case, spaces and punctuation
	Type vehiclesapi.Type
	Year int
	// Now is the current year. The data end the last model years of many models in the far future: none are listed after the next two years.
	Now int
}

// until returns the years of a set that are not too far ahead.
func (f Filter) until(years uint64) uint64 { return years & (1<<max(f.Now+ahead+1-firstYear, 0) - 1) }

// Make is a make of the catalogue.
type Make struct {
	Name  string             `json:"name" example:"Honda"`
	Types []vehiclesapi.Type `json:"types" nullable:"false"`
	From  *int               `json:"from_year" doc:"Null if no models are known."`
	To    *int               `json:"to_year"`
}

// SchemaName implements web.SchemaNamer.
func (Make) SchemaName() string { return "VehiclesMake" }

// Model is a model of the catalogue.
type Model struct {
	Name  string             `json:"name" example:"Accord"`
	Make  string             `json:"make" example:"Honda"`
	Type  vehiclesapi.Type   `json:"type" doc:"The most frequent type."`
	Types []vehiclesapi.Type `json:"types" nullable:"false"`
	Years []int              `json:"years" nullable:"false" doc:"Model years, since 1980."`
}

// SchemaName implements web.SchemaNamer.
func (Model) SchemaName() string { return "VehiclesModel" }

// Makes lists makes: first those whose name begins with Q, then those with the most models. The page has at most limit makes, from the one
// that follows the make called after; "" is the beginning of the list. Total is the length of the list. The last result is false if no
// make of the list is called after.
func (d *Data) Makes(f Filter, after string, limit int) (page []Make, more bool, total int, ok bool) {
	q, bit := Key(f.Q), d.bit(f.Type)
	var begin, contain []*maker
	for _, i := range d.popular {
		m := &d.makes[i]
		if !made(f.until(m.years), f.Year) || (f.Type != "" && m.types&bit == 0) {
			continue
		}
		switch at := strings.Index(Key(m.name), q); {
		case at == 0:
			begin = append(begin, m)
		case at > 0:
			contain = append(contain, m)
		}
	}
	all := append(begin, contain...)
	from := 0
	if after != "" {
		from = slices.IndexFunc(all, func(m *maker) bool { return m.name == after }) + 1
		if from == 0 {
			return nil, false, 0, false
		}
	}
	page = []Make{}
	to := min(from+limit, len(all))
	for _, m := range all[from:to] {
		out := Make{Name: m.name, Types: d.set(m.types)}
		if years := f.until(m.years); years != 0 {
			first, last := firstYear+bits.TrailingZeros64(years), firstYear+63-bits.LeadingZeros64(years)
			out.From, out.To = &first, &last
		}
		page = append(page, out)
	}

	return page, to < len(all), len(all), true
}

// Models lists the models of a make by name. The second result is false if the make is not known.
func (d *Data) Models(of string, f Filter) ([]Model, bool) {
	i, ok := d.findMake(of)
	if !ok {
		return nil, false
	}
	q, bit := Key(f.Q), d.bit(f.Type)
	m := &d.makes[i]
	all := []Model{}
	for _, x := range d.models[m.models[0]:m.models[1]] {
		if x.weight > 0 && made(f.until(x.years), f.Year) && (f.Type == "" || x.types&bit != 0) && strings.Contains(Key(x.name), q) {
			all = append(all, Model{Name: x.name, Make: m.name, Type: d.types[x.most], Types: d.set(x.types), Years: years64(f.until(x.years))})
		}
	}

	return all, true
}

// made reports whether a year is among years; no year always is.
func made(years uint64, year int) bool {
	return year == 0 || (year >= firstYear && year < firstYear+64 && years&(1<<(year-firstYear)) != 0)
}

func years64(set uint64) []int {
	all := []int{}
	for ; set != 0; set &= set - 1 {
		all = append(all, firstYear+bits.TrailingZeros64(set))
	}

	return all
}

// findMake finds a make by its name, without regard to case; failing that, the most popular one whose name differs in punctuation alone.
func (d *Data) findMake(name string) (int, bool) {
	i, ok := slices.BinarySearchFunc(d.makes, strings.ToUpper(strings.TrimSpace(name)), func(m maker, upper string) int {
		return strings.Compare(strings.ToUpper(m.name), upper)
	})
	if ok {
		return i, true
	}
	key := Key(name)
	for _, p := range d.popular {
		if key != "" && Key(d.makes[p].name) == key {
			return int(p), true
		}
	}

	return 0, false
}

// SpellMake returns the name of a make as the data spell it: Honda for HONDA. An unknown make stays unchanged.
func (d *Data) SpellMake(name string) string {
	if i, ok := d.findMake(name); ok {
		return d.makes[i].name
	}

	return name
}

// TypeOf returns the load-board type of a body class of vPIC or, if that has none, of a vehicle type of vPIC.
func (d *Data) TypeOf(body, vehicleType string) vehiclesapi.Type {
	for _, of := range []struct {
		name  string
		kinds []kind
	}{{body, d.bodies}, {vehicleType, d.kinds}} {
		i := slices.IndexFunc(of.kinds, func(k kind) bool { return strings.EqualFold(k.name, of.name) })
		if i >= 0 && of.kinds[i].is != vehiclesapi.Other {
			return of.kinds[i].is
		}
	}

	return vehiclesapi.Other
}

// Key is a name in lower case, with its letters and digits alone: F-150 and f 150 are both f150.
func Key(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case (r >= 'a' && r <= 'z') || (r >= '0' && r <= '9') || r >= 0x80:
			return r
		}

		return -1
	}, name)
}

// Lexicon is what the names of the catalogue mean in free text.
type Lexicon struct {
	data *Data
	// makes are the popular ones by key; models all of theirs, by key and popularity.
	makes  map[string]uint16
	models []entry
	// parts are names within those of models: Raptor 660 of YFM660 (Raptor 660).
	parts []entry
	trims map[string]string
}

type entry struct {
	key   string
	model uint16
}

// popularMakes are how many makes are recognized anywhere in a text. The names of others are too often ordinary words.
const popularMakes = 400

// Lexicon builds one, in some milliseconds. It is used by several callers at the same time.
func (d *Data) Lexicon() *Lexicon {
	l := &Lexicon{data: d, makes: map[string]uint16{}, trims: make(map[string]string, len(d.trims))}
	for _, i := range d.popular[:min(popularMakes, len(d.popular))] {
		m := &d.makes[i]
		if _, taken := l.makes[phraseKey(m.name)]; !taken {
			l.makes[phraseKey(m.name)] = i
		}
		for x := m.models[0]; x < m.models[1]; x++ {
			if d.models[x].weight > 0 {
				l.models = append(l.models, entry{phraseKey(d.models[x].name), uint16(x)}) //nolint:gosec // as many as fit
				for _, part := range partsOf(d.models[x].name) {
					l.parts = append(l.parts, entry{part, uint16(x)}) //nolint:gosec // as above
				}
			}
		}
	}
	slices.SortStableFunc(l.parts, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	slices.SortStableFunc(l.models, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for _, t := range d.trims {
		if key := phraseKey(t); len(key) > 1 && l.trims[key] == "" { // the most frequent spelling
			l.trims[key] = t
		}
	}

	return l
}

// phraseKey is a key without "and", as texts have "&" and commas in its place.
func phraseKey(name string) string {
	return Key(strings.ReplaceAll(strings.ToLower(name), " and ", " "))
}

// Make returns the popular make that a key names.
func (l *Lexicon) Make(key string) (name string, ok bool) {
	i, ok := l.makes[key]
	if !ok {
		return "", false
	}

	return l.data.makes[i].name, true
}

// usual is the share of a type among the vehicles of a make, in percent, from which on it is taken for the type of them all.
const usual = 75

// MakeType returns the type that nearly all vehicles of a make have, or "".
func (l *Lexicon) MakeType(name string) vehiclesapi.Type {
	i, ok := l.data.findMake(name)
	if !ok {
		return ""
	}
	m := &l.data.makes[i]
	count, total := make([]int, len(l.data.types)), 0
	for _, x := range l.data.models[m.models[0]:m.models[1]] {
		if x.weight > 0 {
			n := 1 << min(x.weight-1, 20)
			count[x.most] += n
			total += n
		}
	}
	for t, n := range count {
		if n*100 > total*usual {
			return l.data.types[t]
		}
	}

	return ""
}

// RareMake returns the make of exactly that name.
func (l *Lexicon) RareMake(name string) (string, bool) {
	i, ok := slices.BinarySearchFunc(l.data.makes, strings.ToUpper(name), func(m maker, upper string) int {
		return strings.Compare(strings.ToUpper(m.name), upper)
	})
	if !ok {
		return "", false
	}

	return l.data.makes[i].name, true
}

// Trim returns the trim that a key names.
func (l *Lexicon) Trim(key string) (string, bool) {
	name, ok := l.trims[key]

	return name, ok
}

// Match is a model that a key names.
type Match struct {
	Model, Make string
	Type        vehiclesapi.Type
	Types       []vehiclesapi.Type
	// Popularity is greater for models of more vehicles, 1 to some 12.
	Popularity int
	years      uint64
}

// Made reports whether the model was made in a year. Years before 1980 are not known: nothing is said against them.
func (m Match) Made(year int) bool { return year < firstYear || made(m.years, year) }

// partsOf are the keys of the names in a name that vPIC has together: in brackets, and before and after a slash.
func partsOf(name string) []string {
	const shortest = 2
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '(' || r == ')' })
	if len(parts) < 2 { //nolint:mnd // a single name
		return nil
	}
	var keys []string
	for _, part := range parts {
		if key := phraseKey(strings.TrimSpace(part)); len(key) >= shortest {
			keys = append(keys, key)
		}
	}

	return keys
}

// Parts returns the models of a popular make in whose names a key is one of several.
func (l *Lexicon) Parts(of, key string) []Match { return l.in(l.parts, of, key) }

func (l *Lexicon) in(entries []entry, of, key string) []Match {
	var all []Match
	i, _ := slices.BinarySearchFunc(entries, key, func(e entry, key string) int { return strings.Compare(e.key, key) })
	for ; i < len(entries) && entries[i].key == key; i++ {
		if m := l.match(entries[i].model); of == "" || m.Make == of {
			all = append(all, m)
		}
	}

	return all
}

func (l *Lexicon) match(i uint16) Match {
	m := l.data.models[i]

	return Match{m.name, l.data.makes[m.make].name, l.data.types[m.most], l.data.set(m.types), int(m.weight), m.years}
}

// Family is what the models of a make have in common whose keys a function accepts, by a name of its own: the type that most have, and the years of
// any of them. It reports whether there are any.
func (l *Lexicon) Family(of, name string, in func(key string) bool) (Match, bool) {
	i, known := l.data.findMake(of)
	if !known {
		return Match{}, false
	}
	all, weights := Match{Model: name, Make: of}, map[vehiclesapi.Type]int{}
	for x := l.data.makes[i].models[0]; x < l.data.makes[i].models[1]; x++ {
		if l.data.models[x].weight == 0 || !in(phraseKey(l.data.models[x].name)) {
			continue
		}
		m := l.match(uint16(x)) //nolint:gosec // as many as fit
		all.Popularity, all.years = max(all.Popularity, m.Popularity), all.years|m.years
		if weights[m.Type] += 1 << min(m.Popularity, 20); weights[m.Type] > weights[all.Type] || all.Type == "" {
			all.Type = m.Type
		}
		for _, t := range m.Types {
			if !slices.Contains(all.Types, t) {
				all.Types = append(all.Types, t)
			}
		}
	}

	return all, len(all.Types) > 0
}

// Models returns the models that a key names, of a make, or with "" of all popular makes.
func (l *Lexicon) Models(of, key string) []Match {
	if _, popular := l.makes[phraseKey(of)]; !popular && of != "" {
		i, known := l.data.findMake(of)
		if !known {
			return nil
		}
		var all []Match
		m := l.data.makes[i]
		for x := m.models[0]; x < m.models[1]; x++ {
			if phraseKey(l.data.models[x].name) == key {
				all = append(all, l.match(uint16(x))) //nolint:gosec // as many as fit
			}
		}

		return all
	}

	return l.in(l.models, of, key)
}
