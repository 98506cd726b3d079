package ownfields

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
)

// Path has the collection of an operation.
type Path struct {
	Name collection.Name `path:"name" doc:"The type of the items." example:"trucks.truck"`
}

// Collection is the name of the collection.
func (p Path) Collection() collection.Name { return p.Name }

// FieldPath names a field of a collection.
type FieldPath struct {
	Path

	FieldUUID uuid.UUID `path:"field_uuid"`
}
