package columns

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/web"
)

// TaggedLines are the lines of a manifest that the tags of a struct ask for.
func TaggedLines(row reflect.Type, item, plural string) []fx.Option {
	var all []fx.Option
	guarded := map[string][]string{}
	for _, f := range reflect.VisibleFields(row) {
		for word := range strings.SplitSeq(f.Tag.Get("field"), ",") {
			if template, ok := strings.CutPrefix(word, "number="); ok {
				all = append(all, numbering.Series(item, template))
			}
			if word == "sensitive" {
				all = append(all, web.DeclareScope(word, "See and set the sensitive fields of "+Spaced(plural)))
			}
			if guard, ok := strings.CutPrefix(word, "scope="); ok && !strings.Contains(guard, ":") {
				key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				guarded[guard] = append(guarded[guard], key)
			}
		}
	}
	for _, guard := range slices.Sorted(maps.Keys(guarded)) {
		all = append(all, web.DeclareScope(guard, "See and set of "+Spaced(plural)+": "+strings.Join(guarded[guard], ", ")))
	}

	return all
}
