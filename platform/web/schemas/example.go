package schemas

import (
	"maps"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

// Examples makes examples of schemas, as the document shows them: of the examples, enums and defaults that their fields have, and else of
// their types. Lookup follows references.
type Examples struct {
	Lookup func(ref string) *huma.Schema
	// Request leaves out of objects what is optional and has no example of its own.
	Request bool
}

// deepest is how deep objects stand in each other, for those that have themselves inside.
const deepest = 6

// Of returns an example of a schema.
func (x Examples) Of(schema *huma.Schema) any { return x.of(schema, 0) }

func (x Examples) of(s *huma.Schema, depth int) any {
	if s == nil {
		return map[string]any{}
	}
	if len(s.Examples) > 0 {
		return s.Examples[0]
	}
	switch {
	case s.Ref != "":
		return x.of(x.Lookup(s.Ref), depth)
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Default != nil:
		return s.Default
	case len(s.OneOf) > 0:
		return x.of(s.OneOf[0], depth)
	case len(s.AnyOf) > 0:
		return x.of(s.AnyOf[0], depth)
	case len(s.AllOf) > 0:
		return x.all(s.AllOf, depth)
	}
	switch s.Type {
	case huma.TypeArray:
		return x.list(s, depth)
	case huma.TypeString:
		return textOf(s)
	case huma.TypeInteger:
		return int64(math.Ceil(number(s)))
	case huma.TypeNumber:
		return number(s)
	case huma.TypeBoolean:
		return true
	}

	return x.object(s, depth)
}

func (x Examples) all(parts []*huma.Schema, depth int) any {
	whole := map[string]any{}
	for _, part := range parts {
		if fields, ok := x.of(part, depth).(map[string]any); ok {
			maps.Copy(whole, fields)
		}
	}

	return whole
}

func (x Examples) list(s *huma.Schema, depth int) any {
	least := 1
	if depth >= deepest {
		least = 0
	}
	if s.MinItems != nil {
		least = max(least, *s.MinItems)
	}
	items := make([]any, least)
	for i := range items {
		items[i] = x.of(s.Items, depth+1)
	}

	return items
}

func (x Examples) object(s *huma.Schema, depth int) any {
	object := map[string]any{}
	for name, property := range s.Properties {
		switch {
		case slices.Contains(s.Required, name):
		case depth >= deepest, x.Request && (property.ReadOnly || !x.tells(property)), !x.Request && property.WriteOnly:
			continue
		}
		object[name] = x.of(property, depth+1)
	}
	if len(object) > 0 || !x.Request {
		return object
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if property := s.Properties[name]; !property.ReadOnly {
			object[name] = x.of(property, depth+1) // one is better than none

			break
		}
	}

	return object
}

// tells reports whether a property says what a value looks like.
func (x Examples) tells(s *huma.Schema) bool {
	return len(s.Examples) > 0 || len(s.Enum) > 0 || s.Type == huma.TypeString && s.Format != ""
}

func number(s *huma.Schema) float64 {
	value := 1.0
	if s.Minimum != nil {
		value = max(value, *s.Minimum)
	}
	if s.ExclusiveMinimum != nil {
		value = max(value, *s.ExclusiveMinimum+1)
	}
	if s.Maximum != nil {
		value = min(value, *s.Maximum)
	}

	return value
}

// texts are examples of formats.
var texts = map[string]string{
	"uuid": "0198f2c4-6d1e-7a3b-9c55-2f4e8a1b7d90", "date-time": "2026-03-02T15:04:05Z", "date": "2026-03-02", "time": "15:04:05Z",
	"email": "pat@example.com", "uri": "https://example.com/", "decimal": "125.00", "ipv4": "192.0.2.1", "binary": "…",
}

func textOf(s *huma.Schema) string {
	text, known := texts[s.Format]
	if s.Pattern != "" && !known {
		if expression, err := syntax.Parse(s.Pattern, syntax.Perl); err == nil {
			text, known = matching(expression.Simplify()), true
		}
	}
	if !known {
		text = "text"
	}
	if s.MinLength != nil {
		text += strings.Repeat("x", max(0, *s.MinLength-len([]rune(text))))
	}
	if s.MaxLength != nil && len([]rune(text)) > *s.MaxLength {
		text = string([]rune(text)[:*s.MaxLength])
	}

	return text
}

// matching returns a short text that an expression matches.
func matching(e *syntax.Regexp) string {
	switch e.Op {
	case syntax.OpLiteral:
		return string(e.Rune)
	case syntax.OpCharClass:
		return string(readable(e.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpCapture, syntax.OpPlus:
		return matching(e.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(matching(e.Sub[0]), e.Min)
	case syntax.OpConcat:
		var text strings.Builder
		for _, part := range e.Sub {
			text.WriteString(matching(part))
		}

		return text.String()
	case syntax.OpAlternate:
		return matching(e.Sub[0])
	default:
		return "" // what may be left out, or has no width
	}
}

// readable returns a rune of a class, which is pairs of the first and the last of a range: a letter or a digit if it has one.
func readable(class []rune) rune {
	for _, wanted := range "aA1" {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= wanted && wanted <= class[i+1] {
				return wanted
			}
		}
	}
	for i := 0; i+1 < len(class); i += 2 {
		if unicode.IsGraphic(class[i]) {
			return class[i]
		}
	}

	return class[0]
}
