// Package listing reads vehicles in free text, such as a line of an auction's list or of an e-mail: "2x 05 f150 crew cab, no keys".
package listing

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

const (
	// MostVehicles is the most vehicles that are read in a text.
	MostVehicles = 100
	// longestPhrase is the most words that form a phrase.
	longestPhrase = 5
	// mostTokens is the most words of one vehicle that are analyzed; others are rest.
	mostTokens = 60
	// mostText is the length to which the rest and the text are cut, in bytes.
	mostText = 500
	// mostCount is the greatest number of equal vehicles.
	mostCount = 50
	// firstCar is the year of the oldest vehicle.
	firstCar = 1900
	// fullVIN is the length of a VIN.
	fullVIN = 17
	// ahead is how many years a model year may be after the present year.
	ahead = 2
)

// Parser reads listings.
type Parser struct {
	data    *vpic.Data
	lexicon *vpic.Lexicon
}

// New returns a parser that knows the makes and models of the data.
func New(data *vpic.Data) *Parser { return &Parser{data, data.Lexicon()} }

// Parse reads the vehicles of a text in their order, as of a year. The error is of the data.
func (p *Parser) Parse(text string, now int) ([]vehiclesapi.Listed, error) {
	found := []vehiclesapi.Listed{}
	for _, words := range p.pieces(tokenize(text), now) {
		piece := &piece{parser: p, data: p.data, lexicon: p.lexicon, now: now, tokens: words[:min(len(words), mostTokens)]}
		if err := piece.read(); err != nil {
			return nil, err
		}
		from, to := words[0].from, words[len(words)-1].to
		piece.out.Text = shorten(text[from:to])
		piece.out.Rest = rest(words)
		switch last := len(found) - 1; {
		case last >= 0 && piece.onlyVIN() && found[last].VIN == "" && found[last].Count == 1 && agree(found[last], piece.out):
			found[last] = withVIN(found[last], piece.out)
		case piece.core():
			if len(found) == MostVehicles {
				return found, nil
			}
			found = append(found, piece.out)
		case last >= 0: // a line of its own about the vehicle before
			found[last] = merge(found[last], piece.out)
		}
	}

	return found, nil
}

// merge adds a line that names no vehicle.
func merge(to, more vehiclesapi.Listed) vehiclesapi.Listed {
	if more.Operable != nil && (to.Operable == nil || !*more.Operable) {
		to.Operable = more.Operable
	}
	for _, c := range more.Conditions {
		if !slices.Contains(to.Conditions, c) {
			to.Conditions = append(to.Conditions, c)
		}
	}
	to.Rest = shorten(strings.TrimSpace(to.Rest + " " + more.Rest))
	to.Text = shorten(to.Text + "\n" + more.Text)

	return to
}

// withVIN adds a VIN on a line of its own to the vehicle on the line before.
func withVIN(before, v vehiclesapi.Listed) vehiclesapi.Listed {
	v.Operable, v.Conditions, v.Rest, v.Text = before.Operable, before.Conditions, before.Rest, shorten(before.Text+"\n"+v.Text)

	return v
}

// agree reports whether two parts of a text may be about the same vehicle.
func agree(a, b vehiclesapi.Listed) bool {
	return (a.Year == nil || b.Year == nil || *a.Year == *b.Year) && (a.Make == "" || b.Make == "" || a.Make == b.Make)
}

// piece is the text of one vehicle.
type piece struct {
	parser  *Parser
	data    *vpic.Data
	lexicon *vpic.Lexicon
	now     int
	tokens  []token
	out     vehiclesapi.Listed

	choice   choice
	makes    []string // all that are written
	decoded  *vehiclesapi.Decoded
	named    bool // a type was named
	disputed bool // the VIN is of another make than the text
	whole    bool // all of the model's text names it
}

// core reports whether the text names a vehicle.
func (p *piece) core() bool {
	return p.out.VIN != "" || p.out.Make != "" || p.out.Model != "" || p.named || (p.out.Year != nil && len(p.tokens) > 1)
}

// onlyVIN reports whether the text is a VIN and nothing else.
func (p *piece) onlyVIN() bool {
	return p.out.VIN != "" && !p.choice.found() && !slices.ContainsFunc(p.tokens, func(t token) bool { return !t.used })
}

func (p *piece) read() error {
	p.out = vehiclesapi.Listed{Count: 1, Type: vehiclesapi.Other, Conditions: []string{}}
	if err := p.vin(); err != nil {
		return err
	}
	p.count()
	p.vehicle()
	p.year()
	p.phrases()
	p.trim()
	p.fromVIN()
	p.judge()

	return nil
}

// vin finds and decodes a VIN, which overrides the text beside it.
func (p *piece) vin() error {
	for i := range p.tokens {
		t := &p.tokens[i]
		if !p.parser.isVIN(t.text) {
			continue
		}
		t.used = true
		decoded, err := p.data.Decode(vpic.Ask{VIN: t.text, Now: p.now})
		if err != nil {
			return err
		}
		p.decoded, p.out.VIN = &decoded, decoded.VIN
		p.useLabel(i)

		return nil
	}
	p.oldVIN()

	return nil
}

