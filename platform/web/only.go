package web

import (
	"fmt"
	"slices"
)

// serves reports whether an operation is one of those that are served, and notes that there is one.
func (a *API) serves(id string) bool {
	if len(a.settings.Operations) == 0 {
		return true
	}
	if slices.Contains(a.settings.Operations, id) {
		return true
	}
	a.unserved = append(a.unserved, id)

	return false
}

// checkOnly refuses settings that name an operation which no enabled area has.
func (a *API) checkOnly() error {
	for _, id := range a.settings.Operations {
		if a.ids[id] == nil {
			known := slices.Clone(a.unserved)
			slices.Sort(known)

			return fmt.Errorf("web.operations: the enabled areas have no operation %q; beside those that are listed they have %v", id, known)
		}
	}

	return nil
}
