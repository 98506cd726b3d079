package web

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// SchemaNamer is a type whose schema has a name of its own in the document: one that others rely
// on, or one for a type that many areas use. All other names begin with the area's:
// "CustomModulesRecord".
type SchemaNamer interface{ SchemaName() string }

// schemaNames names the schemas of the document.
type schemaNames struct {
	// area is the one that is being mounted, as names begin: CustomModules.
	area string
}

// of is Huma's naming function: the name of a type or, if it has none, of where it is used.
func (n *schemaNames) of(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if named, ok := reflect.TypeAssert[SchemaNamer](reflect.New(t)); ok {
		return named.SchemaName()
	}
	name := camel(huma.DefaultSchemaNamer(t, hint))
	if strings.HasPrefix(name, n.area) {
		return name
	}

	return n.area + name
}

// camel turns custom_modules into CustomModules.
func camel(snake string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(snake, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}

	return b.String()
}
