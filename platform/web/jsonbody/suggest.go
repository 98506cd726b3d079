package jsonbody

import (
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/naming"
)

// mostListed is how many known keys a refusal lists where none is near.
const mostListed = 20

// Suggest adds to what Huma found wrong with a body which keys of its schema the unknown ones are probably meant to be.
func Suggest(problems []error, registry huma.Registry, schema *huma.Schema) {
	for _, problem := range problems {
		d, ok := problem.(*huma.ErrorDetail) //nolint:errorlint // Huma wraps none
		if !ok || schema == nil || d.Message != unknownKey {
			continue
		}
		key, known := keysAt(registry, schema, d.Location)
		d.Message = mark + mark + UnknownKey(key, known)
	}
}

// UnknownKey words the refusal of a key, with the nearest of the known ones.
func UnknownKey(key string, known []string) string {
	const message = "This key is not known."
	switch near := naming.Nearest(key, known); {
	case near != "":
		return message + " Did you mean `" + near + "`?"
	case len(known) > 0 && len(known) <= mostListed:
		return message + " Known are: " + strings.Join(known, ", ") + "."
	default:
		return message
	}
}

// keysAt returns the unknown key at the end of a location of Huma's, such as body.stops[0].citty, and the sorted keys that are known there.
func keysAt(registry huma.Registry, schema *huma.Schema, location string) (key string, known []string) {
	steps := strings.Split(strings.ReplaceAll(strings.TrimPrefix(location, "body."), "[", ".["), ".")
	for _, step := range steps[:len(steps)-1] {
		schema = resolve(registry, schema)
		switch {
		case schema == nil:
			return "", nil
		case strings.HasPrefix(step, "["):
			schema = schema.Items
		case schema.Properties[step] != nil:
			schema = schema.Properties[step]
		default:
			schema, _ = schema.AdditionalProperties.(*huma.Schema)
		}
	}
	if schema = resolve(registry, schema); schema != nil {
		known = slices.Sorted(maps.Keys(schema.Properties))
	}

	return steps[len(steps)-1], known
}

func resolve(registry huma.Registry, schema *huma.Schema) *huma.Schema {
	for schema != nil && schema.Ref != "" && registry != nil {
		schema = registry.SchemaFromRef(schema.Ref)
	}

	return schema
}

// stateRule is what is said of a text that is too long for the code of a state: the code, if it is a state's name. The second result
// is false for other fields.
func stateRule(location, message string, value any) (string, bool) {
	key := location[strings.LastIndexAny(location, ".]")+1:]
	text, _ := value.(string)
	if message != "must be at most 2 characters long." || key != "state" && !strings.HasSuffix(key, "_state") {
		return "", false
	}
	if code, known := naming.StateCode(text); known {
		return "must be a code of two letters: " + code + " for " + strings.TrimSpace(text) + ".", true
	}

	return "must be a code of two letters, such as TX.", true
}
