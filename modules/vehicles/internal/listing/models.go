package listing

import (
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
)

// modelAliases are other names of models, by make and key.
var modelAliases = map[string]map[string]string{
	"Chevrolet": {
		"vette": "Corvette", "stingray": "Corvette", "corvettestingray": "Corvette", "c10": "C/K Pickup", "k10": "C/K Pickup", "c1500": "C/K Pickup",
		"k1500": "C/K Pickup", "c2500": "C/K Pickup", "k2500": "C/K Pickup", "c3500": "C/K Pickup", "k3500": "C/K Pickup", "s10": "S-10 Pickup", "astro": "Astro Van",
	},
	"Ford":       {"stang": "Mustang", "crownvic": "Crown Victoria", "tbird": "Thunderbird", "mache": "Mustang Mach-E"},
	"GMC":        {"c1500": "C/K Pickup", "k1500": "C/K Pickup", "c2500": "C/K Pickup", "k2500": "C/K Pickup", "s15": "S15 Pickup"},
	"Mazda":      {"miata": "MX-5", "mx5miata": "MX-5", "miatamx5": "MX-5", "mazdaspeed3": "Mazda3", "mazdaspeed6": "Mazda6"},
	"Nissan":     {"z": "Nissan Z", "skyline": "GT-R"},
	"Porsche":    {"carrera": "911", "911carrera": "911", "911turbo": "911"},
	"Ram":        {"ram1500": "1500", "ram2500": "2500", "ram3500": "3500", "ram4500": "4500", "ram5500": "5500"},
	"Toyota":     {"matrix": "Corolla Matrix", "solara": "Camry Solara", "priusprime": "Prius Prime (PHEV)", "rav4prime": "RAV4 Prime (PHEV)"},
	"Volkswagen": {"bug": "Beetle", "newbeetle": "Beetle"},
	"Yamaha":     {"r1": "YZF-R1", "r1m": "YZF-R1M", "r3": "YZF-R3", "r6": "YZF-R6", "r7": "YZF-R7", "r9": "YZF-R9"},
}

var (
	// lettered are models that are named by a class and an engine: E350, GLC 300, RX350, NX300h.
	lettered = regexp.MustCompile(`^([a-z]{1,3})[0-9]{2,3}[a-z]{0,3}$`)
	// numbered are models that are named by a series and an engine, 328 and 535i, and the series themselves.
	numbered = regexp.MustCompile(`^([1-8])([0-9]{2}[a-z]{0,3}|series)$`)
)

// modelsOf are the models of a make that a key names: by their names or, of words beside the make or alone, by other names that they have.
func (p *Parser) modelsOf(of, key string, beside bool) []vpic.Match {
	if key == "" || key == vpic.Key(of) {
		return nil // Yamaha has a model of that name
	}
	found := p.lexicon.Models(of, key)
	if len(found) > 0 || !beside {
		return found
	}
	if alias := modelAliases[of][key]; alias != "" {
		if found = p.lexicon.Models(of, vpic.Key(alias)); len(found) > 0 {
			return found
		}
	}
	if found = p.lexicon.Models(of, vpic.Key(of)+key); len(found) > 0 { // Mazda 3
		return found
	}
	if found = p.lexicon.Parts(of, key); len(found) > 0 {
		return found
	}
	switch of {
	case "Mercedes-Benz":
		return p.class(of, strings.TrimPrefix(key, "amg"))
	case "BMW":
		if m := numbered.FindStringSubmatch(key); m != nil {
			return p.series(of, m[1])
		}
	default:
		m := lettered.FindStringSubmatch(key)
		if m == nil {
			return nil
		}
		bare := strings.TrimRight(key, "abcdefghijklmnopqrstuvwxyz")
		if typeWords[key[len(bare):]] != "" {
			return nil
		}
		if found = p.lexicon.Models(of, bare); len(found) > 0 || len(m[1]) == 1 { // G37x
			return found
		}

		return p.lexicon.Models(of, m[1])
	}

	return nil
}

// class are the models of a class with an engine, or without: E350, GLE 43, CLS.
func (p *Parser) class(of, key string) []vpic.Match {
	if m := lettered.FindStringSubmatch(key); m != nil {
		key = m[1]
	}
	if key == "" {
		return nil
	}
	found := p.lexicon.Models(of, key+"class")
	if key == "ml" {
		found = append(found, p.lexicon.Models(of, "mclass")...) // until 2005
	}
	if len(found) > 0 {
		return found
	}
	if found, ok := p.lexicon.Family(of, strings.ToUpper(key)+"-Class", func(other string) bool { return strings.HasPrefix(other, key+"class") }); ok {
		return []vpic.Match{found}
	}

	return nil
}

// series is a series of models, 3 Series, which vPIC knows by their engines alone.
func (p *Parser) series(of, digit string) []vpic.Match {
	found, ok := p.lexicon.Family(of, digit+" Series", func(other string) bool {
		return strings.HasPrefix(other, digit) && numbered.MatchString(other)
	})
	if !ok {
		return nil
	}

	return []vpic.Match{found}
}

// doubtful are makes whose names, or other names, are more often something else: a place, an abbreviation, a word. They count only with a model
// that they have, or where nothing else names a vehicle.
var doubtful = map[string]bool{
	"hd": true, "cat": true, "mb": true, "kw": true, "caddy": true, "indian": true, "jag": true, "merc": true, "fwd": true, "oem": true, "rocket": true,
	"eagle": true, "victory": true, "wabash": true, "moody": true, "tracker": true, "bulk": true, "mega": true, "ride": true, "lion": true, "boom": true,
	"ml": true, "ky": true, "heli": true, "pinnacle": true, "geo": true, "beta": true, "columbia": true, "lincoln": true, "sportsman": true, "ud": true,
	"milwaukee": true, "austin": true, "denali": true, "mini": true, "smart": true, "saturn": true, "sterling": true, "genesis": true, "olympia": true,
}

// written is the model of a make as it is written right behind it, or right before it if that has a digit, of at most mostWritten words.
func (p *piece) written(c choice) (text string, from, to int) {
	const mostWritten = 3
	from = c.makeAt[1]
	for to = from; to < len(p.tokens) && to < from+mostWritten && p.nameable(to); to++ {
		if t := p.tokens[to]; to > from && (t.soft || t.hard || t.bracketed) {
			break
		}
	}
	if from == to && c.makeAt[0] > 0 && p.nameable(c.makeAt[0]-1) && strings.ContainsAny(p.tokens[c.makeAt[0]-1].key, "0123456789") {
		from, to = c.makeAt[0]-1, c.makeAt[0]
	}
	texts := make([]string, 0, mostWritten)
	for _, t := range p.tokens[from:to] {
		texts = append(texts, t.text)
	}

	return strings.Join(texts, " "), from, to
}

// nameable reports whether a word can be one of the name of a model.
func (p *piece) nameable(i int) bool {
	t, says := p.tokens[i], false
	for n := 1; n <= 3 && i+n <= len(p.tokens); n++ { // travel trailer, does not run
		key, _ := phrase(p.tokens[i : i+n])
		if _, is := states[key]; is || typeWords[key] != "" {
			says = true
		}
	}

	return !t.used && t.key != "" && !says && !ordinary[t.key] && !p.yearAt(i) && numbers[t.key] == 0 && !strings.HasPrefix(t.key, "vin")
}
