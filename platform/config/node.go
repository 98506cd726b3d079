package config

import (
	"iter"
	"slices"
	"strings"
)

// child returns the name below n, nil if there is none.
func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}

	return nil
}

// arrange puts the keys of every section before the sections in it.
func (n *node) arrange() {
	isSection := func(c *node) int {
		if c.kind == nil {
			return 1
		}

		return 0
	}
	slices.SortStableFunc(n.children, func(a, b *node) int { return isSection(a) - isSection(b) })
	for _, c := range n.children {
		c.arrange()
	}
}

// keys walks over the keys below n, in order.
func (n *node) keys() iter.Seq[*node] {
	return func(yield func(*node) bool) { n.walk(yield) }
}

func (n *node) walk(yield func(*node) bool) bool {
	if n.kind != nil {
		return yield(n)
	}
	for _, c := range n.children {
		if !c.walk(yield) {
			return false
		}
	}

	return true
}

// find returns what is at path below n, nil if nothing is.
func (n *node) find(path string) *node {
	at := n
	for name := range strings.SplitSeq(path, ".") {
		if at = at.child(name); at == nil {
			return nil
		}
	}

	return at
}

// holdsAreas reports whether the names below n are areas.
func (n *node) holdsAreas() bool { return n.path == modulesKey }

// isSwitch reports whether n is the key that turns an area on and off.
func (n *node) isSwitch() bool {
	area, found := strings.CutSuffix(n.path, "."+enabledName)

	return found && n.index == nil && strings.HasPrefix(area, modulesKey+".")
}

// joinPath puts a name below a path.
func joinPath(path, name string) string {
	if path == "" {
		return name
	}

	return path + "." + name
}
