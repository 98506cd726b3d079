package feed

import (
	"encoding/json"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
)

// The states of a set.
const (
	StateNever     = "never"
	StateImporting = "importing"
	StateComplete  = "complete"
)

// State says how much of a set has been imported.
type State struct {
	database.Global

	SetName string `gorm:"primaryKey"`
	State   string
	// AsOf is the date of the last complete import, NextAsOf that of the one under way.
	AsOf        *time.Time
	NextAsOf    *time.Time
	ImportedAt  *time.Time
	RowCount    int64
	Broken      int64
	ReadOffset  int64
	Fingerprint string
	// FailedAt is when the last fetch failed, nil if it did not; Why says why.
	FailedAt *time.Time
	Why      string
}

// TableName implements the naming that GORM asks for.
func (State) TableName() string { return "carriers_regulator_sets" }

// Read reports whether the set was once imported completely.
func (s State) Read() bool { return s.AsOf != nil }

// Carrier is a row of the census. Days are written YYYY-MM-DD, and texts are "" where the census has nothing.
type Carrier struct {
	USDOT            int64  `json:"-"`
	LegalName        string `json:"legal_name"`
	DBA              string `json:"dba,omitempty"`
	PhysicalStreet   string `json:"physical_street,omitempty"`
	PhysicalCity     string `json:"physical_city,omitempty"`
	PhysicalState    string `json:"physical_state,omitempty"`
	PhysicalZIP      string `json:"physical_zip,omitempty"`
	PhysicalCountry  string `json:"physical_country,omitempty"`
	MailingStreet    string `json:"mailing_street,omitempty"`
	MailingCity      string `json:"mailing_city,omitempty"`
	MailingState     string `json:"mailing_state,omitempty"`
	MailingZIP       string `json:"mailing_zip,omitempty"`
	MailingCountry   string `json:"mailing_country,omitempty"`
	Undeliverable    string `json:"undeliverable,omitempty"`
	Phone            string `json:"phone,omitempty"`
	CellPhone        string `json:"cell_phone,omitempty"`
	Email            string `json:"email,omitempty"`
	Officers         string `json:"officers,omitempty"`
	Status           string `json:"status,omitempty"`
	Operation        string `json:"operation,omitempty"`
	Classes          string `json:"classes,omitempty"`
	Cargo            string `json:"cargo,omitempty"`
	Dockets          string `json:"dockets,omitempty"`
	PowerUnits       *int64 `json:"power_units,omitempty"`
	Drivers          *int64 `json:"drivers,omitempty"`
	AddedOn          string `json:"added_on,omitempty"`
	MCS150On         string `json:"mcs150_on,omitempty"`
	SafetyRating     string `json:"safety_rating,omitempty"`
	SafetyRatedOn    string `json:"safety_rated_on,omitempty"`
	SafetyReviewedOn string `json:"safety_reviewed_on,omitempty"`
}

// CarrierRow is a carrier as it is stored: what is not looked for is in one column, so that a row is written quickly.
type CarrierRow struct {
	database.Global

	USDOT int64 `gorm:"column:usdot;primaryKey;autoIncrement:false"`
	Body  string
}

// TableName implements the naming that GORM asks for.
func (CarrierRow) TableName() string { return "carriers_regulator_carriers" }

// Carrier returns the carrier of the row.
func (r CarrierRow) Carrier() (Carrier, error) {
	c := Carrier{USDOT: r.USDOT}

	return c, json.Unmarshal([]byte(r.Body), &c)
}

// Filing is a row of any other set.
type Filing struct {
	database.Global

	SetName string `gorm:"primaryKey"`
	RowKey  int64  `gorm:"primaryKey;autoIncrement:false"`
	USDOT   int64  `gorm:"column:usdot"`
	Docket  string
	Digest  int64
	// Body has the values of the row as JSON, by the names of the columns.
	Body string
}

// TableName implements the naming that GORM asks for.
func (Filing) TableName() string { return "carriers_regulator_filings" }

// Values returns the values of the row.
func (f Filing) Values() Row {
	v := Row{}
	_ = json.Unmarshal([]byte(f.Body), &v) //nolint:errcheck // written by this package

	return v
}

// Row has the values of a row by the names of their columns in lower case. Sets omit what is null.
type Row map[string]string

// First returns the first of the columns that has a value: sets of different times name them differently.
func (r Row) First(columns ...string) string {
	for _, c := range columns {
		if v := r[c]; v != "" {
			return v
		}
	}

	return ""
}
