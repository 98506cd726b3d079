package listing

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
)

// token is a word of a text.
type token struct {
	text     string
	key      string // "" for a word that is too long to mean something
	from, to int
	used     bool

	hard, soft bool // a line break or a semicolon, or a comma or "and", is before it
	apostrophe bool // directly before it, as in '05
	bracketed  bool // a bracket is directly before it
}

// longestWord is the length of the longest word that is analyzed, in bytes.
const longestWord = 40

// tokenize splits a text into words of letters and digits.
func tokenize(text string) []token {
	var all []token
	next := token{hard: true}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !wordly(r) {
			separate(&next, r)
			i += size

			continue
		}
		next.from = i
		for i < len(text) {
			if r, size = utf8.DecodeRuneInString(text[i:]); !wordly(r) && !inner(text, i, r, size) {
				break
			}
			i += size
		}
		next.to = i
		if next.text = text[next.from:i]; len(next.text) <= longestWord {
			next.key = vpic.Key(next.text)
		}
		if next.key == "and" {
			next = token{hard: next.hard, soft: true}

			continue
		}
		all = append(all, next)
		next = token{}
	}

	return all
}

// separate records a separator before the next word.
func separate(next *token, r rune) {
	switch r {
	case '\n', '\r', ';', '|', '•', '\u2028', '\u2029':
		next.hard = true
	case ',', '&', '+':
		next.soft = true
	}
	next.apostrophe = r == '\'' || r == '’' || r == '‘' || r == '`'
	next.bracketed = r == '(' || r == '['
}

func wordly(r rune) bool { return (unicode.IsLetter(r) || unicode.IsDigit(r)) && r != utf8.RuneError }

// inner reports whether a character is an apostrophe between letters.
func inner(text string, i int, r rune, size int) bool {
	if r != '\'' && r != '’' {
		return false
	}
	after, _ := utf8.DecodeRuneInString(text[i+size:])

	return unicode.IsLetter(after)
}

// phrase is the key of words together, and whether none of them is used yet.
func phrase(words []token) (key string, free bool) {
	if len(words) == 1 {
		return words[0].key, !words[0].used
	}
	var b strings.Builder
	free = true
	for _, t := range words {
		b.WriteString(t.key)
		free = free && !t.used && t.key != ""
	}

	return b.String(), free
}

func use(words []token) {
	for i := range words {
		words[i].used = true
	}
}

// rest are the words that were not used.
func rest(words []token) string {
	var b strings.Builder
	for _, t := range words {
		if t.used {
			continue
		}
		if b.Len() > mostText {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}

	return shorten(b.String())
}

// shorten cuts a text to mostText.
func shorten(text string) string {
	if len(text) <= mostText {
		return text
	}
	end := mostText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}

	return text[:end]
}

// pieces splits words into those of each vehicle: at line breaks; at commas before something that begins a vehicle, if there is one
// already; and at another year with a make or model behind it.
func (p *Parser) pieces(words []token, now int) [][]token {
	var all [][]token
	start, year, core, vin := 0, false, false, false
	for i, t := range words {
		isVIN := p.isVIN(t.text)
		begins := isYear(t.key, now) || p.countBefore(words, i, now) || p.named(words, i)
		if i > start && (t.hard || (t.soft && core && begins) || (isVIN && vin) || (year && core && isYear(t.key, now) && p.named(words, i+1))) {
			all = append(all, words[start:i])
			start, year, core, vin = i, false, false, false
		}
		if len(all) > 2*MostVehicles { // what follows would be cut anyway
			return all
		}
		year = year || isYear(t.key, now)
		vin = vin || isVIN
		core = core || isVIN || p.named(words, i) || typeWords[t.key] != ""
	}
	if start < len(words) {
		all = append(all, words[start:])
	}

	return all
}

// countBefore reports whether a word is a count with a year or a make behind it.
func (p *Parser) countBefore(words []token, i, now int) bool {
	t := words[i].key
	if digits(strings.TrimSuffix(t, "x")) == 0 && numbers[t] == 0 || i+1 >= len(words) || len(t) > 3 && numbers[t] == 0 {
		return false
	}

	return isYear(words[i+1].key, now) || p.named(words, i+1)
}

// named reports whether a make begins at a word.
func (p *Parser) named(words []token, i int) bool {
	for n := min(3, len(words)-i); n > 0; n-- {
		key, _ := phrase(words[i : i+n])
		if _, ok := aliases[key]; ok {
			return true
		}
		if _, ok := p.lexicon.Make(key); ok && !ordinary[key] {
			return true
		}
		if n == 1 && len(key) > 2 && digits(key) == 0 && !ordinary[key] && i > 0 && isYear(words[i-1].key, 2100) && len(p.lexicon.Models("", key)) > 0 {
			return true
		}
	}

	return false
}
