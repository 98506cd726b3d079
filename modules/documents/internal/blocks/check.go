package blocks

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/template"
)

// at is the path of an element of a list, as the fields of refusals have it: "blocks.3".
func at(list string, i int) string { return list + "." + strconv.Itoa(i) }

// Problem is what is wrong with a field of a block.
type Problem struct{ Field, Text string }

// Shape returns what is wrong with blocks by themselves: fields of another type of block, missing ones, texts that are no Liquid. It also brings conditions and
// texts into the form in which they are kept.
func Shape(all []Block) (problems []Problem) {
	each(all, func(path string, l Leaf, inside bool) {
		add := func(field, text string) { problems = append(problems, Problem{path + "." + field, text}) }
		if inside && slices.Contains([]string{typeBox, typeColumns, typeKeep}, l.Type) {
			add("type", "A block of this type cannot stand in another one.")
		}
		for field, missing := range l.missing() {
			if missing {
				add(field, fmt.Sprintf("The `%s` is required for a block of the type %s.", field, l.Type))
			}
		}
		texts := l.texts()
		for _, field := range slices.Sorted(maps.Keys(texts)) {
			if err := template.Check(texts[field]); err != nil {
				add(field, err.Error())
			}
		}
	})
	for i, b := range all {
		path := at("blocks", i)
		switch {
		case len(b.Blocks) > 0 && b.Type != typeBox && b.Type != typeKeep:
			problems = append(problems, Problem{path + ".blocks", "Only a box and keep_together have `blocks`."})
		case len(b.Cells) > 0 && b.Type != typeColumns:
			problems = append(problems, Problem{path + ".cells", "Only columns have `cells`."})
		case b.Type == typeColumns && len(b.Cells) < 2: //nolint:mnd // side by side
			problems = append(problems, Problem{path + ".cells", "Columns have two or three `cells`."})
		case len(b.Shares) > 0 && len(b.Shares) != len(b.Cells):
			problems = append(problems, Problem{path + ".shares", "There must be one of `shares` for each of `cells`."})
		case (b.Type == typeBox || b.Type == typeKeep) && len(b.Blocks) == 0:
			problems = append(problems, Problem{path + ".blocks", "The `blocks` inside are required."})
		}
		for n, cell := range b.Cells {
			if len(cell) > maxInner {
				problems = append(problems, Problem{at(path+".cells", n), fmt.Sprintf("A cell has at most %d blocks.", maxInner)})
			}
		}
	}

	return problems
}

// missing are the fields that a block of its type needs, and whether they are missing.
func (l Leaf) missing() map[string]bool {
	switch l.Type {
	case TypePart:
		return map[string]bool{"name": l.Name == ""}
	case "heading", "text", typeRich:
		return map[string]bool{"text": strings.TrimSpace(l.Text) == ""}
	case "facts", "amounts":
		return map[string]bool{"items": len(l.Items) == 0}
	case "table":
		return map[string]bool{"head": len(l.Head) == 0}
	case typeImage:
		return map[string]bool{"attachment_uuid": l.Attachment == nil}
	case "code":
		return map[string]bool{"address": l.Address == ""}
	case "space":
		return map[string]bool{"height": l.Height == 0}
	}

	return nil
}

// HasImages reports whether blocks show attachments.
func HasImages(all []Block) (found bool) {
	each(all, func(_ string, l Leaf, _ bool) { found = found || l.Type == typeImage })

	return found
}

// Variables are the names of the variables that blocks read, each once and sorted.
func Variables(all []Block) []string {
	names := []string{}
	each(all, func(_ string, l Leaf, _ bool) {
		for _, text := range l.texts() {
			names = append(names, template.Variables(text)...)
		}
	})
	slices.Sort(names)

	return slices.Compact(names)
}

