package module

import (
	"path"
	"reflect"
	"slices"
	"strings"
)

// IsAbsent reports whether t, the type of an event or of a contribution point, is of an area that the
// named area listens to (Listens) and that is not among the enabled ones. That is the one case in
// which nobody declares a type and the one who listens to it stays silent. The area of a type is
// told by its package, "<area>api" without underscores.
func IsAbsent(enabled []Module, area string, t reflect.Type) bool {
	at := slices.IndexFunc(enabled, func(m Module) bool { return m.id == area })
	if at < 0 {
		return false
	}

	return slices.ContainsFunc(enabled[at].listens, func(listened string) bool {
		off := !slices.ContainsFunc(enabled, func(m Module) bool { return m.id == listened })

		return off && path.Base(t.PkgPath()) == strings.ReplaceAll(listened, "_", "")+"api"
	})
}
