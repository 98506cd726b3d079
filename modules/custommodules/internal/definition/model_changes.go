package definition

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// ChangeKind is what is changed of a field.
type ChangeKind string

// The kinds.
const (
	ChangeType     ChangeKind = "type"
	ChangeRequired ChangeKind = "required"
	ChangeUnique   ChangeKind = "unique"
	ChangeDelete   ChangeKind = "delete"
)

// ChangeState is how far a change has got.
type ChangeState string

// The states. One that is stopped or cancelled has left the field as it was.
const (
	ChangePlanning  ChangeState = "planning"
	ChangePlanned   ChangeState = "planned"
	ChangeApplying  ChangeState = "applying"
	ChangeApplied   ChangeState = "applied"
	ChangeStopped   ChangeState = "stopped"
	ChangeCancelled ChangeState = "cancelled"
)

// ChangeRow is a row of custom_modules_changes.
type ChangeRow struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	ModuleID    uuid.UUID
	FieldID     uuid.UUID
	Kind        ChangeKind
	State       ChangeState
	Spec        rawjson.Object
	Decision    *rawjson.Object
	Report      rawjson.Object
	Fingerprint string
	IncomingID  *uuid.UUID
	Position    uuid.UUID
	UntilID     *uuid.UUID
	Total       int64
	Done        int64
	Changed     int64
	Failed      int64
	StoppedAt   *uuid.UUID
	Problem     string
	Version     int64
	CreatedAt   time.Time
	CreatedBy   *uuid.UUID
	UpdatedAt   time.Time
	UpdatedBy   *uuid.UUID
	PlannedAt   *time.Time
}

// TableName implements gorm's Tabler.
func (ChangeRow) TableName() string { return "custom_modules_changes" }

// ChangeValueRow is a row of custom_modules_change_values.
type ChangeValueRow struct {
	database.Tenant

	ChangeID uuid.UUID
	RecordID uuid.UUID
	Value    string
}

// TableName implements gorm's Tabler.
func (ChangeValueRow) TableName() string { return "custom_modules_change_values" }

// OnFailure is what becomes of a value that a change breaks.
type OnFailure string

// The ways; refuse is the default.
const (
	RefuseFailing  OnFailure = "refuse"
	ClearFailing   OnFailure = "clear"
	DefaultFailing OnFailure = "default"
)
