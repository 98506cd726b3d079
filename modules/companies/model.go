package companies

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// brand is a row of companies_brands: how the company looks to its customers. Texts may be empty.
// Version is 0 where nobody has said anything.
type brand struct {
	database.Tenant
	Name           string
	PrimaryColor   string
	SecondaryColor string
	AccentColor    string
	LogoURL        string
	Domain         string
	FromAddress    string
	Version        int64
	UpdatedAt      time.Time
}

// TableName implements GORM's naming.
func (brand) TableName() string { return "companies_brands" }

// invitation is a row of companies_invitations.
type invitation struct {
	database.Tenant
	ID         uuid.UUID
	Email      string
	Name       string
	Role       identity.Role
	InvitedBy  *uuid.UUID
	UserID     *uuid.UUID
	CreatedAt  time.Time
	ExpiresAt  time.Time
	AcceptedAt *time.Time
	RevokedAt  *time.Time
	Version    int64
}

// TableName implements GORM's naming.
func (invitation) TableName() string { return "companies_invitations" }

// sortKey returns the value of a field of invitationList.
func (i invitation) sortKey(field string) any {
	if field == "created_at" {
		return i.CreatedAt
	}

	return i.ID
}

// The states of an invitation.
const (
	invited  = "open"
	accepted = "accepted"
	revoked  = "revoked"
	expired  = "expired"
)

// status says where the invitation stands at a time.
func (i invitation) status(now time.Time) string {
	switch {
	case i.AcceptedAt != nil:
		return accepted
	case i.RevokedAt != nil:
		return revoked
	case !now.Before(i.ExpiresAt):
		return expired
	default:
		return invited
	}
}
