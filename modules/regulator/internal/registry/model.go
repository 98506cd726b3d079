package registry

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// answerRow is the last answer of a live source about a number.
type answerRow struct {
	database.Global

	USDOT     int64  `gorm:"column:usdot;primaryKey;autoIncrement:false"`
	Source    string `gorm:"primaryKey"`
	Outcome   string
	Body      string
	FetchedAt *time.Time
	FailedAt  *time.Time
	Why       string
}

// TableName implements the naming that GORM asks for.
func (answerRow) TableName() string { return "carriers_regulator_answers" }

// snapshotRow is facts as they were.
type snapshotRow struct {
	database.Global

	ID      uuid.UUID `gorm:"primaryKey"`
	USDOT   int64     `gorm:"column:usdot"`
	Number  int64
	TakenAt time.Time
	Digest  int64
	Body    string
}

// TableName implements the naming that GORM asks for.
func (snapshotRow) TableName() string { return "carriers_regulator_snapshots" }
