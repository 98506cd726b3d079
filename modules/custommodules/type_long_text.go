package custommodules

import "github.com/dispatchd/dispatchd/platform/list"

// longText is text of any length, such as notes. It is too long for an index.
type longText struct {
	textCells
	textRules

	most int
}

func longTextType(most int) fieldType {
	return fieldType{
		name: "long_text",
		about: "Text over several lines, of min_length to max_length characters (as much as the service allows) " +
			"that matches pattern. It cannot be indexed.",
		filter:   list.Text,
		sortable: false,
		options:  func() valueType { return &longText{textRules: textRules{MaxLength: most}, most: most} },
	}
}

func (t *longText) check() error { return t.textRules.check(t.most) }

func (t *longText) parse(raw []byte) (value, error) { return t.parseText(raw) }

func (t *longText) comparable(text string) (any, error) { return comparableText(text) }

func (t *longText) schema() map[string]any { return t.textSchema() }
