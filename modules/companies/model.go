package companies

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
)

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
