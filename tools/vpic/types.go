package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// The types of vehicles that load boards know and that vPIC can tell, in the order of their numbers in the data.
var loadTypes = []string{
	"other", "atv", "car", "convertible", "coupe", "hatchback", "heavy_equipment", "minivan", "motorcycle", "pickup", "rv", "sedan",
	"suv", "trailer", "truck", "van", "wagon",
}

// byBody says which type a body class of vPIC is, by the beginning of its name. The first that fits counts.
var byBody = []struct{ begins, is string }{
	{"Sedan", "sedan"},
	{"Coupe", "coupe"},
	{"Roadster", "convertible"},
	{"Convertible", "convertible"},
	{"Hatchback", "hatchback"},
	{"Wagon", "wagon"},
	{"Limousine", "sedan"},
	{"Sport Utility Truck", "pickup"},
	{"Sport Utility Vehicle", "suv"},
	{"Crossover", "suv"},
	{"Pickup", "pickup"},
	{"Minivan", "minivan"},
	{"Van", "van"},
	{"Cargo Van", "van"},
	{"Step Van", "van"},
	{"Ambulance", "van"},
	{"Motorcycle", "motorcycle"},
	{"Motorhome", "rv"},
	{"Incomplete - Motor Home", "rv"},
	{"Incomplete - Trailer", "trailer"},
	{"Incomplete", "truck"},
	{"Trailer", "trailer"},
	{"Truck", "truck"},
	{"Bus", "truck"},
	{"Fire Apparatus", "truck"},
	{"Street", "heavy_equipment"},
	{"Low Speed", "car"},
	{"Off-road Vehicle - Dirt", "motorcycle"},
	{"Off-road Vehicle - Enduro", "motorcycle"},
	{"Off-road Vehicle - Motocross", "motorcycle"},
	{"Off-road Vehicle - Construction", "heavy_equipment"},
	{"Off-road Vehicle - Farm", "heavy_equipment"},
	{"Off-road Vehicle - Golf", "car"},
	{"Off-road", "atv"},
}

// byKind is the type of a vehicle of which only its vehicle type is known. A car may be any of several.
var byKind = map[string]string{
	"Motorcycle": "motorcycle", "Passenger Car": "car", "Truck": "truck", "Bus": "truck", "Trailer": "trailer",
	"Multipurpose Passenger Vehicle (MPV)": "suv", "Low Speed Vehicle (LSV)": "car", "Incomplete Vehicle": "truck", "Off Road Vehicle": "atv",
}

func loadType(body string) string {
	for _, b := range byBody {
		if strings.HasPrefix(body, b.begins) {
			return b.is
		}
	}

	return "other"
}

// catalogue finds out in which years models were made, and as what: the body classes whose patterns match VINs that the pattern of the
// model matches too.
func (s *source) catalogue() {
	last := s.newest()
	for _, x := range s.schemas {
		var years uint64
		for _, p := range x.spans {
			for year := p.from; year <= min(p.to, last); year++ {
				years |= 1 << (year - firstYear)
			}
		}
		var bodies []pattern
		for _, p := range x.patterns {
			if p.element == elementBody {
				bodies = append(bodies, p)
			}
		}
		for _, p := range x.patterns {
			if p.element == elementModel {
				m := s.models[number(p.value)]
				m.years |= years
				m.patterns++
				s.countTypes(m, p, bodies, x.kinds)
			}
		}
	}
}

func (s *source) countTypes(m *model, p pattern, bodies []pattern, kinds []int) {
	counted := map[string]bool{}
	for _, b := range bodies {
		if compatible(p.key, b.key) {
			counted[loadType(s.bodies[number(b.value)].name)] = true
		}
	}
	if len(counted) == 0 {
		for _, k := range kinds {
			counted[byKind[s.types[k].name]] = true
		}
	}
	for t := range counted {
		// Most models that are made as a convertible are mostly made as something else.
		if m.bodies[t] += 2; t == "convertible" {
			m.bodies[t]--
		}
	}
}

// newest is the last year that a schema begins with: schemas without an end are taken to last until then.
func (s *source) newest() int {
	last := firstYear
	for _, x := range s.schemas {
		for _, p := range x.spans {
			if p.to < lastYear {
				last = max(last, p.to)
			}
		}
	}

	return last
}

// types are the numbers of a model's types, the most frequent first.
func (m *model) types() []int {
	names := slices.SortedFunc(maps.Keys(m.bodies), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.bodies[b], m.bodies[a]), strings.Compare(a, b))
	})
	var numbers []int
	for _, n := range names {
		numbers = append(numbers, slices.Index(loadTypes, n))
	}

	return numbers
}

// compatible reports whether some VIN matches both keys.
func compatible(a, b string) bool {
	left, right := places(a), places(b)
	for i := range min(len(left), len(right)) {
		if !meet(left[i], right[i]) {
			return false
		}
	}

	return true
}

// meet reports whether two places can be the same character; "" is any.
func meet(a, b string) bool { return a == "" || b == "" || strings.ContainsAny(a, b) }

// places splits a key into the characters that each place may be.
func places(key string) []string {
	var all []string
	for i := 0; i < len(key); i++ {
		switch c := key[i]; c {
		case '*':
			all = append(all, "")
		case '#':
			all = append(all, "0123456789")
		case '[':
			end := i + 1
			for end < len(key) && key[end] != ']' {
				end++
			}
			all = append(all, class(key[i+1:end]))
			i = end
		default:
			all = append(all, string(c))
		}
	}

	return all
}

// class are the characters of a class, such as A-C1.
func class(text string) string {
	var all []byte
	for i := 0; i < len(text); i++ {
		if i+2 < len(text) && text[i+1] == '-' {
			for c := text[i]; c <= text[i+2]; c++ {
				all = append(all, c)
			}
			i += 2

			continue
		}
		all = append(all, text[i])
	}

	return string(all)
}
