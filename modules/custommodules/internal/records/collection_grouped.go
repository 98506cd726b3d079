package records

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
)

// Groups implements collection.Grouped.
func (c RecordCollection) Groups(ctx context.Context, view uuid.UUID, in *list.GroupInput) (list.Groups, error) {
	return c.Service.GroupRecords(ctx, c.Module, view, in)
}
