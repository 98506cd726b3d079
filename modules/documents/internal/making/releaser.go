package making

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Releaser lets the files of documents be deleted that are no longer retained.
type Releaser struct {
	all   *store.Repository
	rows  *resource.Resource[store.Document]
	holds attachmentsapi.Holds
	clock clock.Clock
}

// NewReleaser returns a Releaser.
func NewReleaser(all *store.Repository, rows *resource.Resource[store.Document], h attachmentsapi.Holds, c clock.Clock) *Releaser {
	return &Releaser{all, rows, h, c}
}

// Release releases the documents of all companies whose time is over. It may run twice.
func (r *Releaser) Release(ctx context.Context, _ ReleaseAll) error {
	return r.all.EachRetained(ctx, r.clock.Now(), func(ctx context.Context, id uuid.UUID) error {
		d, err := r.rows.Change(ctx, id, web.IfMatch{}, store.VerbRelease, func(_ context.Context, d *store.Document) error {
			d.Released = true

			return nil
		})
		for _, file := range []*uuid.UUID{d.Attachment, d.Page} {
			if err == nil && file != nil {
				err = r.holds.Release(ctx, file.String(), documentsapi.Document, id.String())
			}
		}

		return err
	})
}
