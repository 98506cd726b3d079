package document

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// MediaPDF is the media type of what is printed.
const MediaPDF = "application/pdf"

// Templates chooses how a company sets its papers. An area provides it with port.Provides; without one, papers are printed by their parts.
type Templates interface {
	// Choose returns a model as the template of the caller's company has it: other parts, and perhaps another title. Without a template it returns the
	// model unchanged.
	Choose(ctx context.Context, kind string, m Model) (Model, error)
}

// Printer prints papers.
type Printer struct {
	registry  *Registry
	ports     *port.Registry
	papers    *paper.Printer
	companies *identity.Service
}

// NewPrinter returns a Printer.
func NewPrinter(r *Registry, ports *port.Registry, papers *paper.Printer, companies *identity.Service) *Printer {
	return &Printer{r, ports, papers, companies}
}

// File is a paper that was printed.
type File struct {
	Name, MediaType string
	Content         []byte
}

// Model returns what the paper of a kind says of an item, without a template. Errors: ErrUnknownKind, ErrWrongItem, principal.ErrScopeMissing, and those of the area
// whose kind it is.
func (p *Printer) Model(ctx context.Context, kind string, of item.Ref, o Options) (Model, error) {
	k, err := p.registry.find(ctx, kind)
	if err != nil {
		return Model{}, err
	}

	return k.read(ctx, of, o)
}

// Print prints the paper of a kind about an item, by the template of the caller's company if it has one. Errors: those of Model.
func (p *Printer) Print(ctx context.Context, kind string, of item.Ref, o Options) (File, []paper.Warning, error) {
	m, err := p.Model(ctx, kind, of, o)
	if err != nil {
		return File{}, nil, err
	}
	templates, err := provided[Templates](ctx, p.ports)
	if err == nil && templates != nil {
		m, err = templates.Choose(ctx, kind, m)
	}
	if err != nil {
		return File{}, nil, err
	}

	return p.PDF(ctx, kind, m)
}

// PDF prints a model of a kind by its parts.
func (p *Printer) PDF(ctx context.Context, kind string, m Model) (File, []paper.Warning, error) {
	set, err := p.Set(ctx, m)
	if err != nil {
		return File{}, nil, err
	}
	content, warnings, err := p.papers.PDF(ctx, set)

	return File{m.fileName(kind), MediaPDF, content}, warnings, err
}

// HTML is a model as a page, in the layout of the PDF.
func (p *Printer) HTML(ctx context.Context, m Model) (string, []paper.Warning, error) {
	set, err := p.Set(ctx, m)
	if err != nil {
		return "", nil, err
	}

	return p.papers.HTML(ctx, set)
}

// Set puts a model on the paper of who issues it.
func (p *Printer) Set(ctx context.Context, m Model) (paper.Paper, error) {
	from := m.Letterhead
	if from == nil {
		own, err := p.Letterhead(ctx)
		if err != nil {
			return paper.Paper{}, err
		}
		from = &own
	}
	set := paper.Paper{
		Size: cmp.Or(m.Size, paper.SizeIn(from.Country)), Head: from.head(), Title: m.Title, Number: m.Number, Date: m.Date, Details: m.Details, Created: m.Created,
		Stamp: m.Stamp,
	}
	if from.Footer != "" {
		set.Foot = strings.TrimSpace(m.Title+" "+m.Number) + " · " + from.Footer
	}
	for _, part := range m.Parts {
		set.Blocks = append(set.Blocks, part.Blocks...)
	}

	return set, nil
}

// Download is Print as the response of an operation.
func (p *Printer) Download(ctx context.Context, kind string, of item.Ref, o Options) (*stream.Stream, error) {
	file, _, err := p.Print(ctx, kind, of, o)
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(file.MediaType, bytes.NewReader(file.Content)).Attachment(file.Name).Sized(int64(len(file.Content))), nil
}

// fileName is what the file of a model is called.
func (m Model) fileName(kind string) string {
	words := strings.ReplaceAll(kind, "_", "-")
	if m.Number != "" {
		words += "-" + m.Number
	}

	return cmp.Or(m.FileName, words+".pdf")
}

// provided is what an area provides to papers, the zero value without one.
func provided[P any](ctx context.Context, ports *port.Registry) (found P, err error) {
	all, err := port.All[P](ctx, ports)
	if err == nil && len(all) > 0 {
		found = all[0].Value
	}

	return found, err
}

// lowered is a title within a sentence.
func lowered(title string) string { return strings.ToLower(title[:1]) + title[1:] }
