package custommodules

import "github.com/dispatchd/dispatchd/platform/list"

// longText is text of any length, such as notes. It is too long for an index.
type longText struct {
	MaxLength int `json:"max_length"`

	most int
}

func longTextType(most int) fieldType {
	return fieldType{
		name:     "long_text",
		about:    "Text over several lines, up to max_length characters (as much as the service allows). It cannot be indexed.",
		filter:   list.Text,
		sortable: false,
		options:  func() valueType { return &longText{MaxLength: most, most: most} },
	}
}

func (t *longText) check() error { return checkLength(t.MaxLength, t.most) }

func (t *longText) parse(raw []byte) (value, error) { return parseText(raw, t.MaxLength) }

func (t *longText) comparable(text string) (any, error) { return comparableText(text) }

func (t *longText) schema() map[string]any {
	return map[string]any{"type": "string", "maxLength": t.MaxLength}
}
