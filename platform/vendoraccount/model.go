package vendoraccount

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Credentials is the column of what an account has of its vendor, sealed: the area declares it as a secret.Column.
const Credentials = "credentials"

// The healths of accounts.
const (
	Unchecked = "unchecked"
	Connected = "connected"
	Failing   = "failing"
)

// Account is what every account has. The area's row embeds it, and its table has these columns, a unique key of company_id
// and name, and a unique index of company_id WHERE is_default.
type Account struct {
	database.Tenant

	ID          uuid.UUID
	Name        string
	Provider    string // the vendor
	Credentials []byte // sealed
	IsDefault   bool
	DisabledAt  *time.Time
	Health      string // Unchecked, Connected or Failing
	Problem     string // why it is Failing, a reason of the area's
	CheckedAt   *time.Time
	Version     int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Row is a pointer to an area's row: a struct that embeds Account.
type Row[A any] interface {
	*A
	TableName() string
	Common() *Account
}

// Common returns what the row has in common with the accounts of other areas.
func (a *Account) Common() *Account { return a }

// columns are those of Account that are stored again.
var columns = []string{
	"name", Credentials, "is_default", "disabled_at", "health", "problem", "checked_at", "version", "updated_at",
}

func (a *Account) sortKey(field string) any {
	switch field {
	case "name":
		return a.Name
	case "created_at":
		return a.CreatedAt
	default:
		return a.ID
	}
}
