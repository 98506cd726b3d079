package definition

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// FieldTypes are the types that a field can have, in the order in which people read of them.
func FieldTypes(s Settings) []field.Type {
	var all []field.Type
	for _, typ := range field.Types(s.MaxTextLength) {
		all = append(all, typ)
		switch typ.Name {
		case "user":
			all = append(all, referenceType)
		case "length":
			all = append(all, AutoNumberType, formula.Type(), rollupType(), lookupType())
		}
	}

	return all
}

// Referring is a field.Values whose values point at records of another module. The key of such a
// value is the record's id.
type Referring interface {
	Target() uuid.UUID
}
