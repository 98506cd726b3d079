package making

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/pdfjoin"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Gatherer gathers files that are to be made one.
type Gatherer struct {
	rows    *resource.Resource[store.Document]
	files   attachmentsapi.Files
	printer *document.Printer
}

// NewGatherer returns a Gatherer.
func NewGatherer(rows *resource.Resource[store.Document], f attachmentsapi.Files, p *document.Printer) *Gatherer {
	return &Gatherer{rows, f, p}
}

// gathered are the files that can be read, in their order, and what was found of each.
type gathered struct {
	contents [][]byte
	parts    []store.Part
	err      error
}

// reserve are the pages that a packet's own first pages may take, reserveBytes their size.
const (
	reserve      = 10
	reserveBytes = 5 << 20
)

// gather reads parts, and says of those that cannot be read why. Together they have at most as many pages and bytes as can be joined.
func (g *Gatherer) gather(ctx context.Context, parts []store.Part) (all gathered) {
	pages, size := reserve, 0
	for _, part := range parts {
		part.Pages, part.Problem = 0, ""
		content, err := g.read(ctx, &part)
		if err == nil {
			part.Pages, err = pdfjoin.Pages(ctx, content)
		}
		switch {
		case err != nil && !errs.IsRefusal(err):
			return gathered{err: err}
		case err != nil:
			part.Pages, part.Problem = 0, messageOf(err)
		case pages+part.Pages > pdfjoin.MaxPages:
			part.Pages, part.Problem = 0, "The files have too many pages together."
		case size+len(content) > pdfjoin.MaxBytes-reserveBytes:
			part.Pages, part.Problem = 0, "The files have more than 45 MB together."
		default:
			pages, size = pages+part.Pages, size+len(content)
			all.contents = append(all.contents, content)
		}
		all.parts = append(all.parts, part)
	}

	return all
}

func messageOf(err error) string {
	refusal, _ := err.(*errs.Error) //nolint:errorlint // see errs.IsRefusal
	if refusal == nil {
		return "The file cannot be read."
	}

	return refusal.Message
}

// read returns a part as a PDF, and fills in its title. Pictures are printed on a page.
func (g *Gatherer) read(ctx context.Context, part *store.Part) ([]byte, error) {
	id := part.Attachment
	if part.Document != nil {
		d, err := g.rows.Find(ctx, *part.Document)
		if err != nil {
			return nil, err
		}
		part.Title = cmp.Or(part.Title, d.Title+" "+d.Number)
		if err := d.Usable(); err != nil {
			return nil, err
		}
		id = d.Attachment
	}
	if id == nil {
		return nil, pdfjoin.ErrUnreadable
	}
	content, file, err := readAll(ctx, g.files, *id)
	part.Title = cmp.Or(part.Title, file.Name())
	switch {
	case err != nil:
		return nil, err
	case file.MediaType == mediaPDF:
		return content, nil
	case slices.Contains(pictureTypes, file.MediaType):
		return g.picture(ctx, *id, part.Title)
	}

	return nil, pdfjoin.ErrUnreadable.WithMessage("The file is neither a PDF nor a picture.")
}

// readAll returns the content of an attachment that is not larger than can be joined. Errors: pdfjoin.ErrUnreadable, and those of attachmentsapi.Files.
func readAll(ctx context.Context, files attachmentsapi.Files, id uuid.UUID) ([]byte, attachmentsapi.File, error) {
	file, content, err := files.Open(ctx, id.String())
	if err != nil {
		return nil, file, err
	}
	defer content.Close() //nolint:errcheck // it is read
	if file.Size > pdfjoin.MaxBytes {
		return nil, file, pdfjoin.ErrUnreadable.WithMessage("The file has more than 50 MB.")
	}
	all, err := io.ReadAll(io.LimitReader(content, pdfjoin.MaxBytes))

	return all, file, err
}

// picture prints a picture on a page of its own.
func (g *Gatherer) picture(ctx context.Context, id uuid.UUID, title string) ([]byte, error) {
	open := func(ctx context.Context) (io.ReadCloser, error) {
		_, content, err := g.files.Open(ctx, id.String())

		return content, err
	}
	page := document.Model{Title: title, Parts: []document.Part{{Name: "picture", Blocks: []paper.Block{
		paper.Image{Picture: paper.Picture{Open: open, Alt: title}, Align: paper.Center},
	}}}}
	file, _, err := g.printer.PDF(ctx, "picture", page)

	return file.Content, err
}
