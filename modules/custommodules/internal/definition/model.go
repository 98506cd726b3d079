package definition

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// MayLoseValues returns ErrNotPermitted for a caller who may not see what would be changed or lost.
func (f FieldRow) MayLoseValues(ctx context.Context) error {
	if !f.Sensitive || SeesSensitive(ctx) {
		return nil
	}

	return principal.Lacks(SensitiveScope).WithMessage("The field is sensitive: changing its values requires the scope %s.", SensitiveScope)
}

// Spec is a field as it would be asked for.
func (f FieldRow) Spec() NewField {
	n := NewField{
		Key: f.Key, Label: f.Label, Type: f.Type, Help: f.Help, Section: f.Section, Required: f.Required,
		Unique: f.IsUnique, ReadOnly: f.ReadOnly, Searchable: f.Searchable, Sensitive: f.Sensitive, Indexed: f.Slot != nil, Options: f.Options,
	}
	if f.DefaultValue != nil {
		n.Default = []byte(*f.DefaultValue)
	}

	return n
}

// Touch marks a row of a field as changed.
func (f *FieldRow) Touch(at time.Time, by *uuid.UUID) {
	f.Version, f.UpdatedAt, f.UpdatedBy = f.Version+1, at, by
}

// FormulaText is the formula of a field, "" if it is none.
func (f FieldRow) FormulaText() string {
	if f.Type != TypeName(formula.Type().Name) {
		return ""
	}

	return rawjson.Text(rawjson.Member(f.Options, "formula"))
}

// IndexState says whether queries may go by the index of a field.
type IndexState string

// NoIndex says that there is none, IndexBuilding that a job is filling it, IndexReady that queries may use it.
const (
	NoIndex       IndexState = "none"
	IndexBuilding IndexState = "building"
	IndexReady    IndexState = "ready"
)

// IndexState is the state of the index by which a field is filtered and sorted.
func (f FieldRow) IndexState() IndexState {
	switch {
	case f.Slot == nil:
		return NoIndex
	case f.SlotReady:
		return IndexReady
	default:
		return IndexBuilding
	}
}

// SearchState is the state of the index of the words of a field.
func (f FieldRow) SearchState() IndexState {
	switch {
	case !f.Searchable:
		return NoIndex
	case f.SearchReady:
		return IndexReady
	default:
		return IndexBuilding
	}
}

// ModuleRow is a row of custom_modules_modules.
type ModuleRow struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	Name        string
	NameKey     string
	Description string
	TitleField  *uuid.UUID
	Permissions Permissions `gorm:"type:jsonb"`
	ArchivedAt  *time.Time
	// ItemType is the type of the items whose own fields the module has, "" for a module of people.
	ItemType   string
	Revision   int64
	NextNumber int
	UsedSlots  string
	Origin     PackOrigin `gorm:"embedded"`
	CreatedAt  time.Time
	CreatedBy  *uuid.UUID
	UpdatedAt  time.Time
	UpdatedBy  *uuid.UUID
	DeletedAt  *time.Time
}

// TableName implements gorm's Tabler.
func (ModuleRow) TableName() string { return "custom_modules_modules" }

// markSlotUsed notes that a slot has had values of the module.
func (m *ModuleRow) markSlotUsed(s Slot) {
	if s.Overflows() {
		s = anyOverflow
	}
	if !m.slotUsed(s) {
		m.UsedSlots += string(s) + " "
	}
}

func (m *ModuleRow) slotUsed(s Slot) bool { return strings.Contains(m.UsedSlots, string(s)+" ") }

// overflowed reports whether values of the module have been in custom_modules_index.
func (m *ModuleRow) overflowed() bool { return m.slotUsed(anyOverflow) }

// anyOverflow stands in UsedSlots for all slots that are no columns.
const anyOverflow Slot = "index"

