package link

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

type row struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	Purpose     Purpose
	SubjectType string
	SubjectID   uuid.UUID
	HolderType  *string
	HolderID    *uuid.UUID
	Payload     database.JSON
	Prefix      string
	Hash        []byte
	MaxUses     int
	Uses        int
	CreatedBy   *uuid.UUID
	CreatedAt   time.Time
	ExpiresAt   time.Time
	RevokedAt   *time.Time
	LastUsedAt  *time.Time

	// PortalOff is read alone, by repository.find: whether the portal of the link is off.
	PortalOff bool `gorm:"->"`
}

// TableName implements the naming that GORM asks for.
func (row) TableName() string { return "link_links" }

func newRow(l Link, d digest) row {
	r := row{
		ID: l.ID, Purpose: l.Purpose, SubjectType: l.Subject.Type, SubjectID: l.Subject.ID, Payload: database.JSON(l.Payload),
		Prefix: l.Prefix, Hash: d[:], MaxUses: l.MaxUses, CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt,
	}
	if l.CreatedBy != uuid.Nil {
		r.CreatedBy = &l.CreatedBy
	}
	if l.Holder != (Subject{}) {
		r.HolderType, r.HolderID = &l.Holder.Type, &l.Holder.ID
	}

	return r
}

func (r row) link() Link {
	l := Link{
		ID: r.ID, Company: r.CompanyID, Purpose: r.Purpose, Subject: Subject{Type: r.SubjectType, ID: r.SubjectID},
		Payload: json.RawMessage(r.Payload), Prefix: r.Prefix, MaxUses: r.MaxUses, Uses: r.Uses,
		CreatedBy: valueOf(r.CreatedBy), CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, RevokedAt: r.RevokedAt, LastUsedAt: r.LastUsedAt,
		portalOff: r.PortalOff,
	}
	if r.HolderType != nil {
		l.Holder = Subject{Type: *r.HolderType, ID: valueOf(r.HolderID)}
	}

	return l
}

// portalRow is a portal that a company has switched off.
type portalRow struct {
	database.Tenant

	Portal   Portal `gorm:"primaryKey"`
	OffSince time.Time
	OffBy    *uuid.UUID
}

// TableName implements the naming that GORM asks for.
func (portalRow) TableName() string { return "link_portals" }