// Unknown is a name that papers of a kind do not have. Nearest is the known one that looks most like it, "" for none.
type Unknown struct {
	Field   string `json:"field"`
	Name    string `json:"name"`
	Nearest string `json:"nearest,omitempty"`
}

// UnknownVariables are the variables of blocks that a kind does not have, by an example of it.
func UnknownVariables(all []Block, example document.Model) (unknown []Unknown) {
	var known []string
	for _, v := range Values(example.Values) {
		known = append(known, v.Name)
	}
	each(all, func(path string, l Leaf, _ bool) {
		texts := l.texts()
		for _, field := range slices.Sorted(maps.Keys(texts)) {
			for _, name := range template.Variables(texts[field]) {
				if !has(example.Values, strings.Split(name, ".")) {
					unknown = append(unknown, Unknown{path + "." + field, name, naming.Nearest(name, known)})
				}
			}
		}
	})

	return unknown
}

// has reports whether there is a value at a path. What is in a list is not looked at, and texts and lists have a size.
func has(values any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	switch v := values.(type) {
	case map[string]any:
		inner, found := v[path[0]]

		return found && has(inner, path[1:])
	case string:
		return len(path) == 1 && path[0] == "size"
	case nil, bool, int, int64, float64:
		return false
	default:
		return len(path) == 1 && slices.Contains([]string{"size", "first", "last"}, path[0])
	}
}

// Value is a value that texts can have.
type Value struct {
	Name    string `json:"name" doc:"As texts have it." example:"load.tariff"`
	Type    string `json:"type" enum:"text,number,boolean,list"`
	Example any    `json:"example" doc:"Of an invented paper."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Value) SchemaName() string { return "DocumentVariable" }

// Values lists the values of a model by their names.
func Values(values map[string]any) []Value {
	all := []Value{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		one := Value{Name: name, Example: values[name]}
		switch v := values[name].(type) {
		case map[string]any:
			for _, inner := range Values(v) {
				inner.Name = name + "." + inner.Name
				all = append(all, inner)
			}

			continue
		case string:
			one.Type = "text"
		case bool:
			one.Type = "boolean"
		case int, int64, float64:
			one.Type = "number"
		default:
			one.Type = "list"
		}
		all = append(all, one)
	}

	return all
}

// UnknownParts are the parts of blocks that a kind does not have, or that stand there twice.
func UnknownParts(all []Block, example document.Model) (unknown []Unknown) {
	var known []string
	for _, p := range example.Parts {
		known = append(known, p.Name)
	}
	seen := map[string]bool{}
	each(all, func(path string, l Leaf, _ bool) {
		if l.Type != TypePart {
			return
		}
		if !slices.Contains(known, l.Name) || seen[l.Name] {
			unknown = append(unknown, Unknown{path + ".name", l.Name, naming.Nearest(l.Name, known)})
		}
		seen[l.Name] = true
	})

	return unknown
}

// MissingParts are the parts that the law or the trade asks for and that blocks do not have, or have only under a condition.
func MissingParts(all []Block, example document.Model) (missing []string) {
	for _, p := range example.Parts {
		if p.Required && !shows(all, p.Name) {
			missing = append(missing, p.Name)
		}
	}

	return missing
}

// shows reports whether blocks have a part, whatever the values are.
func shows(all []Block, part string) (shown bool) {
	for _, b := range all {
		if b.When != "" {
			continue
		}
		inside := append([]Leaf{b.Leaf}, b.Blocks...)
		for _, cell := range b.Cells {
			inside = append(inside, cell...)
		}
		for _, l := range inside {
			shown = shown || l.Type == TypePart && l.Name == part && l.When == ""
		}
	}

	return shown
}

// Default are the blocks of a paper without a template: its parts in their order.
func Default(m document.Model) []Block {
	all := make([]Block, 0, len(m.Parts))
	for _, p := range m.Parts {
		all = append(all, Block{Leaf: Leaf{Type: TypePart, Name: p.Name}})
	}

	return all
}
