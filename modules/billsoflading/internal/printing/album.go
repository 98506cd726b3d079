package printing

import (
	"context"
	"io"
	"strings"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// Album has the photos of bills of lading for papers.
type Album struct {
	previews attachmentsapi.Previews
	files    attachmentsapi.Files
	settings *settings.Settings[store.Preferences]
}

// NewAlbum returns an Album.
func NewAlbum(p attachmentsapi.Previews, f attachmentsapi.Files, kept *settings.Settings[store.Preferences]) *Album {
	return &Album{p, f, kept}
}

// opener opens the photo of an attachment.
type opener func(ctx context.Context, attachment string) (io.ReadCloser, error)

// shown opens photos, nil where the company keeps them from those who read its papers.
func (a *Album) shown(ctx context.Context) (opener, error) {
	now, err := a.settings.Read(ctx)
	if err != nil || !now.Now.SharePhotos {
		return nil, err
	}

	return a.open, nil
}

// open opens a photo in small, or in full if there is no small one yet.
func (a *Album) open(ctx context.Context, attachment string) (io.ReadCloser, error) {
	small, err := a.previews.Preview(ctx, attachment)
	if err != nil {
		_, content, err := a.files.Open(ctx, attachment)

		return content, err
	}
	if closer, ok := small.Content.(io.ReadCloser); ok {
		return closer, nil
	}

	return io.NopCloser(small.Content), nil
}

// grid are photos with what they show; nothing without an opener.
func (of printed) grid(photos []store.Photo) []paper.Block {
	if of.open == nil {
		return nil
	}
	grid := paper.Photos{Title: "Photos", Columns: photosInARow}
	for _, p := range photos {
		car, err := of.bill.Vehicle(p.Vehicle)
		if err != nil {
			continue
		}
		caption := []string{string(p.Stage) + ", " + subjectOf(p), car.Name()}
		if p.TakenAt != nil {
			caption = append(caption, page.Moment(*p.TakenAt, page.Zone(of.bill.Zone(p.Stage))))
		}
		grid.Items = append(grid.Items, paper.Photo{Caption: strings.Join(caption, "\n"), Picture: paper.Picture{
			Alt: caption[0] + ", " + car.Name(), Open: func(ctx context.Context) (io.ReadCloser, error) { return of.open(ctx, p.Attachment.String()) },
		}})
	}
	if len(grid.Items) == 0 {
		return nil
	}

	return []paper.Block{grid}
}

const photosInARow = 4

func subjectOf(p store.Photo) string { return strings.ReplaceAll(p.Subject, "_", " ") }

// index lists photos, so that each can be proved to be the one that was taken.
func (of printed) index(photos []store.Photo) paper.Block {
	table := paper.Table{Title: "Photo index, with the SHA-256 of each file", Columns: []paper.Column{
		{Title: "Stage"}, {Title: "Vehicle", Weight: 3}, {Title: "Photo", Weight: 1.5}, {Title: "Taken", Weight: 2},
	}}
	for _, p := range photos {
		car, err := of.bill.Vehicle(p.Vehicle)
		if err != nil {
			continue
		}
		taken := ""
		if p.TakenAt != nil {
			taken = page.Moment(*p.TakenAt, page.Zone(of.bill.Zone(p.Stage)))
		}
		table.Rows = append(table.Rows, paper.Row{Cells: []string{string(p.Stage), strings.Join(filled(car.Name(), labeled("VIN ", car.VIN)), ", "), subjectOf(p), taken}, Note: p.SHA256})
	}

	return table
}
