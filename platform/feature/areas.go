package feature

import (
	"slices"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Areas are the areas of a binary, as feature sets see them.
type Areas struct {
	enabled  []area // by id
	off      []string
	standard bool
}

// area is an enabled area.
type area struct {
	id, title      string
	needs, listens []string
	essential      bool
	lines          map[string]int // of its manifest, by kind
}

// NewAreas reads the manifests. all are those of the binary, enabled those of the deployment,
// ordered by id.
func NewAreas(s Settings, all, enabled []module.Module) Areas {
	areas := Areas{standard: s.Default}
	for _, m := range enabled {
		a := area{
			id: m.ID(), title: m.Title(), needs: slices.Concat([]string{}, m.NeededAreas()), listens: m.ListenedAreas(),
			essential: m.Essential(), lines: map[string]int{},
		}
		for _, line := range m.Contributions() {
			a.lines[line.Kind]++
		}
		areas.enabled = append(areas.enabled, a)
	}
	for _, m := range all {
		if _, on := areas.find(m.ID()); !on {
			areas.off = append(areas.off, m.ID())
		}
	}

	return areas
}

func (as Areas) find(id string) (area, bool) {
	at, found := slices.BinarySearchFunc(as.enabled, id, func(a area, id string) int {
		switch {
		case a.id < id:
			return -1
		case a.id > id:
			return 1
		default:
			return 0
		}
	})
	if !found {
		return area{}, false
	}

	return as.enabled[at], true
}

// set is the areas that a company uses. It is not changed once it is made.
type set map[string]bool

// has reports whether all of the ids are in the set.
func (s set) has(ids []string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { return !s[id] })
}

// resolveSet returns the set that follows from what was said: the largest that keeps to it and that has,
// with each area, what that needs.
func (as Areas) resolveSet(said map[string]row) set {
	on := set{}
	for _, a := range as.enabled {
		row, decided := said[a.id]
		if a.essential || decided && row.Enabled || !decided && as.standard {
			on[a.id] = true
		}
	}
	for again := true; again; {
		again = false
		for _, a := range as.enabled {
			if on[a.id] && !on.has(a.needs) {
				delete(on, a.id)
				again = true
			}
		}
	}

	return on
}
