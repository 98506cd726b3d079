package resource

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// VersionAt is versionAt for tests.
func (r *Resource[R]) VersionAt(ctx context.Context, id uuid.UUID, version int64) (R, error) {
	row, err := r.table.versionAt(ctx, id, version)

	return valueOf[R](row), err
}

// Reread reads a document of a version as rows of another struct, or of a later form of it.
func Reread[R any](document string) (R, error) {
	p, err := columns.PlanOf(reflect.TypeFor[R]())
	if err != nil {
		return *new(R), err
	}

	row, err := columns.ReadImage(&p, []byte(document))

	return valueOf[R](row), err
}
