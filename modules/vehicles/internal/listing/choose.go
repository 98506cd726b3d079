package listing

import (
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

// choice is the best match for the make and model of a vehicle.
type choice struct {
	make       string
	match      vpic.Match // zero if no model was found
	start, end int        // words of both
	guessed    bool       // from the model alone
	score      float64
	makeAt     [2]int // words
	modelAt    [2]int
}

func (c choice) found() bool { return c.make != "" }

// madeIn reports whether the model was made in a year.
func (c choice) madeIn(year int) bool { return c.match.Made(year) }

// Scores of choices.
const (
	afterYear, atBegin, directly = 3.0, 1.0, 4.0
	fits, misfits                = 3.0, -4.0
	perCharacter, perPopularity  = 1.0, 0.3
	// popular is the least popularity of a model that is recognized without its make.
	popular = 4
	// shortestAlone is the length of the shortest such model.
	shortestAlone = 3
	// mostMakes is how many makes in one piece are compared.
	mostMakes = 6
)

// vehicle finds make and model.
func (p *piece) vehicle() {
	var makes []choice
	for i := 0; i < len(p.tokens) && len(makes) < mostMakes; i++ {
		if m, ok := p.makeAt(i); ok {
			makes = append(makes, m)
		}
	}
	if len(makes) == 0 {
		if m, ok := p.rareMake(); ok {
			makes = append(makes, m)
		}
	}
	best := choice{score: -1}
	for _, m := range makes {
		if with := p.withModel(m); with.score > best.score {
			best = with
		}
	}
	if alone := p.modelAlone(); alone.found() && best.match.Model == "" && !p.stands(best, alone) {
		best = alone
	}
	if !best.found() {
		return
	}
	p.choice = best
	use(p.tokens[best.makeAt[0]:best.makeAt[1]])
	p.out.Make, p.out.Model = best.make, best.match.Model
	if best.match.Model == "" {
		p.out.Model, p.choice.modelAt[0], p.choice.modelAt[1] = p.written(best)
		if p.out.Model != "" {
			p.choice.start, p.choice.end = min(best.makeAt[0], p.choice.modelAt[0]), max(best.makeAt[1], p.choice.modelAt[1])
		}
	}
	use(p.tokens[p.choice.modelAt[0]:p.choice.modelAt[1]])
	for _, m := range makes {
		p.makes = append(p.makes, m.make)
	}
	for _, m := range makes { // another name of the same make, or of its parent before it: Mercedes Benz, Dodge Ram
		if m.make == best.make || m.makeAt[1] == best.start {
			use(p.tokens[m.makeAt[0]:m.makeAt[1]])
		}
	}
}

// stands reports whether a make without a model that it has is the make all the same, and not that of a model elsewhere in the text. A make that
// is written is in the result, but for words that are doubtful, and makes behind something else: "2015 F150 at Honda dealer".
func (p *piece) stands(c, alone choice) bool {
	if !c.found() {
		return false
	}
	if key, _ := phrase(p.tokens[c.makeAt[0]:c.makeAt[1]]); doubtful[key] {
		return c.score >= directly
	}
	beside := c.makeAt[0] == alone.end || c.makeAt[1] == alone.start

	return c.score > 0 || beside
}

// makeAt finds a make that begins at a word, by the longest phrase.
func (p *piece) makeAt(i int) (choice, bool) {
	for n := min(3, len(p.tokens)-i); n > 0; n-- {
		key, free := phrase(p.tokens[i : i+n])
		if !free {
			continue
		}
		c := choice{makeAt: [2]int{i, i + n}, start: i, end: i + n}
		if a, ok := aliases[key]; ok {
			if c.make = a.make; a.keeps {
				c.makeAt = [2]int{i, i}
				c.end = i
			}
		} else if name, ok := p.lexicon.Make(key); ok && !ordinary[key] {
			c.make = name
		}
		if c.make != "" {
			c.score = p.position(i)

			return c, true
		}
	}

	return choice{}, false
}

// position returns the score for a vehicle that begins at a word.
func (p *piece) position(i int) float64 {
	switch {
	case i > 0 && p.yearAt(i-1):
		return afterYear
	case i == 0 || p.tokens[i-1].used:
		return atBegin
	}

	return 0
}

// yearAt reports whether a word is a year in four digits, or in two after an apostrophe or at the beginning.
func (p *piece) yearAt(i int) bool {
	t := p.tokens[i]

	return p.fullYear(t.key) || (len(t.key) == 2 && (digits(t.key) > 0 || t.key == "00") && (t.apostrophe || i == 0))
}

// rareMake finds one of the thousands of makes that few vehicles have, right behind a year.
func (p *piece) rareMake() (choice, bool) {
	for i := 1; i < len(p.tokens); i++ {
		if !p.fullYear(p.tokens[i-1].key) {
			continue
		}
		for n := min(longestPhrase, len(p.tokens)-i); n > 0; n-- {
			words := p.tokens[i : i+n]
			if key, free := phrase(words); !free || ordinary[key] || typeWords[key] != "" || digits(key) > 0 || len(key) < shortestAlone {
				continue
			}
			texts := make([]string, n)
			for j, t := range words {
				texts[j] = t.text
			}
			for _, by := range []string{" ", "-"} {
				if name, ok := p.lexicon.RareMake(strings.Join(texts, by)); ok {
					return choice{make: name, makeAt: [2]int{i, i + n}, start: i, end: i + n, score: afterYear}, true
				}
			}
		}
	}

	return choice{}, false
}

// withModel adds the model of the make with the best score.
func (p *piece) withModel(c choice) choice {
	best := c
	for i := range p.tokens {
		for n := min(longestPhrase, len(p.tokens)-i); n > 0; n-- {
			if i < c.makeAt[1] && i+n > c.makeAt[0] {
				continue // the words of the make
			}
			key, free := phrase(p.tokens[i : i+n])
			if !free || (n == 1 && p.fullYear(key) && !p.otherYear(i)) {
				continue
			}
			beside := i == c.end || i+n == c.start || i == c.end+1 && p.tokens[c.end].key == "amg"
			for _, m := range p.parser.modelsOf(c.make, key, beside) {
				score := c.score + float64(len(key))*perCharacter + float64(m.Popularity)*perPopularity + p.fitsYear(m, i, n)
				if i == c.end || beside && i > c.end {
					score += directly
				}
				if score > best.score {
					best.score, best.match, best.modelAt = score, m, [2]int{i, i + n}
					best.start, best.end = min(c.makeAt[0], i), max(c.makeAt[1], i+n)
				}
			}
		}
	}

	return best
}

// fitsYear returns the score for a model and the years in the text, other than the words of the model.
func (p *piece) fitsYear(m vpic.Match, from, n int) float64 {
	any := false
	for i, t := range p.tokens {
		if i >= from && i < from+n || !p.fullYear(t.key) {
			continue
		}
		any = true
		if m.Made(digits(t.key)) {
			return fits
		}
	}
	if any {
		return misfits
	}

	return 0
}

// otherYear reports whether another word than the i-th is a year.
func (p *piece) otherYear(i int) bool {
	for j, t := range p.tokens {
		if j != i && p.fullYear(t.key) {
			return true
		}
	}

	return false
}

// modelAlone finds a popular model without its make: f150, accord. It ignores ordinary words.
func (p *piece) modelAlone() choice {
	best := choice{}
	for i := range p.tokens {
		for n := min(longestPhrase, len(p.tokens)-i); n > 0; n-- {
			key, free := phrase(p.tokens[i : i+n])
			if !free || len(key) < shortestAlone || digits(key) > 0 || ordinary[key] || typeWords[key] != "" || aliases[key].make != "" || p.general(i, n) {
				continue
			}
			if _, says := states[key]; says {
				continue
			}
			for _, m := range p.lexicon.Models("", key) {
				if m.Popularity < popular && p.position(i) < afterYear || !roadgoing(m) {
					continue
				}
				score := float64(len(key))*perCharacter + float64(m.Popularity)*perPopularity + p.fitsYear(m, i, n) + p.position(i)
				if score > best.score {
					at := [2]int{i, i + n}
					best = choice{make: m.Make, match: m, start: i, end: i + n, guessed: true, score: score, makeAt: [2]int{i, i}, modelAt: at}
				}
			}
		}
	}

	return best
}

// general reports whether words are no name but say what a thing is, as "recreational vehicle".
func (p *piece) general(from, n int) bool {
	return slices.ContainsFunc(p.tokens[from:from+n], func(t token) bool {
		return slices.Contains([]string{"vehicle", "vehicles", "chassis", "equipment", "coach", "passenger", "apparatus", "unit"}, t.key)
	})
}

// roadgoing leaves out trailers, whose models are ordinary words.
func roadgoing(m vpic.Match) bool {
	return m.Type != vehiclesapi.Trailer && m.Type != vehiclesapi.Other && m.Type != vehiclesapi.HeavyEquipment
}
