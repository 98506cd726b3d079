package columns

import (
	"reflect"
	"strings"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/web"
)

// TaggedLines are the lines of a manifest that the tags of R ask for.
func TaggedLines[R any](item, plural string) []fx.Option {
	var all []fx.Option
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		for word := range strings.SplitSeq(f.Tag.Get("field"), ",") {
			if template, ok := strings.CutPrefix(word, "number="); ok {
				all = append(all, numbering.Series(item, template))
			}
			if word == "sensitive" {
				all = append(all, web.DeclareScope(word, "See and set the sensitive fields of "+Spaced(plural)))
			}
		}
	}

	return all
}
