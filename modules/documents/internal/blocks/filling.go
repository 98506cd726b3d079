package blocks

import (
	"context"
	"io"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/paper"
)

// filling is a template that is being filled: with values, which are escaped for rich text, and with the parts of the paper.
type filling struct {
	values, rich map[string]any
	parts        map[string][]paper.Block
	open         func(id uuid.UUID) func(ctx context.Context) (io.ReadCloser, error)
}

// block fills a block at the top of a template; nothing is left of one whose condition does not hold.
func (p filling) block(ctx context.Context, path string, b Block) ([]paper.Block, error) {
	if holds, err := p.holds(ctx, path, b.Leaf); err != nil || !holds {
		return nil, err
	}
	switch b.Type {
	case typeBox, typeKeep:
		inner, err := p.leaves(ctx, path+".blocks", b.Blocks)
		if err != nil || len(inner) == 0 {
			return nil, err
		}
		if b.Type == typeKeep {
			return []paper.Block{paper.KeepTogether{Blocks: inner}}, nil
		}
		title, err := fillText(ctx, path+".title", b.Title, p.values)

		return []paper.Block{paper.Box{Title: title, Blocks: inner, Strong: b.Strong}}, err
	case typeColumns:
		made := paper.Columns{Weights: b.Shares}
		for i, cell := range b.Cells {
			inner, err := p.leaves(ctx, at(path+".cells", i), cell)
			if err != nil {
				return nil, err
			}
			made.Cells = append(made.Cells, inner)
		}

		return []paper.Block{made}, nil
	}

	return p.leaf(ctx, path, b.Leaf)
}

// leaves fills the blocks that stand in another one.
func (p filling) leaves(ctx context.Context, path string, all []Leaf) (made []paper.Block, err error) {
	for i, l := range all {
		holds, err := p.holds(ctx, at(path, i), l)
		if err != nil {
			return nil, err
		}
		if !holds {
			continue
		}
		one, err := p.leaf(ctx, at(path, i), l)
		if err != nil {
			return nil, err
		}
		made = append(made, one...)
	}

	return made, nil
}

// holds reports whether the condition of a block holds.
func (p filling) holds(ctx context.Context, path string, l Leaf) (bool, error) {
	if l.When == "" {
		return true, nil
	}
	text, err := fillText(ctx, path+".when", condition(l.When), p.values)

	return text != "", err
}

// leaf fills a block without others in it.
func (p filling) leaf(ctx context.Context, path string, l Leaf) ([]paper.Block, error) {
	if l.Type == TypePart {
		return p.parts[l.Name], nil
	}
	values := p.values
	if l.Type == typeRich {
		values = p.rich
	}
	texts := map[string]string{}
	for field, text := range l.texts() {
		filled, err := fillText(ctx, path+"."+field, text, values)
		if err != nil {
			return nil, err
		}
		texts[field] = filled
	}

	return []paper.Block{l.printed(texts, p.open)}, nil
}

// printed is a block with its texts filled in.
func (l Leaf) printed(texts map[string]string, open func(uuid.UUID) func(context.Context) (io.ReadCloser, error)) paper.Block {
	switch l.Type {
	case "heading":
		return paper.Heading{Text: texts["text"]}
	case "text":
		return paper.Text{Text: texts["text"], Small: l.Small, Bold: l.Bold, Align: paper.Align(l.Align)}
	case typeRich:
		return paper.Rich{Text: texts["text"], Small: l.Small}
	case "facts":
		made := paper.Facts{Title: texts["title"]}
		for i := range l.Items {
			made.Items = append(made.Items, paper.Fact{Name: texts[at("items", i)+".name"], Text: texts[at("items", i)+".text"]})
		}

		return made
	case "amounts":
		made := make(paper.Amounts, len(l.Items))
		for i, one := range l.Items {
			made[i] = paper.Amount{Label: texts[at("items", i)+".name"], Value: texts[at("items", i)+".text"], Strong: one.Strong}
		}

		return made
	case "table":
		return l.table(texts)
	case typeImage:
		return paper.Image{Picture: paper.Picture{Open: open(*l.Attachment), Alt: texts["text"]}, Width: l.Width, Caption: texts["text"], Align: paper.Align(l.Align)}
	case "code":
		return paper.Code{Address: texts["address"], Text: texts["text"]}
	case "signature":
		return paper.Signature{Label: texts["label"], Text: texts["text"]}
	case "space":
		return paper.Space{Height: l.Height}
	case "page_break":
		return paper.PageBreak{}
	default:
		return paper.Line{}
	}
}

func (l Leaf) table(texts map[string]string) paper.Block {
	made := paper.Table{Title: texts["title"]}
	for i, one := range l.Head {
		made.Columns = append(made.Columns, paper.Column{Title: texts[at("head", i)+".title"], Weight: one.Weight, Align: paper.Align(one.Align)})
	}
	for i, row := range l.Rows {
		cells := make([]string, len(row))
		for k := range row {
			cells[k] = texts[at(at("rows", i), k)]
		}
		made.Rows = append(made.Rows, paper.Row{Cells: cells})
	}

	return made
}
