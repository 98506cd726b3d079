package custommodules

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// changeKind is what is changed of a field.
type changeKind string

// The kinds.
const (
	changeType     changeKind = "type"
	changeRequired changeKind = "required"
	changeUnique   changeKind = "unique"
	changeDelete   changeKind = "delete"
)

// changeState is how far a change has got.
type changeState string

// The states. One that is stopped or cancelled has left the field as it was.
const (
	changePlanning  changeState = "planning"
	changePlanned   changeState = "planned"
	changeApplying  changeState = "applying"
	changeApplied   changeState = "applied"
	changeStopped   changeState = "stopped"
	changeCancelled changeState = "cancelled"
)

// changeRow is a row of custom_modules_changes.
type changeRow struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	ModuleID    uuid.UUID
	FieldID     uuid.UUID
	Kind        changeKind
	State       changeState
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
func (changeRow) TableName() string { return "custom_modules_changes" }

// changeValueRow is a row of custom_modules_change_values.
type changeValueRow struct {
	database.Tenant

	ChangeID uuid.UUID
	RecordID uuid.UUID
	Value    string
}

// TableName implements gorm's Tabler.
func (changeValueRow) TableName() string { return "custom_modules_change_values" }

// onFailure is what becomes of a value that a change breaks.
type onFailure string

// The ways; refuse is the default.
const (
	refuseFailing  onFailure = "refuse"
	clearFailing   onFailure = "clear"
	defaultFailing onFailure = "default"
)
