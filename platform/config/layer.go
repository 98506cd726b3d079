package config

import (
	"cmp"
	"maps"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
)

// layer is what one place says: the typed values by path, and where exactly each comes from.
type layer struct {
	values  map[string]any
	sources map[string]source
}

func newLayer() layer { return layer{values: map[string]any{}, sources: map[string]source{}} }

// setValue enters a value under a key; the last one counts.
func (l layer) setValue(n *node, value any, from source) {
	l.values[n.path] = value
	l.sources[n.path] = from
}

// loading is a configuration on its way: layers go on top of each other, problems pile up.
type loading struct {
	schema   *schema
	merged   *koanf.Koanf
	sources  map[string]source
	problems []problem
	unread   []Unread
}

func (l *loading) complain(key, text string, from source) {
	l.problems = append(l.problems, problem{key: key, text: text, from: from})
}

// add puts a layer on top of those before it.
func (l *loading) add(top layer) error {
	if len(top.values) == 0 {
		return nil
	}
	maps.Copy(l.sources, top.sources)

	return l.merged.Load(confmap.Provider(top.values, "."), nil)
}

// defaults is the lowest layer. The switches of the areas are not in it: their default is known
// when everything else is.
func (l *loading) defaults() layer {
	bottom := newLayer()
	for key := range l.schema.root.keys() {
		if !key.isSwitch() {
			bottom.setValue(key, key.fallback, source{kind: "default"})
		}
	}

	return bottom
}

// enter puts what was written for n, which may be a section, into a layer.
func (l *loading) enter(to layer, n *node, w written, from source) {
	if n.kind == nil {
		// What was written may be a secret that slipped, so it is not shown.
		l.complain(n.path, "want "+n.example()+", got "+cmp.Or(w.form.describeUnfit(), "a single value"), from)

		return
	}
	value, complaint := n.kind.read(w)
	if complaint != "" {
		l.complain(n.path, complaint, from)

		return
	}
	to.setValue(n, value, from)
}

// enterPath is enter for a path that may not exist.
func (l *loading) enterPath(to layer, path string, w written, from source) {
	at := l.schema.root
	for name := range strings.SplitSeq(path, ".") {
		next := at.child(name)
		if next == nil {
			l.complain(joinPath(at.path, name), l.schema.unknown(at, name), from)

			return
		}
		at = next
	}
	l.enter(to, at, w, from)
}

// example names a key of the section n, for messages.
func (n *node) example() string {
	for key := range n.keys() {
		return "a section with keys such as " + key.path
	}

	return "an empty section"
}
