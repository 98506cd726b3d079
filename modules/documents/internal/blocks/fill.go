package blocks

import (
	"context"
	"io"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/template"
)

// ErrUnprintable is for a template that cannot be filled with the values of a paper, though its variables are known: a number is divided by zero.
var ErrUnprintable = errs.New(errs.Conflict, "documents.unprintable", "The template cannot be filled with the values of this paper. See details, and revise the template.")

// Filler fills templates with the values of papers.
type Filler struct{ files attachmentsapi.Files }

// NewFiller returns a Filler.
func NewFiller(f attachmentsapi.Files) *Filler { return &Filler{f} }

// Fill returns a model with the parts that blocks make of it. Known values that a paper does not have are empty. Parts that the law or the trade asks for are never
// left out: those that the blocks do not have, because the kind has got them since, stand at the end. Error: ErrUnprintable.
func (f *Filler) Fill(ctx context.Context, all []Block, m document.Model) (document.Model, error) {
	p := filling{values: complete(m.Values, Variables(all)), parts: map[string][]paper.Block{}, open: f.open}
	p.rich, _ = escaped(p.values).(map[string]any)
	for _, part := range m.Parts {
		p.parts[part.Name] = part.Blocks
	}
	set := document.Part{Name: "template"}
	for i, b := range all {
		made, err := p.block(ctx, at("blocks", i), b)
		if err != nil {
			return m, err
		}
		set.Blocks = append(set.Blocks, made...)
	}
	parts := []document.Part{set}
	for _, part := range m.Parts {
		if part.Required && !shows(all, part.Name) {
			parts = append(parts, part)
		}
	}
	m.Parts = parts

	return m, nil
}

// Text fills one text, such as the title of a paper. Error: ErrUnprintable.
func (f *Filler) Text(ctx context.Context, text string, m document.Model) (string, error) {
	return fillText(ctx, "heading", text, complete(m.Values, template.Variables(text)))
}

// open opens an attachment, for a picture.
func (f *Filler) open(id uuid.UUID) func(ctx context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		_, content, err := f.files.Open(ctx, id.String())

		return content, err
	}
}

// complete returns values that have all of some names: those that are missing are empty.
func complete(values map[string]any, names []string) map[string]any {
	made := cloned(values)
	for _, name := range names {
		inner, path := made, strings.Split(name, ".")
		for len(path) > 1 {
			below, is := inner[path[0]].(map[string]any)
			if !is {
				if _, taken := inner[path[0]]; taken {
					break
				}
				below = map[string]any{}
				inner[path[0]] = below
			}
			inner, path = below, path[1:]
		}
		if _, there := inner[path[0]]; !there {
			inner[path[0]] = ""
		}
	}

	return made
}

// cloned is a copy of values down to those that are no maps.
func cloned(values map[string]any) map[string]any {
	made := make(map[string]any, len(values))
	for name, value := range values {
		if inner, is := value.(map[string]any); is {
			value = cloned(inner)
		}
		made[name] = value
	}

	return made
}

// escaped are values whose texts have no markup.
func escaped(value any) any {
	switch v := value.(type) {
	case string:
		return paper.Escape(v)
	case map[string]any:
		made := make(map[string]any, len(v))
		for name, inner := range v {
			made[name] = escaped(inner)
		}

		return made
	case []any:
		made := make([]any, len(v))
		for i, inner := range v {
			made[i] = escaped(inner)
		}

		return made
	default:
		return value
	}
}

// fillText fills a text of a field. Error: ErrUnprintable.
func fillText(ctx context.Context, field, text string, values map[string]any) (string, error) {
	filled, err := template.Render(ctx, text, values)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", ErrUnprintable.WithDetail("field", field).WithDetail("problem", err.Error())
	}

	return filled, nil
}