// oldVIN finds a VIN from before 1981 beside a year of that time.
func (p *piece) oldVIN() {
	const shortest, longest, fewestDigits, ruled = 11, 13, 5, 1981
	if !slices.ContainsFunc(p.tokens, func(t token) bool { return p.fullYear(t.key) && digits(t.key) < ruled }) {
		return
	}
	for i := range p.tokens {
		t := &p.tokens[i]
		figures := strings.Count(strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return '0'
			}

			return r
		}, t.key), "0")
		if n := len(t.key); n < shortest || n > longest || figures < fewestDigits || figures == n || len(vpic.Problems(strings.ToUpper(t.text))) > 0 {
			continue
		}
		t.used, p.out.VIN = true, strings.ToUpper(t.text)
		p.useLabel(i)

		return
	}
}

// useLabel uses the word "VIN" before one.
func (p *piece) useLabel(i int) {
	if i > 0 && p.tokens[i-1].key == "vin" {
		p.tokens[i-1].used = true
	}
}

// isVIN reports whether a word is a VIN: one of a known manufacturer, or with a right check digit.
func (p *Parser) isVIN(text string) bool {
	const fewestDigits = 3
	if len(text) != fullVIN || len(vpic.Problems(strings.ToUpper(text))) > 0 {
		return false
	}
	digits := 0
	for _, c := range []byte(text) {
		if c >= '0' && c <= '9' {
			digits++
		}
	}

	return digits >= fewestDigits && p.data.Plausible(strings.ToUpper(text))
}

// count finds a number of equal vehicles at the beginning: "2x", "(3)", "x2", "qty 2", "2 2015 Honda Civic".
func (p *piece) count() {
	t := p.tokens
	set := func(n, words int) {
		if n >= 1 && n <= mostCount {
			p.out.Count = n
			for i := range words {
				t[i].used = true
			}
		}
	}
	at := func(i int) string {
		if i < len(t) {
			return t[i].key
		}

		return ""
	}
	first := at(0)
	switch {
	case (first == "qty" || first == "quantity" || first == "x") && digits(at(1)) > 0:
		set(digits(at(1)), 2)
	case strings.HasSuffix(first, "x") && digits(strings.TrimSuffix(first, "x")) > 0:
		set(digits(strings.TrimSuffix(first, "x")), 1)
	case strings.HasPrefix(first, "x") && digits(first[1:]) > 0 && len(first) <= 3 && len(t) > 1:
		if len(p.lexicon.Models("", first)) == 0 || p.fullYear(at(1)) { // "X6 BMW" is no count
			set(digits(first[1:]), 1)
		}
	case digits(first) > 0 && len(first) <= 2 && at(1) == "x":
		set(digits(first), 2)
	case digits(first) > 0 && len(first) <= 2 && (t[0].bracketed || p.fullYear(at(1))):
		set(digits(first), 1)
	case numbers[first] > 0 && len(t) > 1:
		set(numbers[first], 1)
	}
}

// digits is a number of at most three digits, 0 for anything else.
func digits(text string) int {
	if text == "" || len(text) > 4 {
		return 0
	}
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}

	return n
}

// fullYear reports whether a word is a model year in four digits.
func (p *piece) fullYear(word string) bool { return isYear(word, p.now) }

func isYear(word string, now int) bool {
	n := digits(word)

	return len(word) == 4 && n >= firstCar && n <= now+ahead
}

// year finds the model year: one in four digits, of which the one before the make counts most; or in two, before the make or after an
// apostrophe.
func (p *piece) year() {
	best := -1
	for i, t := range p.tokens {
		if !t.used && p.fullYear(t.key) && (best < 0 || i+1 == p.choice.start) {
			best = i
		}
	}
	if best >= 0 {
		n := digits(p.tokens[best].key)
		p.out.Year, p.tokens[best].used = &n, true

		return
	}
	for i, t := range p.tokens {
		n := digits(t.key)
		two := !t.used && len(t.key) == 2 && (n > 0 || t.key == "00")
		beside := p.choice.found() && (i+1 == p.choice.start || i == 0 && p.choice.start <= 2)
		if !two || !t.apostrophe && !beside {
			continue
		}
		if n += 2000; n > p.now+ahead {
			n -= 100
		}
		p.out.Year, p.tokens[i].used = &n, true

		return
	}
}

