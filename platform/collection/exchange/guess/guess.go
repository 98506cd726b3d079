// Package guess counts which types of fields the cells of a column may be of, for fields that an import proposes.
package guess

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// Seen is what was counted in a column when the file came. The tally is embedded since both are stored as one object.
type Seen struct {
	cell.Tally

	Guess Column `json:"guess,omitzero"`
	// Filled says that a cell has something in it, First are the first different ones that do.
	Filled bool     `json:"filled,omitempty"`
	First  []string `json:"first,omitempty"`
}

// MostFirst is how many cells of a column are kept to look at.
const MostFirst = 10

// Look keeps a cell that has something in it, one of the first.
func (s *Seen) Look(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s.Filled = true
	if len(s.First) < MostFirst && utf8.RuneCountInString(text) < LongestSample && !slices.Contains(s.First, text) {
		s.First = append(s.First, text)
	}
}

// Column counts which types of fields the cells of a column may be of. Its zero value has seen none.
type Column struct {
	Cells int64 `json:"cells"`
	// Fits are the cells that are values of a type.
	Fits map[string]int64 `json:"fits,omitempty"`
	// Values are the first different ones, one more than a select takes at most.
	Values []string `json:"values,omitempty"`
	// Longest is in characters, Decimals the digits behind the point of numbers.
	Longest  int `json:"longest,omitempty"`
	Decimals int `json:"decimals,omitempty"`
}

const (
	// tried is after how many cells a type is given up that hardly any of them is of.
	tried = 200
	// mostTried is how many cells of a column are looked at, so that a large file arrives as fast as it is sent.
	mostTried = 10_000
	// mostGuessed is how many characters a cell has that is looked at.
	mostGuessed = 300
	// mostWords is how many options a select is proposed with, each of which stands in as many cells on average.
	mostWords = 12
	eachWord  = 3
	// longestWord is how many characters an option has.
	longestWord = 60
	// shortText is how many characters a text has by default.
	shortText = 255
)

// guessed are the types that cells are tried as, the most particular first.
var guessed = []struct {
	name string
	may  func(text string) bool
}{
	{"boolean", func(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }},
	{"vin", func(text string) bool { return len(text) == 17 }},
	{"email", func(text string) bool { return strings.Contains(text, "@") }},
	{"url", func(text string) bool { return strings.Contains(text, "://") }},
	{"integer", func(text string) bool { return isQuantity(text) && !strings.ContainsFunc(text, isMoney) }},
	{"decimal", isQuantity},
	{"date", func(text string) bool { return !strings.Contains(text, ":") && strings.ContainsFunc(text, notDigit) }},
	{"local_datetime", func(text string) bool { return strings.Contains(text, ":") && strings.ContainsFunc(text, notTime) }},
	{"phone", func(text string) bool { return !strings.ContainsFunc(text, unicode.IsLetter) }},
}

// guessedValues are the values of those types, at their defaults.
var guessedValues = valuesByType()

func valuesByType() map[string]field.Values {
	all := map[string]field.Values{}
	for _, typ := range field.Types(mostGuessed) {
		values := typ.New()
		if decimal, is := values.(*field.DecimalOptions); is {
			decimal.Scale = field.FractionDigits
		}
		if values.Check() == nil {
			all[typ.Name] = values
		}
	}

	return all
}

func notDigit(r rune) bool { return !unicode.IsDigit(r) }

func notTime(r rune) bool { return !unicode.IsDigit(r) && !strings.ContainsRune(": ", r) }

func isMoney(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) || r == '%' }

// isQuantity reports whether a number is one to count with: leading zeros and very many digits are of ids.
func isQuantity(text string) bool {
	digits := strings.TrimLeftFunc(text, notDigit)
	if len(digits) > 1 && digits[0] == '0' && unicode.IsDigit(rune(digits[1])) {
		return false
	}

	return strings.Count(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}

		return -1
	}, text), "0") <= 15
}

// Add counts a cell.
func (g *Column) Add(text string, l cell.Locale) {
	text = strings.TrimSpace(text)
	if text == "" || g.Cells == mostTried {
		return
	}
	g.Cells++
	g.Longest = max(g.Longest, utf8.RuneCountInString(text))
	if len(g.Values) <= mostWords && !containsFold(g.Values, text) {
		g.Values = append(g.Values, readers.Truncate(text, LongestSample))
	}
	if len(text) > mostGuessed {
		return
	}
	if g.Fits == nil {
		g.Fits = map[string]int64{}
	}
	for _, kind := range guessed {
		if g.Cells > tried && !g.mostly(kind.name) || !kind.may(text) {
			continue
		}
		read, ok := readAs(kind.name, text, l)
		if !ok {
			continue
		}
		g.Fits[kind.name]++
		if _, decimals, _ := strings.Cut(read, "."); kind.name == "decimal" {
			g.Decimals = max(g.Decimals, len(decimals))
		}
	}
}

func containsFold(all []string, text string) bool {
	if slices.Contains(all, text) {
		return true
	}
	folded := naming.Fold(text)

	return slices.ContainsFunc(all, func(one string) bool { return naming.Fold(one) == folded })
}

// readAs returns the text of a cell as values of a type have it, in any format; ok is false for a cell that is none.
func readAs(kind, text string, l cell.Locale) (read string, ok bool) {
	for _, format := range append([]cell.Format{cell.Any}, cell.Formats(kind)...) {
		reader, _ := cell.NewReader(kind, format, l)
		read, err := reader.Read(text)
		if err != nil {
			continue
		}
		raw, err := guessedValues[kind].FromCSV(read)
		if err == nil {
			_, err = guessedValues[kind].Parse(raw)
		}
		if err == nil {
			return read, true
		}
	}

	return "", false
}

// mostly reports whether nearly all cells are of a type.
func (g *Column) mostly(kind string) bool { return g.Fits[kind] > 0 && g.Fits[kind]*20 >= g.Cells*19 }

// Kind is the type of field that a column seems to be of, with its options, and how many cells fit.
func (g *Column) Kind(column string, l cell.Locale) (kind string, options map[string]any, fits int64) {
	if isPhone := slices.ContainsFunc(naming.ReadHeading(column).Words, saysPhone); isPhone && g.mostly("phone") {
		kind = "phone"
	}
	for _, one := range guessed {
		if kind == "" && g.mostly(one.name) {
			kind = one.name
		}
	}
	switch {
	case kind == "decimal":
		options = map[string]any{"scale": max(g.Decimals, 2)}
	case kind == "phone" && l.Country != "":
		options = map[string]any{"default_region": l.Country}
	case kind != "":
	case g.isChoice():
		var labels []map[string]string
		for _, value := range g.Values {
			labels = append(labels, map[string]string{"label": value})
		}

		return "select", map[string]any{"options": labels}, g.Cells
	case g.Longest > shortText:
		return "long_text", nil, g.Cells
	default:
		return "text", nil, g.Cells
	}

	return kind, options, g.Fits[kind]
}

func saysPhone(word string) bool { return word == "phone" || word == "mobile" || word == "fax" }

// isChoice reports whether a few words stand in the cells again and again.
func (g *Column) isChoice() bool {
	return len(g.Values) > 1 && len(g.Values) <= mostWords && g.Cells >= int64(eachWord*len(g.Values)) && g.Longest <= longestWord
}

// LongestSample is how many characters of a cell a sample has.
const LongestSample = 200
