// Package schemas describes the types of requests and answers in the OpenAPI document, and names them.
package schemas

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Prefix is what references to schemas begin with.
const Prefix = "#/components/schemas/"

// Namer is a type whose schema has a name of its own in the document: one that others rely
// on, or one for a type that many areas use. All other names begin with the area's:
// "CustomModulesRecord".
type Namer interface{ SchemaName() string }

// Names names the schemas of the document.
type Names struct {
	// Area is the one that is being mounted, as names begin: CustomModules.
	Area string
}

// Of is Huma's naming function: the name of a type or, if it has none, of where it is used.
func (n *Names) Of(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if named, ok := reflect.TypeAssert[Namer](reflect.New(t)); ok {
		return named.SchemaName()
	}
	name := Camel(huma.DefaultSchemaNamer(t, hint))
	if strings.HasPrefix(name, n.Area) {
		return name
	}

	return n.Area + name
}

// Camel turns custom_modules into CustomModules.
func Camel(snake string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(snake, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}

	return b.String()
}
