package regulator

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// The states of a set.
const (
	setNever     = "never"
	setImporting = "importing"
	setComplete  = "complete"
)

// setRow is what has been imported of a set.
type setRow struct {
	database.Global

	SetName     string `gorm:"primaryKey"`
	State       string
	AsOf        *time.Time
	NextAsOf    *time.Time
	ImportedAt  *time.Time
	RowCount    int64
	Broken      int64
	ReadOffset  int64
	Fingerprint string
}

// TableName implements the naming that GORM asks for.
func (setRow) TableName() string { return "carriers_regulator_sets" }

// read reports whether the set was once read whole.
func (s setRow) read() bool { return s.AsOf != nil }

// carrier is a row of the census.
type carrier struct {
	database.Global

	USDOT            int64 `gorm:"column:usdot;primaryKey"`
	Digest           int64
	LegalName        string
	DBA              string `gorm:"column:dba"`
	PhysicalStreet   string
	PhysicalCity     string
	PhysicalState    string
	PhysicalZIP      string `gorm:"column:physical_zip"`
	PhysicalCountry  string
	MailingStreet    string
	MailingCity      string
	MailingState     string
	MailingZIP       string `gorm:"column:mailing_zip"`
	MailingCountry   string
	Undeliverable    string
	Phone            string
	CellPhone        string
	Email            string
	Officers         string
	Status           string
	Operation        string
	Classes          string
	Cargo            string
	Dockets          string
	PowerUnits       *int64
	Drivers          *int64
	AddedOn          string
	MCS150On         string `gorm:"column:mcs150_on"`
	SafetyRating     string
	SafetyRatedOn    string
	SafetyReviewedOn string
}

// TableName implements the naming that GORM asks for.
func (carrier) TableName() string { return "carriers_regulator_carriers" }

// filingRow is a row of any other set.
type filingRow struct {
	database.Global

	SetName string `gorm:"primaryKey"`
	RowKey  int64  `gorm:"primaryKey;autoIncrement:false"`
	USDOT   int64  `gorm:"column:usdot"`
	Docket  string
	Digest  int64
	Body    string
}

// TableName implements the naming that GORM asks for.
func (filingRow) TableName() string { return "carriers_regulator_filings" }

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

// allExcluded is the list of an upsert that takes the new values of columns.
func allExcluded(columns string) string {
	names := strings.FieldsFunc(columns, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
	for i, n := range names {
		names[i] = n + " = excluded." + n
	}

	return strings.Join(names, ", ")
}

// null is a count as a value of SQL.
func null(n *int64) any {
	if n == nil {
		return nil
	}

	return *n
}

// moment is a time as a value of SQL.
func moment(t *time.Time) any {
	if t == nil {
		return nil
	}

	return *t
}
