package naming

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Heading is what the name of a column or a field says: that of "Max. payload (lbs)" are the words max and payload, in lb.
type Heading struct {
	// Words are in lower case, with common abbreviations written out.
	Words []string
	// Unit is the short name of a unit or currency, "" for none.
	Unit string
}

// ReadHeading reads a name as people and programs write it: "Load #", "Price, USD", "max_payload_lb", "PickupDate".
func ReadHeading(name string) Heading {
	words := headingWords(name)
	for len(words) > 1 && words[len(words)-1].apart && headingRemarks[words[len(words)-1].text] {
		words = words[:len(words)-1]
	}
	var h Heading
	if last := len(words) - 1; last > 0 {
		spoken := last > 1 && words[last-1].text == "in"
		if unit, known := headingUnits[words[last].text]; known && (words[last].apart || spoken || shortUnits[words[last].text]) {
			h.Unit, words = unit, words[:last]
			if spoken {
				words = words[:last-1]
			}
		}
	}
	for i, w := range words {
		if w.text == "mail" && i > 0 && words[i-1].text == "e" {
			h.Words[len(h.Words)-1] = "email"

			continue
		}
		long, short := headingShort[w.text]
		switch {
		case short && (i > 0 || len(words) == 1 || long != "number"):
			h.Words = append(h.Words, long)
		case len(words) > 1 && (w.text == "of" || w.text == "the"):
		case i > 0 && i == len(words)-1 && w.text == "uuid":
		default:
			h.Words = append(h.Words, w.text)
		}
	}

	return h
}

// Joined is the words without what stands between them.
func (h Heading) Joined() string { return strings.Join(h.Words, "") }

// headingWord is a word of a heading; apart says that it stands in parentheses or behind a comma.
type headingWord struct {
	text  string
	apart bool
}

// headingWords splits a heading.
func headingWords(name string) []headingWord {
	var all []headingWord
	var word strings.Builder
	apart, before := false, ' '
	end := func() {
		if word.Len() > 0 {
			all = append(all, headingWord{strings.ToLower(word.String()), apart})
		}
		word.Reset()
	}
	for _, r := range norm.NFKC.String(name) {
		switch {
		case r == '\'' || r == '’':
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				end()
			}
			word.WriteRune(r)
		case strings.ContainsRune("#$€£%", r):
			end()
			all = append(all, headingWord{string(r), true})
		default:
			if end(); strings.ContainsRune("([{,;:", r) {
				apart = true
			} else if strings.ContainsRune(")]}", r) {
				apart = false
			}
		}
		before = r
	}
	end()

	return all
}

// headingRemarks are words behind a name that say how it is written, and not what it is.
var headingRemarks = wordSet("required optional yyyy yy dd")

// shortUnits are the units that are nothing else, even where no comma is before them.
var shortUnits = wordSet("lb lbs kg kgs km mi ft cm gal mph usd eur gbp cad mxn pct $ € £ %")

// headingUnits are the units by what people call them.
var headingUnits = map[string]string{
	"lb": "lb", "lbs": "lb", "pound": "lb", "pounds": "lb", "oz": "oz", "kg": "kg", "kgs": "kg", "kilograms": "kg", "g": "g", "t": "t", "ton": "ton", "tons": "ton",
	"mi": "mi", "mile": "mi", "miles": "mi", "km": "km", "kilometers": "km", "kilometres": "km", "ft": "ft", "feet": "ft", "in": "in", "inch": "in", "inches": "in",
	"yd": "yd", "yards": "yd", "m": "m", "meters": "m", "metres": "m", "cm": "cm", "mm": "mm", "gal": "gal", "gallons": "gal", "l": "l", "mph": "mph",
	"usd": "usd", "$": "usd", "dollars": "usd", "eur": "eur", "€": "eur", "euro": "eur", "gbp": "gbp", "£": "gbp", "cad": "cad", "mxn": "mxn",
	"%": "percent", "pct": "percent", "percent": "percent", "min": "min", "minutes": "min", "h": "h", "hr": "h", "hrs": "h", "hours": "h", "days": "days",
}

// headingShort are common abbreviations and other spellings.
var headingShort = map[string]string{
	"#": "number", "no": "number", "nr": "number", "num": "number", "qty": "quantity", "amt": "amount", "tel": "phone", "telephone": "phone",
	"addr": "address", "desc": "description", "wt": "weight", "dest": "destination", "licence": "license", "lic": "license",
	"exp": "expires", "expiry": "expires", "expiration": "expires", "expiring": "expires",
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}

	return set
}

// Without returns the heading without its last word, if that is one of some and others stand before it.
func (h Heading) Without(words []string) (Heading, bool) {
	last := len(h.Words) - 1
	if last < 1 || !slices.Contains(words, h.Words[last]) {
		return h, false
	}

	return Heading{Words: h.Words[:last], Unit: h.Unit}, true
}