// trim finds the trim behind the model, with the series of a truck before it: "1500 LT".
func (p *piece) trim() {
	if p.out.Model == "" {
		return
	}
	var parts []string
	i := p.choice.end
	if i < len(p.tokens) && !p.tokens[i].used && isSeries(p.tokens[i].key) {
		parts = append(parts, strings.ToUpper(p.tokens[i].text))
		p.tokens[i].used = true
		i++
	}
	for at := i; at < len(p.tokens); at++ {
		if name, n := p.trimAt(at, at == i); n > 0 {
			parts = append(parts, name)
			use(p.tokens[at : at+n])

			break
		}
	}
	p.out.Trim = strings.Join(parts, " ")
}

// trimAt finds the longest trim that begins at a word. Further away from the model, ordinary words are none.
func (p *piece) trimAt(at int, directly bool) (name string, words int) {
	for n := min(longestPhrase-1, len(p.tokens)-at); n > 0; n-- {
		key, free := phrase(p.tokens[at : at+n])
		if !free || isYear(key, p.now) || (!directly && (len(key) < 3 || ordinary[key] || digits(key) > 0)) {
			continue
		}
		if name, ok := p.lexicon.Trim(key); ok {
			return name, n
		}
	}

	return "", 0
}

// isSeries reports whether a word is the series of a truck: 1500, 2500HD, 350.
func isSeries(key string) bool {
	n := digits(strings.TrimRight(key, "hdx"))

	return n >= 150 && n%50 == 0 && n < 6000 && (n < firstCar || n > 2100)
}

// phrases finds conditions, then words for types.
func (p *piece) phrases() {
	yes, no := false, false
	p.each(func(key string) bool {
		s, ok := states[key]
		if !ok {
			return false
		}
		if s.code != "" && !slices.Contains(p.out.Conditions, s.code) {
			p.out.Conditions = append(p.out.Conditions, s.code)
		}
		yes, no = yes || s.operable == "yes", no || s.operable == "no"

		return true
	})
	if yes || no {
		operable := !no
		p.out.Operable = &operable
	}
	switch p.out.Type = p.choice.match.Type; {
	case p.out.Type == "" && p.choice.found():
		p.out.Type = cmp.Or(p.lexicon.MakeType(p.choice.make), vehiclesapi.Other)
	case p.out.Type == "":
		p.out.Type = vehiclesapi.Other
	}
	p.each(func(key string) bool {
		t, ok := typeWords[key]
		if !ok {
			t, ok = typeWords[strings.TrimSuffix(key, "s")]
		}
		if ok && !p.named {
			p.named = true
			if p.choice.match.Type == "" || !vague[t] {
				p.out.Type = t
			}
		}

		return ok
	})
}

// each calls take with the phrases of what is not used yet, longer ones first, and uses those that it takes.
func (p *piece) each(take func(key string) bool) {
	for i := 0; i < len(p.tokens); i++ {
		for n := min(longestPhrase, len(p.tokens)-i); n > 0; n-- {
			if key, free := phrase(p.tokens[i : i+n]); free && take(key) {
				use(p.tokens[i : i+n])
				i += n - 1

				break
			}
		}
	}
}

// fromVIN fills in what a VIN says.
func (p *piece) fromVIN() {
	d := p.decoded
	if d == nil {
		return
	}
	if p.otherMake(d.Make) {
		p.disputed = true

		return
	}
	if d.Make != "" {
		p.out.Make = d.Make
	}
	if d.Model != "" {
		if p.out.Model != d.Model {
			p.out.Trim = ""
		}
		p.out.Model = d.Model
	}
	if d.Trim != "" {
		p.out.Trim = d.Trim
	}
	if d.Year != nil && (p.out.Year == nil || !d.YearUncertain) {
		p.out.Year = d.Year
	}
	if d.Type != vehiclesapi.Other && (!p.named || !vague[d.Type]) {
		p.out.Type = d.Type
	}
}

// The shares of what was found in the confidence.
const (
	shareMake, shareModel, shareYear, shareType = 0.3, 0.3, 0.2, 0.1
	shareClear                                  = 0.05 // nothing is left over
	notMade                                     = 0.25 // the model was not made in that year
	guessed                                     = 0.1  // the make follows from the model alone
	decodedVIN, unsureVIN, bareVIN              = 1.0, 0.8, 0.5
)

func (p *piece) confidence() float64 {
	if d := p.decoded; d != nil {
		switch {
		case d.Model == "" || p.disputed:
			return bareVIN
		case d.CheckDigit == "invalid" || d.YearUncertain:
			return unsureVIN
		}

		return decodedVIN
	}
	c := 0.0
	if p.out.Make != "" {
		c += shareMake
	}
	if p.choice.match.Model != "" {
		c += shareModel
		if p.choice.guessed {
			c -= guessed
		}
	}
	if p.out.Year != nil {
		c += shareYear
		if p.choice.match.Model != "" && !p.choice.madeIn(*p.out.Year) {
			c -= notMade
		}
	}
	if p.out.Type != vehiclesapi.Other {
		c += shareType
	}
	if !slices.ContainsFunc(p.tokens, func(t token) bool { return !t.used }) {
		c += shareClear
	}

	return math.Round(max(0, c)*100) / 100
}
