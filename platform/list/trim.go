package list

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Trim is the huma.Transformer that cuts the items of a page to fields=. The web package installs
// it; it leaves every other body alone, and costs nothing where fields= is not used.
func Trim(_ huma.Context, _ string, body any) (any, error) {
	if page, ok := body.(interface{ trimmed() (any, error) }); ok {
		return page.trimmed()
	}

	return body, nil
}

// trimmedPage is a page whose items have lost keys.
type trimmedPage struct {
	Data []json.RawMessage `json:"data"`
	Meta Meta              `json:"meta"`
}

func (p Page[T]) trimmed() (any, error) {
	if p.fields == nil {
		return p, nil
	}
	trimmed := trimmedPage{Data: make([]json.RawMessage, len(p.Data)), Meta: p.Meta}
	for i, item := range p.Data {
		raw, err := json.Marshal(item)
		if err != nil {
			return nil, err
		}
		if trimmed.Data[i], err = keepKeys(raw, p.fields); err != nil {
			return nil, err
		}
	}

	return trimmed, nil
}

// keepKeys cuts a JSON object to the keys; "a.b" keeps b in the object a. What is no object is kept.
func keepKeys(raw json.RawMessage, keys []string) (json.RawMessage, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return raw, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, err
	}
	kept := map[string]json.RawMessage{}
	inside := map[string][]string{}
	for _, key := range keys {
		outer, inner, nested := strings.Cut(key, ".")
		if value, there := object[key]; there {
			kept[key] = value
		} else if nested {
			inside[outer] = append(inside[outer], inner)
		}
	}
	if err := keepInside(kept, object, inside); err != nil {
		return nil, err
	}

	return json.Marshal(kept)
}

func keepInside(kept, object map[string]json.RawMessage, inside map[string][]string) error {
	for outer, inner := range inside {
		value, there := object[outer]
		if _, entire := kept[outer]; entire || !there {
			continue
		}
		part, err := keepKeys(value, inner)
		if err != nil {
			return err
		}
		kept[outer] = part
	}

	return nil
}

// KeysOf returns the keys that T has in JSON, for Schema.Keys. T is a struct, as the item of a list
// is.
func KeysOf[T any]() []string {
	var keys []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.IsExported() && !field.Anonymous && name != "" && name != "-" {
			keys = append(keys, name)
		}
	}

	return keys
}
