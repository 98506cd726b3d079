package definition

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// NewField is a field that is to be.
type NewField struct {
	// ID is fixed where a field comes with the service; uuid.Nil asks for a new one.
	ID uuid.UUID `json:"-"`
	// Position is where a field that comes later stands; 0 is at the end.
	Position   int             `json:"-"`
	Key        string          `json:"key" doc:"Key of the field in payloads: snake_case, unique in the module." example:"pickup_date"`
	Label      string          `json:"label,omitempty" doc:"Display name of the field. Derived from the key if omitted." example:"Pickup date"`
	Type       TypeName        `json:"type"`
	Help       string          `json:"help,omitempty" doc:"Help text of the field."`
	Section    string          `json:"section,omitempty" doc:"Heading under which the field is shown." example:"Pickup"`
	Required   bool            `json:"required,omitempty" doc:"Whether every new record must have a value."`
	Unique     bool            `json:"unique,omitempty" doc:"Whether values must be unique. Any number of records may have no value."`
	ReadOnly   bool            `json:"read_only,omitempty" doc:"Whether callers cannot set the field. Other areas can."`
	Sensitive  bool            `json:"sensitive,omitempty" doc:"Whether the values require the scope custom_modules:sensitive."`
	Default    json.RawMessage `json:"default,omitempty" doc:"The value of new records whose payload leaves out the field; null in a payload means no value. A date or time may be relative to now: today+7d. A user may be me, the creator of the record."`
	Indexed    bool            `json:"indexed,omitempty" doc:"Whether filters and sorts by the field are fast in a module of any size. References are always indexed, up to the limit of indexed fields."`
	Searchable bool            `json:"searchable,omitempty" doc:"Whether q= of record lists searches the field, in a module of any size."`
	Options    rawjson.Object  `json:"options,omitempty" doc:"Options of the type; see type."`
}

// TypeName is the name of a field type.
type TypeName string

// Schema implements huma.SchemaProvider: the types with what they are.
func (TypeName) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, typ := range FieldTypes(Defaults()) {
		s.Enum = append(s.Enum, typ.Name)
		s.Description += "- `" + typ.Name + "`: " + typ.About + "\n"
	}

	return s
}

// TakeSlot gives a field a slot of a kind that is not taken.
func (f *FieldRow) TakeSlot(module *ModuleRow, kind field.Index, taken []Slot) {
	free := freeSlot(kind, taken)
	if free == "" {
		free = overflowSlot(kind, f.Number)
	}
	f.Slot, f.SlotSince = &free, new(module.Revision)
	f.SlotReady = !module.slotUsed(free)
	module.markSlotUsed(free)
}

// SameKey reports whether two fields have the same key.
func (f FieldRow) SameKey(other FieldRow) bool { return f.Key == other.Key }

// OrNew returns the id, or a new one where there is none.
func OrNew(id uuid.UUID) uuid.UUID {
	if id == uuid.Nil {
		return database.NewID()
	}

	return id
}
