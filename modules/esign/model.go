package esign

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

const (
	tableAccounts = "esign_accounts"
	tableKeys     = "esign_keys"
	columnSecret  = "secret"
)

// preferences is a row of esign_settings.
type preferences struct {
	database.Tenant
	ReturnHosts []string `gorm:"serializer:json"` // to which recipients may be led after signing; empty for the default
	Version     int64
	UpdatedAt   time.Time
}

// TableName implements GORM's naming.
func (preferences) TableName() string { return "esign_settings" }

// account is a row of esign_accounts.
type account struct {
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
func (account) TableName() string { return tableAccounts }

// key is a row of esign_keys.
type key struct {
	database.Tenant
	ID        uuid.UUID
	AccountID uuid.UUID
	Name      string
	Secret    []byte // sealed
	UsedAt    *time.Time
	CreatedAt time.Time
}

// TableName implements GORM's naming.
func (key) TableName() string { return tableKeys }

// client is a row of esign_clients.
type client struct {
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
func (client) TableName() string { return "esign_clients" }

// token is a row of esign_tokens.
type token struct {
	database.Tenant
	ID        uuid.UUID
	ClientID  uuid.UUID
	AccountID uuid.UUID
	Hash      []byte // SHA-256
	ExpiresAt time.Time
	CreatedAt time.Time
}

// TableName implements GORM's naming.
func (token) TableName() string { return "esign_tokens" }
