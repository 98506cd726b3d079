package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
)

// Groups implements collection.Grouped.
func (c recordCollection) Groups(ctx context.Context, view uuid.UUID, in *list.GroupInput) (list.Groups, error) {
	return c.service.groupRecords(ctx, c.module, view, in)
}
