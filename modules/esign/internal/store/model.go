package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// What has sealed columns.
const (
	TableAccounts = "esign_accounts"
	TableKeys     = "esign_keys"
	ColumnSecret  = "secret"
)

// Preferences is a row of esign_settings.
type Preferences struct {
	database.Tenant
	ReturnHosts []string `gorm:"serializer:json"` // to which recipients may be led after signing; empty for the default
	Version     int64
	UpdatedAt   time.Time
}

// TableName implements GORM's naming.
func (Preferences) TableName() string { return "esign_settings" }

// Account is a row of esign_accounts.
type Account struct {
	vendoraccount.Account

	Environment    string     // one of the provider's
	ExternalID     string     // the account's at the provider, "" until it is known
	BaseURL        string     // where its API is, "" until it is known
	EndpointID     uuid.UUID  // the {uuid} of the receiver
	LastEndpointID *uuid.UUID // the one before
	Verification   string     // of notifications: automatic, bearer, hmac, both or either
	ReconciledTo   *time.Time // up to when the provider was asked what has changed
}

// TableName implements GORM's naming.
func (Account) TableName() string { return TableAccounts }

// Key is a row of esign_keys.
type Key struct {
	database.Tenant
	ID        uuid.UUID
	AccountID uuid.UUID
	Name      string
	Secret    []byte // sealed
	UsedAt    *time.Time
	CreatedAt time.Time
}

// TableName implements GORM's naming.
func (Key) TableName() string { return TableKeys }

// Client is a row of esign_clients.
type Client struct {
	database.Tenant
	ID         uuid.UUID
	AccountID  uuid.UUID
	Name       string
	SecretHash []byte // SHA-256
	UsedAt     *time.Time
	RevokedAt  *time.Time
	CreatedAt  time.Time
}

// TableName implements GORM's naming.
func (Client) TableName() string { return "esign_clients" }

// Token is a row of esign_tokens.
type Token struct {
	database.Tenant
	ID        uuid.UUID
	ClientID  uuid.UUID
	AccountID uuid.UUID
	Hash      []byte // SHA-256
	ExpiresAt time.Time
	CreatedAt time.Time
}

// TableName implements GORM's naming.
func (Token) TableName() string { return "esign_tokens" }
