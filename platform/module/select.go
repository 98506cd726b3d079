package module

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

var areaID = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Select returns the modules that are enabled, ordered by id. It reports every malformed manifest,
// every id that is used twice, and every enabled area that needs one which is off or unknown.
func Select(all []Module, enabled func(id string) bool) ([]Module, error) {
	if err := checkManifests(all); err != nil {
		return nil, err
	}

	selected := slices.DeleteFunc(slices.Clone(all), func(m Module) bool { return !enabled(m.id) })
	slices.SortFunc(selected, byID)

	var problems []error
	for _, m := range selected {
		for _, need := range m.needs {
			problems = append(problems, checkNeed(m, need, all, selected))
		}
	}

	return selected, errors.Join(problems...)
}

// checkManifests reports what is wrong with the manifests themselves.
func checkManifests(all []Module) error {
	var problems []error
	seen := map[string]bool{}
	for _, m := range all {
		if !areaID.MatchString(m.id) {
			problems = append(problems, fmt.Errorf(
				"area id %q: want lower case letters, digits and underscores, a letter first, 40 at most", m.id))
		}
		if seen[m.id] {
			problems = append(problems, fmt.Errorf("area id %q is used by two modules", m.id))
		}
		seen[m.id] = true
	}

	return errors.Join(problems...)
}

func checkNeed(m Module, need string, all, selected []Module) error {
	has := func(list []Module) bool {
		return slices.ContainsFunc(list, func(o Module) bool { return o.id == need })
	}
	switch {
	case has(selected) && m.Essential() && !essentialIn(selected, need):
		return fmt.Errorf("area %q is essential and needs %q, which companies may not use: add module.Essential to it", m.id, need)
	case has(selected):
		return nil
	case has(all):
		return fmt.Errorf("area %q needs %q, which is off: set modules.%s.enabled", m.id, need, need)
	default:
		return fmt.Errorf("area %q needs %q, which is not part of this binary", m.id, need)
	}
}

func essentialIn(list []Module, id string) bool {
	return slices.ContainsFunc(list, func(o Module) bool { return o.id == id && o.Essential() })
}

func byID(a, b Module) int { return cmp.Compare(a.id, b.id) }
