package resource

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// VersionAt is versionAt for tests.
func (r *Resource[R]) VersionAt(ctx context.Context, id uuid.UUID, version int64) (R, error) {
	return r.versionAt(ctx, id, version)
}

// Reread reads a document of a version as rows of another struct, or of a later form of it.
func Reread[R any](document string) (R, error) {
	p, err := columns.PlanOf[R]()
	if err != nil {
		return *new(R), err
	}

	return columns.ReadImage[R](&p, []byte(document))
}
