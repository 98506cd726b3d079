package resource

import (
	"context"

	"github.com/google/uuid"
)

// VersionAt is versionAt for tests.
func (r *Resource[R]) VersionAt(ctx context.Context, id uuid.UUID, version int64) (R, error) {
	return r.versionAt(ctx, id, version)
}

// Reread reads a document of a version as rows of another struct, or of a later form of it.
func Reread[R any](document string) (R, error) {
	p, err := compile[R]()
	if err != nil {
		return *new(R), err
	}

	return rowIn[R](&p, []byte(document))
}
