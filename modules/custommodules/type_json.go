package custommodules

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/dispatchd/dispatchd/platform/list"
)

// Bounds on values of the type json and on the schema that they follow. A schema has no references,
// so checking takes time in proportion to the product of the two at most: under a second at the
// bound, with the worst that was found.
const (
	usualJSON      = 16 << 10
	mostJSON       = 256 << 10
	mostSchema     = 8 << 10
	mostSchemaWork = 1 << 24
)

// jsonValue is any JSON, in one form; see normalJSON.
type jsonValue struct {
	rawCells

	MaxBytes int      `json:"max_bytes"`
	Follows  jsonText `json:"schema"`

	follows jsonSchema
}

func jsonType() fieldType {
	return fieldType{
		name: "json",
		about: "Any JSON of up to max_bytes bytes (16384, at most 262144) that follows schema, a JSON Schema (2020-12) without " +
			"references. It cannot be indexed.",
		filter:    list.Text,
		operators: present(),
		options:   func() valueType { return &jsonValue{MaxBytes: usualJSON} },
	}
}

func (j *jsonValue) check() error {
	if j.MaxBytes < 1 || j.MaxBytes > mostJSON {
		return optionError{"max_bytes", fmt.Sprintf("The max bytes must be between 1 and %d.", mostJSON)}
	}
	if string(j.Follows) == "null" {
		j.Follows = nil
	}
	if j.Follows == nil {
		return nil
	}
	made, problem := newJSONSchema(j.Follows)
	if problem != "" {
		return optionError{"schema", problem}
	}
	if len(made.text)*j.MaxBytes > mostSchemaWork {
		return optionError{"max_bytes", fmt.Sprintf(
			"The max bytes must not be more than %d with a schema of this size.", mostSchemaWork/len(made.text))}
	}
	j.Follows, j.follows = made.text, made

	return nil
}

func (j *jsonValue) parse(raw []byte) (value, error) {
	if len(raw) > j.MaxBytes {
		raw = appendCompact(nil, raw)
	}
	if len(raw) > j.MaxBytes {
		return value{}, valueError(fmt.Sprintf("must not be longer than %d bytes.", j.MaxBytes))
	}
	normal, err := normalJSON(raw)
	if err != nil {
		return value{}, err
	}
	if len(normal) > j.MaxBytes {
		return value{}, valueError(fmt.Sprintf("must not be longer than %d bytes.", j.MaxBytes))
	}
	if j.Follows != nil {
		if problem := j.follows.refuse(normal); problem != "" {
			return value{}, valueError(problem)
		}
	}

	return value{json: normal, key: string(normal)}, nil
}

func (*jsonValue) comparable(text string) (any, error) { return comparableText(text) }

func (j *jsonValue) schema() map[string]any {
	schema := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(j.Follows))
	decoder.UseNumber()
	if j.Follows == nil || decoder.Decode(&schema) != nil {
		return map[string]any{}
	}

	return schema
}
