package store

import (
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/optout"
	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// Preferences is a row of sms_settings.
type Preferences struct {
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
func (Preferences) TableName() string { return "sms_settings" }

// TableAccounts is the table of accounts.
const TableAccounts = "sms_accounts"

// Account is a row of sms_accounts.
type Account struct {
	vendoraccount.Account

	// EndpointID is where notifications arrive, and nil for providers that send none; LastEndpointID the one before.
	EndpointID     *uuid.UUID
	LastEndpointID *uuid.UUID
	Verifies       bool // the credentials have a key for notifications
	// FetchedAt is up to when the provider was asked for messages that it could not bring; nil for never.
	FetchedAt *time.Time
}

// TableName implements GORM's naming.
func (Account) TableName() string { return TableAccounts }

// Number is a row of sms_numbers.
type Number struct {
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
func (Number) TableName() string { return "sms_numbers" }

func (row Number) sortKey(field string) any {
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

// UserDefault is a row of sms_user_defaults.
type UserDefault struct {
	database.Tenant
	UserID    uuid.UUID
	NumberID  uuid.UUID
	UpdatedAt time.Time
}

// TableName implements GORM's naming.
func (UserDefault) TableName() string { return "sms_user_defaults" }

// throttle is a row of sms_throttles.
type throttle struct {
	database.Tenant
	NumberID uuid.UUID
	NextAt   time.Time
}

// TableName implements GORM's naming.
func (throttle) TableName() string { return "sms_throttles" }

// SetOwned keeps what a provider says of a number.
func (row *Number) SetOwned(o provider.Owned) {
	row.ProviderID, row.Registration = o.ID, o.Registration
	row.SMS, row.MMS, row.Voice = o.Features.SMS, o.Features.MMS, o.Features.Voice
	if o.Kind != "" {
		row.Kind = o.Kind
	}
}

// Usable refuses a number that a user cannot send from.
func (row Number) Usable(user *uuid.UUID) error {
	switch {
	case row.State != NumberActive || !row.SMS:
		return ErrNotSending
	case user != nil && row.UserID != nil && *row.UserID != *user:
		return ErrNotYours
	default:
		return nil
	}
}

// The states of numbers.
const (
	NumberPending   = "pending"   // being bought
	NumberActive    = "active"    // ours
	NumberReleasing = "releasing" // being given back
	NumberReleased  = "released"
	NumberFailed    = "failed" // could not be bought
)

// Validate refuses settings that make no sense.
func (p Preferences) Validate() error {
	if !phone.IsRegion(p.Region) {
		return ErrInvalid.WithField("region", "There is no such region.")
	}
	if (p.QuietFrom == "") != (p.QuietTo == "") {
		return ErrInvalid.WithField("quiet_to", "Send quiet_from and quiet_to together.")
	}
	for field, text := range map[string]string{"quiet_from": p.QuietFrom, "quiet_to": p.QuietTo} {
		if text != "" && !clockTime.MatchString(text) {
			return ErrInvalid.WithField(field, "The "+field+" must be a time of day, such as 21:00.")
		}
	}
	if p.QuietFrom != "" && p.QuietFrom == p.QuietTo {
		return ErrInvalid.WithField("quiet_to", "`quiet_to` must differ from the `quiet_from`. For no quiet hours, set both to null.")
	}

	return p.validateStopWords()
}

// validateStopWords refuses words of the company's own that say nothing, or something else already.
func (p Preferences) validateStopWords() error {
	refusal := *ErrInvalid
	wrong := &refusal
	for i, word := range p.StopWords {
		switch says := optout.Read(word, nil); {
		case utf8.RuneCountInString(word) > 100:
			wrong = wrong.WithField(fmt.Sprintf("stop_words.%d", i), "A stop word must have at most 100 characters.")
		case optout.Normalize(word) == "":
			wrong = wrong.WithField(fmt.Sprintf("stop_words.%d", i), "A stop word must have letters or digits.")
		case says == optout.Start || says == optout.Help:
			wrong = wrong.WithField(fmt.Sprintf("stop_words.%d", i), fmt.Sprintf("The stop word %q already means %s.", word, says))
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// What happens to a message in the quiet hours of its recipient.
const (
	quietDefer  = "defer"
	QuietRefuse = "refuse"
)

// clockTime is a time of day.
var clockTime = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

// What becomes of a message that may be an opt-out.
const (
	ReviewPending   = "pending"
	ReviewOptedOut  = "opted_out"
	ReviewDismissed = "dismissed"
)
