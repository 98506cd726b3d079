package files

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
)

// Describe tells what attachments are called, for areas that point to them.
func (r *Reader) Describe(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	rows, err := r.repository.FindByIDs(ctx, ids)
	found := make(map[uuid.UUID]item.Description, len(rows))
	for _, row := range rows {
		title := row.Title
		if title == "" {
			title = row.FileName
		}
		found[row.ID] = item.Description{Title: title}
	}

	return found, err
}

// Fields are what attachments have values for.
func (r *Reader) Fields(context.Context, []string) (map[string][]item.Field, error) {
	return map[string][]item.Field{"": {
		{Key: "file_name", Label: "File name", Kind: kind.Text},
		{Key: "title", Label: "Title", Kind: kind.Text},
		{Key: "category", Label: "Category", Kind: kind.Text},
		{Key: "media_type", Label: "Media type", Kind: kind.Text},
		{Key: "size", Label: "Size", Kind: kind.Integer},
		{Key: "sha256", Label: "SHA-256", Kind: kind.Text},
		{Key: "state", Label: "State", Kind: kind.Text},
	}}, nil
}

// Values returns the values of some attachments, or those of the given keys.
func (r *Reader) Values(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]item.Values, error) {
	rows, err := r.repository.FindByIDs(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[uuid.UUID]item.Values, len(rows))
	for _, row := range rows {
		found[row.ID], err = item.ValuesOf(map[string]any{
			"file_name": row.FileName, "title": row.Title, "category": row.Category, "media_type": row.MediaType,
			"size": row.Size, "sha256": row.SHA256, "state": row.State,
		}, keys)
		if err != nil {
			return nil, err
		}
	}

	return found, nil
}
