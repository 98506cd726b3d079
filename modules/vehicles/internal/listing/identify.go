package listing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

// Identify reads a vehicle whose make and model came apart, as of a year. They stay apart: nothing of the model is taken for a make. The error is of
// the data.
func (p *Parser) Identify(v vehiclesapi.Named, now int) (vehiclesapi.Listed, error) {
	name, model := p.spell(v.Make, v.Model)
	words := tokenize(model)
	piece := &piece{parser: p, data: p.data, lexicon: p.lexicon, now: now, tokens: words[:min(len(words), mostTokens)]}
	out := &piece.out
	*out = vehiclesapi.Listed{
		Count: 1, Make: name, Model: model, Type: vehiclesapi.Other, VIN: vpic.Normalize(v.VIN), Conditions: []string{},
		Text: shorten(strings.TrimSpace(v.Make + " " + v.Model)),
	}
	if v.Year >= firstCar && v.Year <= now+ahead {
		out.Year = &v.Year
	}
	piece.choice = choice{make: name}
	if name != "" {
		piece.choice.match = piece.identify(name)
	}
	if found := piece.choice.match.Model; found != "" && piece.whole {
		out.Model = found
	}
	if err := piece.decode(v); err != nil {
		return *out, err
	}
	piece.phrases()
	if kind := kindOf(v.Kind); kind != "" && (piece.choice.match.Type == "" || !vague[kind]) {
		out.Type = kind
	}
	piece.fromVIN()
	use(piece.tokens)
	piece.judge()

	return *out, nil
}

// decode decodes the VIN of a vehicle, if it is one.
func (p *piece) decode(v vehiclesapi.Named) error {
	if v.VIN == "" {
		return nil
	}
	ask := vpic.Ask{VIN: v.VIN, Now: p.now}
	if len(p.out.VIN) < fullVIN {
		ask.Year = v.Year
	}
	d, err := p.data.Decode(ask)
	if err == nil && (d.Model != "" || p.choice.make == "") {
		p.decoded = &d
		if p.choice.make != "" {
			p.makes = []string{p.choice.make}
		}
	}

	return err
}

// spell returns the name of a make as the catalog spells it, and the model with the words of the make that belong to it: Range Rover, Sport.
func (p *Parser) spell(written, model string) (name, whole string) {
	written, model = strings.Join(strings.Fields(written), " "), strings.Join(strings.Fields(model), " ")
	key := vpic.Key(written)
	if a, ok := aliases[key]; ok {
		if a.keeps && !strings.HasPrefix(vpic.Key(model), key) {
			model = strings.TrimSpace(written + " " + model)
		}

		return a.make, model
	}
	if name, ok := p.lexicon.Make(key); ok {
		return name, model
	}

	return p.data.SpellMake(written), model
}

// identify finds the model that a text names, or begins with.
func (p *piece) identify(name string) vpic.Match {
	words := p.tokens
	if key, _ := phrase(words[:min(1, len(words))]); len(words) > 1 && key == vpic.Key(name) { // Ford, Ford F-150
		words = words[1:]
	}
	if len(words) == 0 {
		return vpic.Match{}
	}
	for n := min(longestPhrase, len(words)); n > 0; n-- {
		key, _ := phrase(words[:n])
		best := vpic.Match{}
		for _, m := range p.parser.modelsOf(name, key, true) {
			if best.Model == "" || p.better(m, best) {
				best = m
			}
		}
		if best.Model != "" {
			p.whole = n == len(words)
			use(words[:n])

			return best
		}
	}

	return vpic.Match{}
}

// better reports whether a model is more probable than another: it was made in the year, or is of more vehicles.
func (p *piece) better(m, than vpic.Match) bool {
	if y := p.out.Year; y != nil && m.Made(*y) != than.Made(*y) {
		return m.Made(*y)
	}

	return m.Popularity > than.Popularity
}

// kindOf is the type that people name, "" for none: SUV, pickup truck, 4-door sedan.
func kindOf(text string) vehiclesapi.Type {
	key := strings.ToLower(strings.TrimSpace(text))
	if t := vehiclesapi.Type(strings.NewReplacer(" ", "_", "-", "_").Replace(key)); t.Known() {
		return t
	}
	words := tokenize(text)
	words = words[:min(len(words), mostTokens)]
	found := vehiclesapi.Type("")
	for i := range words {
		for n := min(longestPhrase, len(words)-i); n > 0; n-- {
			key, _ := phrase(words[i : i+n])
			t := cmp.Or(typeWords[key], typeWords[strings.TrimSuffix(key, "s")])
			if t != "" && (found == "" || vague[found]) {
				found = t
			}
		}
	}

	return found
}

// judge says how sure what was found is.
func (p *piece) judge() {
	byVIN := p.decoded != nil && p.decoded.Model != ""
	p.out.Known = !p.disputed && (p.choice.match.Model != "" || byVIN)
	p.out.Confidence = p.confidence()
}

// otherMake reports whether the text has a make, and not that of the VIN.
func (p *piece) otherMake(of string) bool {
	return of != "" && p.choice.found() && !p.choice.guessed && !slices.Contains(p.makes, of)
}
