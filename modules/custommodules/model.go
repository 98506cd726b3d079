package custommodules

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// moduleRow is a row of custom_modules_modules.
type moduleRow struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	Name        string
	NameKey     string
	Description string
	TitleField  *uuid.UUID
	Permissions permissions `gorm:"type:jsonb"`
	ArchivedAt  *time.Time
	// ItemType is the type of the items whose own fields the module has, "" for a module of people.
	ItemType   string
	Revision   int64
	NextNumber int
	UsedSlots  string
	Origin     packOrigin `gorm:"embedded"`
	CreatedAt  time.Time
	CreatedBy  *uuid.UUID
	UpdatedAt  time.Time
	UpdatedBy  *uuid.UUID
	DeletedAt  *time.Time
}

// TableName implements gorm's Tabler.
func (moduleRow) TableName() string { return "custom_modules_modules" }

// use notes that a slot has had values of the module.
func (m *moduleRow) use(s slot) {
	if s.overflows() {
		s = anyOverflow
	}
	if !m.used(s) {
		m.UsedSlots += string(s) + " "
	}
}

func (m *moduleRow) used(s slot) bool { return strings.Contains(m.UsedSlots, string(s)+" ") }

// overflowed reports whether values of the module have been in custom_modules_index.
func (m *moduleRow) overflowed() bool { return m.used(anyOverflow) }

// anyOverflow stands in UsedSlots for all slots that are no columns.
const anyOverflow slot = "index"

// fieldRow is a row of custom_modules_fields.
type fieldRow struct {
	database.Tenant

	ID           uuid.UUID `gorm:"primaryKey"`
	ModuleID     uuid.UUID
	Number       int
	Key          string
	Label        string
	Type         typeName
	Help         string
	Section      string
	Required     bool
	IsUnique     bool
	ReadOnly     bool
	Sensitive    bool
	DefaultValue *rawjson.Object
	Slot         *slot
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
	OnFailure onFailure
	Fallback  *rawjson.Object
	// Checking says that the field has become unique, and its values are yet to be compared.
	Checking bool
}

// TableName implements gorm's Tabler.
func (fieldRow) TableName() string { return "custom_modules_fields" }

// recordRow is a row of custom_modules_records without its slots, which are written and compared
// but never read.
type recordRow struct {
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
func (recordRow) TableName() string { return "custom_modules_records" }

// linkRow is a row of custom_modules_links.
type linkRow struct {
	database.Tenant

	RecordID uuid.UUID
	FieldID  uuid.UUID
	TargetID uuid.UUID
}

// TableName implements gorm's Tabler.
func (linkRow) TableName() string { return "custom_modules_links" }

// uniqueRow is a row of custom_modules_unique.
type uniqueRow struct {
	database.Tenant

	ModuleID uuid.UUID
	FieldID  uuid.UUID
	Value    string
	RecordID uuid.UUID
}

// TableName implements gorm's Tabler.
func (uniqueRow) TableName() string { return "custom_modules_unique" }

// verb is what was done to a record.
type verb string

// The verbs of the history.
const (
	created  verb = "created"
	updated  verb = "updated"
	deleted  verb = "deleted"
	restored verb = "restored"
)

// historyRow is a row of custom_modules_history.
type historyRow struct {
	database.Tenant

	RecordID uuid.UUID `gorm:"primaryKey"`
	history.Stamp

	Changes rawjson.Object
}

// TableName implements gorm's Tabler.
func (historyRow) TableName() string { return "custom_modules_history" }
