package collection

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
)

// Grouped is a Collection whose rows can be counted and added up by group.
type Grouped interface {
	Collection
	// Groups groups the rows that Page finds by the same view and query. Its errors are those of Page, and list.ErrTooManyGroups.
	Groups(ctx context.Context, view uuid.UUID, in *list.GroupInput) (list.Groups, error)
}
