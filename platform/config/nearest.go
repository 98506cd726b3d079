package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// unknown says that parent has no such name, and which known one is nearest.
func (s *schema) unknown(parent *node, name string) string {
	near := s.nearest(parent, name)
	switch {
	case parent.holdsAreas() && near == "":
		return "unknown area: this binary has no areas"
	case parent.holdsAreas():
		return "unknown area " + quote(name) + ": the nearest is " + quote(strings.TrimPrefix(near, modulesKey+"."))
	case near == "":
		return "unknown key: there are no keys below " + parent.path
	default:
		return "unknown key: the nearest is " + near
	}
}

// nearest returns the path of the known name that was probably meant: one beside it that differs
// by a slip, else the same name elsewhere, else the one beside it that differs least.
func (s *schema) nearest(parent *node, name string) string {
	beside, far := closest(parent.children, name)
	if far <= max(2, len(name)/3) || parent.holdsAreas() {
		return beside
	}
	last := name[strings.LastIndex(name, ".")+1:]
	for key := range s.root.keys() {
		if key.path == name || key.name == last {
			return key.path
		}
	}

	return beside
}

// closest returns the path of the node whose name has the least distance to name, the first of
// equals, and that distance; an empty path if there is none.
func closest(nodes []*node, name string) (path string, distance int) {
	const enough = 100 // characters; whatever is longer is near to nothing
	name = strings.ToLower(name[:min(len(name), enough)])
	if len(nodes) == 0 {
		return "", enough
	}
	far := func(n *node) int { return levenshtein.ComputeDistance(n.name, name) }
	best := slices.MinFunc(nodes, func(a, b *node) int {
		return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a.name, b.name))
	})

	return best.path, far(best)
}
