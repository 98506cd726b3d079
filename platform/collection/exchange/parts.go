package exchange

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// part is where a field of an element stands: in the element of a list with a number from 0, under a path such as address.city.
type part struct {
	list  *collection.Field
	index int
	path  []string
}

// A column goes to one of the first elements of a list: of the first three, or of more where an element has few fields, as a phone number does.
const (
	mostElements, mostSmall = 3, 6
	fewFields               = 8
)

// addParts adds a field for each field of the first elements of lists: emails.address, emails.2.address.
func (t *described) addParts() {
	lists := t.Fields
	t.Fields = slices.Clone(lists)
	for i := range lists {
		of := &lists[i]
		if !of.Settable || len(of.Elements) == 0 {
			continue
		}
		most := mostElements
		if len(of.Elements) <= fewFields {
			most = mostSmall
		}
		for index := range most {
			for _, e := range of.Elements {
				one := e
				one.Key = partKey(of.Key, index, e.Key)
				one.ID, one.Label, one.Settable, one.Required, one.Unique = one.Key, one.Key, true, false, false
				t.Fields = append(t.Fields, one)
				t.parts[one.ID] = part{of, index, strings.Split(e.Key, ".")}
			}
		}
	}
}

// partKey is the key of a field of an element, with the number of all but the first one.
func partKey(list string, index int, path string) string {
	if index == 0 {
		return list + "." + path
	}

	return list + "." + strconv.Itoa(index+1) + "." + path
}

// element is an element of a list that cells have named values of, by their paths.
type element map[string]json.RawMessage

// idle are the members that say nothing of an element alone: "E-mail 2 - Type" of a person without a second address.
var idle = []string{"label", "kind", "primary", "type", "role", "country", "operable"}

// matters reports whether an element has a value that matters.
func (e element) matters() bool {
	for path := range e {
		if last := path[strings.LastIndexByte(path, '.')+1:]; !slices.Contains(idle, last) {
			return true
		}
	}

	return false
}

// putAt sets a value at a path, in which 0 is the first of a list.
func putAt(into map[string]any, path []string, value json.RawMessage) {
	switch {
	case len(path) == 1:
		into[path[0]] = value
	case path[1] == "0" && len(path) == 2: //nolint:mnd // a list of values
		into[path[0]] = []any{value}
	case path[1] == "0":
		all, is := into[path[0]].([]any)
		if !is {
			all = []any{map[string]any{}}
			into[path[0]] = all
		}
		if inner, is := all[0].(map[string]any); is {
			putAt(inner, path[2:], value)
		}
	default:
		inner, is := into[path[0]].(map[string]any)
		if !is {
			inner = map[string]any{}
			into[path[0]] = inner
		}
		putAt(inner, path[1:], value)
	}
}

// json is the element as the API takes it.
func (e element) json() (json.RawMessage, error) {
	object := map[string]any{}
	for _, path := range slices.Sorted(maps.Keys(e)) {
		putAt(object, strings.Split(path, "."), e[path])
	}

	return json.Marshal(object)
}

// elements are those of one list.
type elements struct {
	of    *collection.Field
	first map[int]element
	// more come behind them: further values in one cell.
	more []element
}

func (l *elements) put(index int, path string, raw json.RawMessage) {
	if l.first == nil {
		l.first = map[int]element{}
	}
	if l.first[index] == nil {
		l.first[index] = element{}
	}
	l.first[index][path] = raw
}

// list is the JSON of the elements of a field that say something, nil for none.
func (l *elements) list() (json.RawMessage, error) {
	var all []json.RawMessage
	ordered := make([]element, 0, len(l.first)+len(l.more))
	for _, i := range slices.Sorted(maps.Keys(l.first)) {
		ordered = append(ordered, l.first[i])
	}
	for _, e := range append(ordered, l.more...) {
		if !e.matters() {
			continue
		}
		if n := len(all); n < len(l.of.Presets) {
			path, word, _ := strings.Cut(l.of.Presets[n], "=")
			if _, said := e[path]; !said {
				e[path] = rawjson.Quote(word)
			}
		}
		raw, err := e.json()
		if err != nil {
			return nil, err
		}
		all = append(all, raw)
	}
	if all == nil {
		return nil, nil
	}

	return json.Marshal(all)
}

// Between the values of a cell with several of them stands what Google writes or, between e-mail addresses and phone numbers, a semicolon.
const manyValues, someValues = ":::", ";"

// severalIn splits a cell that has several values.
func severalIn(text string) []string {
	by := manyValues
	if !strings.Contains(text, by) {
		if by = someValues; !strings.Contains(text, by) {
			return []string{text}
		}
	}
	var all []string
	for one := range strings.SplitSeq(text, by) {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	if len(all) == 0 || by == someValues && slices.ContainsFunc(all, func(one string) bool { return !strings.Contains(one, "@") && !isPhone(one) }) {
		return []string{text}
	}

	return all
}

// isPhone reports whether a text looks like a phone number.
func isPhone(text string) bool {
	const fewest = 7
	digits := 0
	for _, r := range field.PlainPhone(text) {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case !strings.ContainsRune("+ ()./-", r):
			return false
		}
	}

	return digits >= fewest
}

// coded writes the state or country of an address as its code, where people write its name.
func (p part) coded(text string) string {
	switch p.path[len(p.path)-1] {
	case "state", "plate_state":
		if code, known := naming.StateCode(strings.ReplaceAll(text, ".", "")); known {
			return code
		}
	case "country":
		return countryCode(text)
	case "postal_code":
		return naming.ZIP(text)
	}

	return text
}

// countryCode is the code of ISO 3166 of a country by its name in English. What is none stays.
func countryCode(text string) string {
	plain := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), ".", ""))
	if code := countryNames()[plain]; code != "" {
		return code
	}

	return strings.TrimSpace(text)
}

// countryNames are the codes of countries by their names in English, in lower case.
var countryNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{
		"usa": "US", "united states of america": "US", "america": "US", "uk": "GB", "great britain": "GB", "england": "GB", "scotland": "GB", "méxico": "MX",
	}
	english := display.English.Regions()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			if _, is := field.CountryCode(code); !is {
				continue
			}
			if region, err := language.ParseRegion(code); err == nil {
				names[strings.ToLower(english.Name(region))] = code
			}
		}
	}

	return names
})

// at reports whether a path of a refusal is that of the part: emails.0.address is that of emails.address.
func (p part) at(path string) bool {
	words := strings.Split(path, ".")
	if len(words) < 2 || words[0] != p.list.Key || words[1] != strconv.Itoa(p.index) { //nolint:mnd // a list and a number
		return false
	}
	rest := strings.Join(words[2:], ".")

	return rest == "" || rest == strings.Join(p.path, ".") || strings.HasPrefix(strings.Join(p.path, "."), rest+".")
}
