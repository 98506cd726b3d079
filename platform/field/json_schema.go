package field

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const (
	// SchemaDialect is the JSON Schema that companies write.
	SchemaDialect = "https://json-schema.org/draft/2020-12/schema"
	// schemaName is what a schema is called while it is compiled. It leads nowhere.
	schemaName = "urn:dispatchd:field"
)

var errNotLoaded = errors.New("schemas are not loaded")

// jsonSchema is a JSON Schema that stands alone.
type jsonSchema struct {
	text     []byte
	compiled *jsonschema.Schema
}

// newJSONSchema compiles a schema, or says what is wrong with it. Its name and dialect are taken off,
// so that it can stand inside another.
func newJSONSchema(given []byte) (made jsonSchema, problem string) {
	if given[0] != '{' {
		return made, "The schema must be an object."
	}
	if len(given) > mostSchema {
		return made, fmt.Sprintf("The schema must not be longer than %d bytes.", mostSchema)
	}
	normal, err := rawjson.Normal(given)
	if err != nil {
		return made, "The schema " + err.Error()
	}
	text, problem := standAlone(normal)
	if problem != "" {
		return made, problem
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return made, "The schema must be a JSON Schema."
	}
	compiler := newSchemaCompiler()
	if err := compiler.AddResource(schemaName, document); err != nil {
		return made, "The schema must be a JSON Schema."
	}
	compiled, err := compiler.Compile(schemaName)
	if err != nil {
		return made, "The schema must be a JSON Schema: " + schemaProblem(err) + "."
	}

	return jsonSchema{text: text, compiled: compiled}, ""
}

// newSchemaCompiler makes a compiler that reads nothing from anywhere, and takes patterns that can
// be matched in a bounded time altogether.
func newSchemaCompiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	steps := 0
	compiler.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		compiled, more, problem := compileSteps(pattern)
		steps += more
		if problem == "" && steps > 2*mostPatternSteps {
			problem = "is one of too many"
		}
		if problem != "" {
			return nil, errors.New("pattern " + problem)
		}

		return compiled, nil
	})

	return compiler
}

// noLoader keeps a schema from making this service ask others for theirs.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(string) (any, error) { return nil, errNotLoaded }

// standAlone takes the name and the dialect off a schema, and refuses whatever could lead elsewhere,
// or in circles.
func standAlone(schema []byte) (alone []byte, problem string) {
	alone = []byte{'{'}
	for name, value := range rawjson.Members(schema) {
		switch string(name) {
		case "$id":
			continue
		case "$schema":
			if strings.TrimSuffix(rawjson.Text(value), "#") != SchemaDialect {
				return nil, "The schema must be of the dialect " + SchemaDialect + "."
			}

			continue
		}
		if len(alone) > 1 {
			alone = append(alone, ',')
		}
		alone = append(append(append(append(alone, '"'), name...), '"', ':'), value...)
	}
	alone = append(alone, '}')
	if word := findReference(alone); word != "" {
		return nil, "The schema must not use " + word + "."
	}

	return alone, ""
}

// findReference returns the first name in a JSON value that JSON Schema has for references, "" if
// there is none.
func findReference(raw []byte) string {
	switch raw[0] {
	case '{':
		refused := []string{"$ref", "$dynamicRef", "$recursiveRef", "$id", "$schema", "$vocabulary"}
		for name, value := range rawjson.Members(raw) {
			if word := rawjson.Name(name); slices.Contains(refused, word) {
				return word
			}
			if word := findReference(value); word != "" {
				return word
			}
		}
	case '[':
		for element := range rawjson.Elements(raw) {
			if word := findReference(element); word != "" {
				return word
			}
		}
	}

	return ""
}

// describeViolation says how a value does not follow the schema, "" if it does.
func (s jsonSchema) describeViolation(value []byte) string {
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return "must be valid JSON."
	}
	if err := s.compiled.Validate(instance); err != nil {
		return "does not follow its schema: " + schemaProblem(err) + "."
	}

	return ""
}

// schemaProblem words the first thing that a schema found wrong.
func schemaProblem(err error) string {
	if wrong, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		err = wrong.Err // it does not unwrap
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return naming.ShortenText(err.Error())
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	at := ""
	if len(invalid.InstanceLocation) > 0 {
		at = "at /" + naming.Shorten(strings.Join(invalid.InstanceLocation, "/")) + ", "
	}

	switch found := invalid.ErrorKind.(type) {
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MultipleOf:
		// Their words show the numbers as floating point has them.
		return at + "the number breaks the rule " + strings.Join(found.KeywordPath(), "/")
	default:
		return at + naming.ShortenText(found.LocalizedString(message.NewPrinter(language.English)))
	}
}
