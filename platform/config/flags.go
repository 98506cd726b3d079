package config

import (
	"maps"
	"slices"
	"strings"
)

// flags is the layer of the command line: the pairs of --set in their order, then the flags that
// have a name of their own.
func (l *loading) flags(set []string, named map[string]string) layer {
	top := newLayer()
	for _, pair := range set {
		from := source{kind: "flag", name: "--set"}
		path, value, found := strings.Cut(pair, "=")
		if !found {
			// The rest may hold a secret, so only what looks like a key is shown.
			l.complain(keyOf(pair), "want key=value, got no \"=\"", from)

			continue
		}
		l.enterPath(top, path, written{text: value}, from)
	}
	for _, path := range slices.Sorted(maps.Keys(named)) {
		l.enterPath(top, path, written{text: named[path]}, source{kind: "flag", name: flagName(path)})
	}

	return top
}

// flagName is what the command line calls the flag of a key: --data-dir for data_dir.
func flagName(path string) string {
	return "--" + strings.NewReplacer("_", "-", ".", "-").Replace(path)
}

// keyOf returns the beginning of s that could be a key.
func keyOf(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '.'
	})
	if end < 0 {
		return s
	}

	return s[:end]
}