// FieldRow is a row of custom_modules_fields.
type FieldRow struct {
	database.Tenant

	ID           uuid.UUID `gorm:"primaryKey"`
	ModuleID     uuid.UUID
	Number       int
	Key          string
	Label        string
	Type         TypeName
	Help         string
	Section      string
	Required     bool
	IsUnique     bool
	ReadOnly     bool
	Sensitive    bool
	DefaultValue *rawjson.Object
	Slot         *Slot
	SlotSince    *int64
	SlotReady    bool
	Searchable   bool
	SearchSince  *int64
	SearchReady  bool
	Rolling      bool
	Options      rawjson.Object
	Position     int
	Version      int64
	CreatedAt    time.Time
	CreatedBy    *uuid.UUID
	UpdatedAt    time.Time
	UpdatedBy    *uuid.UUID
	DeletedAt    *time.Time
	// Replaces is the field whose place this one has taken, or is to take while it is incoming.
	Replaces  *uuid.UUID
	Incoming  bool
	OnFailure OnFailure
	Fallback  *rawjson.Object
	// Checking says that the field has become unique, and its values are yet to be compared.
	Checking bool
}

// TableName implements gorm's Tabler.
func (FieldRow) TableName() string { return "custom_modules_fields" }

// RecordRow is a row of custom_modules_records without its slots, which are written and compared
// but never read.
type RecordRow struct {
	database.Tenant

	ID             uuid.UUID `gorm:"primaryKey"`
	ModuleID       uuid.UUID
	Version        int64
	SchemaRevision int64
	Data           rawjson.Object
	CreatedAt      time.Time
	CreatedBy      *uuid.UUID
	UpdatedAt      time.Time
	UpdatedBy      *uuid.UUID
	DeletedAt      *time.Time
	Rolled         int64
	RolledAt       *time.Time

	// Revision is the present revision of the module, where it was read along.
	Revision int64 `gorm:"->"`
}

// TableName implements gorm's Tabler.
func (RecordRow) TableName() string { return "custom_modules_records" }

// LinkRow is a row of custom_modules_links.
type LinkRow struct {
	database.Tenant

	RecordID uuid.UUID
	FieldID  uuid.UUID
	TargetID uuid.UUID
}

// TableName implements gorm's Tabler.
func (LinkRow) TableName() string { return "custom_modules_links" }

// UniqueRow is a row of custom_modules_unique.
type UniqueRow struct {
	database.Tenant

	ModuleID uuid.UUID
	FieldID  uuid.UUID
	Value    string
	RecordID uuid.UUID
}

// TableName implements gorm's Tabler.
func (UniqueRow) TableName() string { return "custom_modules_unique" }

// Verb is what was done to a record.
type Verb string

// The verbs of the history.
const (
	Created  Verb = "created"
	Updated  Verb = "updated"
	Deleted  Verb = "deleted"
	Restored Verb = "restored"
)

// HistoryRow is a row of custom_modules_history.
type HistoryRow struct {
	database.Tenant

	RecordID uuid.UUID `gorm:"primaryKey"`
	history.Stamp

	Changes rawjson.Object
}

// TableName implements gorm's Tabler.
func (HistoryRow) TableName() string { return "custom_modules_history" }

// Key is the value that a list of modules is sorted by.
func (m ModuleRow) Key(field string) any {
	switch field {
	case "name":
		return m.NameKey
	case "created_at":
		return m.CreatedAt
	case "updated_at":
		return m.UpdatedAt
	default:
		return m.ID
	}
}

// ListKey is the value that a list of fields is sorted by.
func (f FieldRow) ListKey(name string) any {
	switch name {
	case "position":
		return f.Position
	case "key":
		return f.Key
	default:
		return f.ID
	}
}

// RollupState says whether a rollup or lookup has the values of all records.
func (f FieldRow) RollupState() IndexState {
	switch {
	case !slices.Contains(DerivedNames, string(f.Type)):
		return NoIndex
	case f.Rolling:
		return IndexBuilding
	default:
		return IndexReady
	}
}
