package places

import (
	"slices"
	"strings"
)

// leastTyped is how much must be typed: what is shorter is in too many names.
const leastTyped = 2

// Complete returns up to limit places that begin with what somebody types: ZIP codes for digits, in their order; else cities, those that
// are called exactly so first, then those with more ZIP codes. A state may follow the city, as it is or after a comma: "miami, f". Then
// the name of the city is complete, unless there is no such city.
func Complete(typed string, limit int) []Place {
	typed = strings.TrimLeft(typed, " ")
	if digits, ok := typedZIP(typed); ok {
		return completeZIP(digits, limit)
	}
	name, state, comma := strings.Cut(typed, ",")
	if comma {
		return completeInState(name, statesFrom(state), limit)
	}
	if found := completeCity(foldTyped(name), nil, limit); len(found) > 0 {
		return found
	}
	// The last words may be a state: "kansas city mo", "charlotte north carolina".
	words := strings.Fields(name)
	for n := 1; n <= 2 && n < len(words); n++ {
		if code := stateOf(strings.Join(words[len(words)-n:], " ")); code != "" {
			if found := completeInState(strings.Join(words[:len(words)-n], " "), []string{code}, limit); len(found) > 0 {
				return found
			}
		}
	}

	return []Place{}
}

// typedZIP returns the digits of the beginning of a ZIP code, five at most.
func typedZIP(typed string) (string, bool) {
	first, plus, hyphen := strings.Cut(strings.TrimSpace(typed), "-")
	for _, r := range first + plus {
		if r < '0' || r > '9' {
			return "", false
		}
	}
	if first == "" || hyphen && len(first) != zipDigits || len(first)+len(plus) > plusDigits {
		return "", false
	}

	return first[:min(len(first), zipDigits)], true
}

func completeZIP(digits string, limit int) []Place {
	if len(digits) < leastTyped {
		return []Place{}
	}
	first, scale := uint32(0), uint32(1)
	for _, d := range digits {
		first = first*10 + uint32(d-'0') //nolint:gosec,mnd // a digit
	}
	for range zipDigits - len(digits) {
		first, scale = first*10, scale*10 //nolint:mnd // decimal
	}
	x := loaded()
	from, to := x.between(first, first+scale)
	found := make([]Place, 0, min(to-from, limit))
	for i := from; i < to && len(found) < limit; i++ {
		found = append(found, x.place(i))
	}

	return found
}

// completeInState returns the cities of states that are called so, or begin so if there are none.
func completeInState(name string, states []string, limit int) []Place {
	if len(states) == 0 {
		return []Place{}
	}
	folded := Fold(name)
	found := completeCity(folded, states, limit)
	exact := slices.IndexFunc(found, func(p Place) bool { return Fold(p.City) != folded })
	if exact > 0 {
		return found[:exact]
	}

	return found
}

// leastAlike is how many letters names must have in common to be suggested for each other.
const leastAlike = 3

// NearCities suggests up to three cities for a name that is not known: those that begin like it for the longest, in a state if one is
// given and has any.
func NearCities(name, state string) []Place {
	var states []string
	if code := stateOf(state); code != "" {
		states = []string{code}
	}
	folded := []rune(Fold(name))
	for n := len(folded); n >= leastAlike; n-- {
		if found := completeCity(string(folded[:n]), states, mostNear); len(found) > 0 {
			return found
		}
	}

	return []Place{}
}

// completeCity walks over the names that begin so, and keeps the largest. No states are all.
func completeCity(begin string, states []string, limit int) []Place {
	if len(begin) < leastTyped {
		return []Place{}
	}
	x := loaded()
	var best []int
	worse := func(a, b int) int {
		exactA, exactB := x.cities[a].folded == begin, x.cities[b].folded == begin
		switch {
		case exactA != exactB && exactA:
			return -1
		case exactA != exactB:
			return 1
		case x.size(a) != x.size(b):
			return x.size(b) - x.size(a)
		}

		return a - b
	}
	from, _ := slices.BinarySearchFunc(x.cities, begin, func(c city, begin string) int { return strings.Compare(c.folded, begin) })
	for i := from; i < len(x.cities) && strings.HasPrefix(x.cities[i].folded, begin); i++ {
		if len(states) > 0 && !slices.Contains(states, x.states[x.cities[i].state]) {
			continue
		}
		if len(best) == limit && worse(best[limit-1], i) <= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, i, worse)
		best = slices.Insert(best, at, i)[:min(len(best)+1, limit)]
	}
	found := make([]Place, len(best))
	for n, i := range best {
		found[n] = x.city(i)
	}

	return found
}
