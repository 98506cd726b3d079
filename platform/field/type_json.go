package field

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
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

// JSONOptions is any JSON, in one form; see rawjson.Normal.
type JSONOptions struct {
	rawCells

	MaxBytes int            `json:"max_bytes"`
	Follows  rawjson.Object `json:"schema"`

	follows jsonSchema
}

var jsonType = Type{
	Name: "json",
	About: "Any JSON of up to max_bytes bytes (16384, at most 262144) that follows schema, a JSON Schema (2020-12) without " +
		"references. It cannot be indexed.",
	Filter:    kind.Text,
	Operators: present,
	New:       func() Values { return &JSONOptions{MaxBytes: usualJSON} },
}

// Check implements Values.
func (j *JSONOptions) Check() error {
	if j.MaxBytes < 1 || j.MaxBytes > mostJSON {
		return OptionError{"max_bytes", fmt.Sprintf("The max bytes must be between 1 and %d.", mostJSON)}
	}
	if string(j.Follows) == "null" {
		j.Follows = nil
	}
	if j.Follows == nil {
		return nil
	}
	made, problem := newJSONSchema(j.Follows)
	if problem != "" {
		return OptionError{"schema", problem}
	}
	if len(made.text)*j.MaxBytes > mostSchemaWork {
		return OptionError{"max_bytes", fmt.Sprintf(
			"The max bytes must not be more than %d with a schema of this size.", mostSchemaWork/len(made.text))}
	}
	j.Follows, j.follows = made.text, made

	return nil
}

// Parse implements Values.
func (j *JSONOptions) Parse(raw []byte) (Value, error) {
	if len(raw) > j.MaxBytes {
		raw = rawjson.AppendCompact(nil, raw)
	}
	if len(raw) > j.MaxBytes {
		return Value{}, Error(fmt.Sprintf("must not be longer than %d bytes.", j.MaxBytes))
	}
	normal, err := rawjson.Normal(raw)
	if err != nil {
		return Value{}, Error(err.Error())
	}
	if len(normal) > j.MaxBytes {
		return Value{}, Error(fmt.Sprintf("must not be longer than %d bytes.", j.MaxBytes))
	}
	if j.Follows != nil {
		if problem := j.follows.describeViolation(normal); problem != "" {
			return Value{}, Error(problem)
		}
	}

	return Value{JSON: normal, Key: string(normal)}, nil
}

// Comparable implements Values.
func (*JSONOptions) Comparable(text string) (any, error) { return ComparableText(text) }

// Schema implements Values.
func (j *JSONOptions) Schema() map[string]any {
	schema := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(j.Follows))
	decoder.UseNumber()
	if j.Follows == nil || decoder.Decode(&schema) != nil {
		return map[string]any{}
	}

	return schema
}
