// Package formbody makes the JSON body of an operation out of the fields of an HTML form.
//
// The fields have the names of the body's properties; a dot leads into an object ("crew.driver_name"), a number into a list
// ("units.0.kind"). The body is checked afterwards like any other, so what cannot be converted stays the text that was entered,
// and what the body does not have is named.
package formbody

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// decimal is the format of amounts.
const decimal = "decimal"

// mostItems bounds the lists that a form can make.
const mostItems = 100

// Read returns the body that the values of a form stand for:
//
//   - texts are trimmed, and left out if they are empty and not required;
//   - "true" and "on" are true, and a required boolean that is not sent, as browsers do not send what is not checked, is false;
//   - numbers and amounts are read as people write them: "45,000", "$1,250.00", "1 250";
//   - a list of texts is separated by commas, semicolons, slashes or blanks; one of objects leaves out those of which nothing was entered;
//   - what was sent twice counts once, the first time.
func Read(values url.Values, schema *huma.Schema, registry huma.Registry) ([]byte, error) {
	r := reader{registry}
	entered := newNode()
	for name, texts := range values {
		entered.enter(strings.Split(name, "."), texts[0])
	}

	return json.Marshal(r.object(entered, schema))
}

// node is what was entered below a name: a text, or further names.
type node struct {
	text  string
	parts map[string]*node
}

func newNode() *node { return &node{parts: map[string]*node{}} }

func (n *node) enter(path []string, text string) {
	for _, name := range path {
		if n.parts[name] == nil {
			n.parts[name] = newNode()
		}
		n = n.parts[name]
	}
	n.text = strings.TrimSpace(text)
}

// empty reports whether nothing was entered.
func (n *node) empty() bool {
	if n.text != "" {
		return false
	}
	for _, part := range n.parts {
		if !part.empty() {
			return false
		}
	}

	return true
}

type reader struct{ registry huma.Registry }

// resolve follows a reference.
func (r reader) resolve(s *huma.Schema) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = r.registry.SchemaFromRef(s.Ref)
	}

	return s
}

func (r reader) object(n *node, s *huma.Schema) map[string]any {
	body := map[string]any{}
	if s = r.resolve(s); s == nil {
		return body
	}
	for name, part := range n.parts {
		of := r.resolve(s.Properties[name])
		if !part.empty() || slices.Contains(s.Required, name) && (of == nil || of.Type != huma.TypeObject) {
			body[name] = r.value(part, of)
		}
	}
	for _, name := range s.Required {
		if of := r.resolve(s.Properties[name]); of != nil && n.parts[name] == nil {
			switch of.Type {
			case huma.TypeBoolean:
				body[name] = false
			case huma.TypeArray:
				body[name] = []any{}
			case huma.TypeObject:
				body[name] = r.object(newNode(), of)
			}
		}
	}

	return body
}

// value is what was entered for a property; a text for one that the body does not have.
func (r reader) value(n *node, s *huma.Schema) any {
	if s == nil {
		return n.text
	}
	switch s.Type {
	case huma.TypeObject:
		return r.object(n, s)
	case huma.TypeArray:
		return r.list(n, r.resolve(s.Items))
	case huma.TypeBoolean:
		if n.text == "" || n.text == "on" {
			return n.text == "on"
		}
		if marked, err := strconv.ParseBool(n.text); err == nil {
			return marked
		}
	case huma.TypeInteger, huma.TypeNumber:
		if number := json.Number(plain(n.text)); isNumber(string(number)) {
			return number
		}
	case huma.TypeString:
		if s.Format == decimal || s.Extensions["format"] == decimal { // the latter in schemas of field types
			return plain(n.text)
		}
	}

	return n.text
}

func (r reader) list(n *node, items *huma.Schema) []any {
	all := []any{}
	if items == nil || items.Type != huma.TypeObject {
		for _, text := range strings.FieldsFunc(n.text, func(c rune) bool { return strings.ContainsRune(",;/ \t\r\n\u00a0", c) }) {
			all = append(all, r.value(&node{text: text}, items))
		}

		return all
	}
	for i := range mostItems {
		if part := n.parts[strconv.Itoa(i)]; part != nil && !part.empty() {
			all = append(all, r.object(part, items))
		}
	}

	return all
}

var (
	// entered is a number, perhaps with a dollar sign, and a separator before every three digits.
	entered = regexp.MustCompile(`^-?\$? ?-?(\d+|\d{1,3}([, ']\d{3})+)?(\.\d*)? ?\$?$`)
	exact   = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?$`)
)

// plain is a number as people enter it, such as "$1,250" or "1 250.00", as decimal text. What is none stays unchanged.
func plain(text string) string {
	blank := strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ").Replace(text)
	if !entered.MatchString(blank) {
		return text
	}

	return strings.NewReplacer("$", "", ",", "", " ", "", "'", "").Replace(blank)
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text string) bool { return exact.MatchString(text) }
