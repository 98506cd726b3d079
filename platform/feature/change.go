package feature

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agnivade/levenshtein"
)

// Change switches areas of a company on and off.
type Change struct {
	Areas map[string]bool
	// Cascade switches off as well what needs an area that goes off, and on what one needs that comes
	// on. Otherwise that is refused.
	Cascade bool
}

// check says what is wrong with a change, whatever the company.
func (as Areas) check(c Change) error {
	wrong := errInvalid
	if len(c.Areas) == 0 {
		wrong = wrong.WithField("areas", "Name at least one area.")
	}
	for _, id := range slices.Sorted(maps.Keys(c.Areas)) {
		if problem := as.problem(id, c.Areas[id]); problem != "" {
			wrong = wrong.WithField("areas."+id, problem)
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

func (as Areas) problem(id string, on bool) string {
	a, enabled := as.find(id)
	switch {
	case enabled && a.essential && !on:
		return fmt.Sprintf("Every company uses the area %s. It cannot be switched off.", id)
	case enabled:
		return ""
	case slices.Contains(as.off, id):
		return fmt.Sprintf("The area %s is off in this deployment.", id)
	default:
		return fmt.Sprintf("There is no such area; the nearest is %s.", as.nearest(id))
	}
}

// nearest returns the area whose id differs least, the first of equals, "" if there is none.
func (as Areas) nearest(id string) string {
	const enough = 100 // characters; whatever is longer is near to nothing
	id = id[:min(len(id), enough)]
	best, far := "", 2*enough
	for _, a := range as.enabled {
		if d := levenshtein.ComputeDistance(a.id, id); d < far {
			best, far = a.id, d
		}
	}

	return best
}

// decisions returns what the change says, and with Cascade what follows from it for a company with
// the set before. What the change itself names stays as it says.
func (as Areas) decisions(before set, c Change) map[string]bool {
	all := maps.Clone(c.Areas)
	if !c.Cascade {
		return all
	}
	for open := slices.Sorted(maps.Keys(all)); len(open) > 0; {
		id := open[0]
		open = open[1:]
		for _, next := range as.follow(id, all[id]) {
			if _, decided := all[next]; !decided && before[next] != all[id] {
				all[next] = all[id]
				open = append(open, next)
			}
		}
	}

	return all
}

// follow returns what comes on before an area does, or goes off before it does.
func (as Areas) follow(id string, on bool) []string {
	if on {
		a, _ := as.find(id)

		return a.needs
	}
	var needing []string
	for _, a := range as.enabled {
		if slices.Contains(a.needs, id) {
			needing = append(needing, a.id)
		}
	}

	return needing
}

func (as Areas) isEssential(id string) bool {
	a, _ := as.find(id)

	return a.essential
}
