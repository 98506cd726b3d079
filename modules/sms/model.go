package sms

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// preferences is a row of sms_settings.
type preferences struct {
	database.Tenant
	Region      string // ISO 3166-1 alpha-2
	QuietFrom   string // "21:00"; "" for no quiet hours
	QuietTo     string
	QuietPolicy string // quietDefer or quietRefuse
	AutoReplies bool
	StopText    string
	StartText   string
	HelpText    string
	StopWords   []string   `gorm:"serializer:json"` // opt-outs beside those that everybody knows
	NumberID    *uuid.UUID // the company's default
	Version     int64
	UpdatedAt   time.Time
}

// TableName implements GORM's naming.
func (preferences) TableName() string { return "sms_settings" }

const tableAccounts = "sms_accounts"

// account is a row of sms_accounts.
type account struct {
	vendoraccount.Account

	// EndpointID is where notifications arrive, and nil for providers that send none; LastEndpointID the one before.
	EndpointID     *uuid.UUID
	LastEndpointID *uuid.UUID
	Verifies       bool // the credentials have a key for notifications
	// FetchedAt is up to when the provider was asked for messages that it could not bring; nil for never.
	FetchedAt *time.Time
}

// TableName implements GORM's naming.
func (account) TableName() string { return tableAccounts }

// number is a row of sms_numbers.
type number struct {
	database.Tenant
	ID           uuid.UUID
	AccountID    uuid.UUID
	Number       string // E.164
	Kind         provider.Kind
	Label        string
	SMS          bool `gorm:"column:sms"`
	MMS          bool `gorm:"column:mms"`
	Voice        bool
	Registration provider.Registration
	ProviderID   string
	UserID       *uuid.UUID // whose it is; nil for everybody's
	PerMinute    int64      // messages; 0 is any number
	State        string     // pending, active, releasing, released or failed
	Problem      string     // why it could not be bought or released, a provider.Reason
	ReleasedAt   *time.Time // also of a number that could not be bought
	Version      int64
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// TableName implements GORM's naming.
func (number) TableName() string { return "sms_numbers" }

func (row number) sortKey(field string) any {
	switch field {
	case "number":
		return row.Number
	case "label":
		return row.Label
	case "created_at":
		return row.CreatedAt
	default:
		return row.ID
	}
}

// userDefault is a row of sms_user_defaults.
type userDefault struct {
	database.Tenant
	UserID    uuid.UUID
	NumberID  uuid.UUID
	UpdatedAt time.Time
}

// TableName implements GORM's naming.
func (userDefault) TableName() string { return "sms_user_defaults" }

// throttle is a row of sms_throttles.
type throttle struct {
	database.Tenant
	NumberID uuid.UUID
	NextAt   time.Time
}

// TableName implements GORM's naming.
func (throttle) TableName() string { return "sms_throttles" }
