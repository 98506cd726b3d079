package identity

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

type companyRow struct {
	database.Global

	ID          uuid.UUID `gorm:"primaryKey"`
	Name        string
	LegalName   string
	DBA         string `gorm:"column:dba"`
	USDOTNumber string `gorm:"column:usdot_number"`
	MCNumber    string `gorm:"column:mc_number"`
	Street      string
	City        string
	State       string
	PostalCode  string
	Country     string
	TimeZone    string
	Currency    string
	SuspendedAt *time.Time
	Version     int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// TableName implements the naming that GORM asks for.
func (companyRow) TableName() string { return "identity_companies" }

func newCompanyRow(c Company) companyRow {
	return companyRow{
		ID: c.ID, Name: c.Name, LegalName: c.LegalName, DBA: c.DBA, USDOTNumber: c.USDOTNumber, MCNumber: c.MCNumber,
		Street: c.Address.Street, City: c.Address.City, State: c.Address.State, PostalCode: c.Address.PostalCode,
		Country: c.Address.Country, TimeZone: c.TimeZone, Currency: c.Currency, SuspendedAt: c.SuspendedAt,
		Version: c.Version, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}

func (r companyRow) company() Company {
	return Company{
		ID: r.ID, Name: r.Name,
		Profile: Profile{
			LegalName: r.LegalName, DBA: r.DBA, USDOTNumber: r.USDOTNumber, MCNumber: r.MCNumber,
			Address:  Address{Street: r.Street, City: r.City, State: r.State, PostalCode: r.PostalCode, Country: r.Country},
			TimeZone: r.TimeZone, Currency: r.Currency,
		},
		SuspendedAt: r.SuspendedAt, Version: r.Version, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

type userRow struct {
	database.Tenant

	ID            uuid.UUID `gorm:"primaryKey"`
	Name          string
	Email         string
	Role          Role
	PasswordHash  string
	LastLoginAt   *time.Time
	DeactivatedAt *time.Time
	Version       int64
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// TableName implements the naming that GORM asks for.
func (userRow) TableName() string { return "identity_users" }

func (r userRow) user() User {
	return User{
		ID: r.ID, Company: r.CompanyID, Name: r.Name, Email: r.Email, Role: r.Role,
		HasPassword: r.PasswordHash != "", LastLoginAt: r.LastLoginAt, DeactivatedAt: r.DeactivatedAt,
		Version: r.Version, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// roleRow is a role that a company has defined.
type roleRow struct {
	database.Tenant

	ID        uuid.UUID `gorm:"primaryKey"`
	Name      Role
	Title     string
	Scopes    string // separated by spaces, as in OAuth
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// TableName implements the naming that GORM asks for.
func (roleRow) TableName() string { return "identity_roles" }

func (r roleRow) role() OwnRole {
	return OwnRole{
		ID: r.ID, Name: r.Name, Title: r.Title, Scopes: strings.Fields(r.Scopes),
		Version: r.Version, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// attemptRow is the attempts to show a password under a key, see attemptKey. The account may not exist.
type attemptRow struct {
	database.Global

	Account      []byte `gorm:"primaryKey"`
	Failures     int64
	LockedUntil  *time.Time
	LastAt       time.Time
	TrustedUntil *time.Time
}

// TableName implements the naming that GORM asks for.
func (attemptRow) TableName() string { return "identity_attempts" }

// secretRow is what tokens of companies and of the operator have in common.
type secretRow struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	Name       string
	Prefix     string
	Hash       []byte
	Scopes     string // separated by spaces, as in OAuth
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
	LastUsedAt *time.Time
	CreatedAt  time.Time
}

func newSecretRow(t Token, d digest) secretRow {
	return secretRow{
		ID: t.ID, Name: t.Name, Prefix: t.Prefix, Hash: d[:], Scopes: strings.Join(t.Scopes, " "),
		ExpiresAt: t.ExpiresAt, CreatedAt: t.CreatedAt,
	}
}

type tokenRow struct {
	database.Tenant
	Secret secretRow `gorm:"embedded"`

	UserID *uuid.UUID
	Login  bool
}

// TableName implements the naming that GORM asks for.
func (tokenRow) TableName() string { return "identity_tokens" }

func newTokenRow(t Token, d digest) tokenRow {
	row := tokenRow{Secret: newSecretRow(t, d), Login: t.Login}
	if t.User != uuid.Nil {
		row.UserID = &t.User
	}

	return row
}

func (r tokenRow) token() Token {
	token := Token{
		ID: r.Secret.ID, Company: r.CompanyID, Name: r.Secret.Name, Prefix: r.Secret.Prefix, Scopes: strings.Fields(r.Secret.Scopes),
		Login: r.Login, ExpiresAt: r.Secret.ExpiresAt, RevokedAt: r.Secret.RevokedAt, LastUsedAt: r.Secret.LastUsedAt, CreatedAt: r.Secret.CreatedAt,
	}
	if r.UserID != nil {
		token.User = *r.UserID
	}

	return token
}

type operatorTokenRow struct {
	database.Global
	Secret secretRow `gorm:"embedded"`
}

// TableName implements the naming that GORM asks for.
func (operatorTokenRow) TableName() string { return "identity_operator_tokens" }

// factsRow is a token with what decides about it.
type factsRow struct {
	CompanyID     uuid.UUID
	ID            uuid.UUID
	UserID        *uuid.UUID
	Scopes        string
	ExpiresAt     *time.Time
	RevokedAt     *time.Time
	LastUsedAt    *time.Time
	Role          *Role
	RoleScopes    *string
	DeactivatedAt *time.Time
	SuspendedAt   *time.Time
}

// roleScopes are the scopes of the user's role: a built-in one, or one of the company.
func (r factsRow) roleScopes(builtIn Roles) []string {
	if scopes, found := builtIn[deref(r.Role)]; found {
		return scopes
	}

	return strings.Fields(deref(r.RoleScopes))
}

func (r factsRow) facts(builtIn Roles) facts {
	who := principal.Principal{Company: r.CompanyID, Token: r.ID, Scopes: strings.Fields(r.Scopes)}
	switch {
	case r.CompanyID == uuid.Nil:
		who.Kind = principal.Operator
	case r.UserID != nil:
		who.Kind, who.User = principal.User, *r.UserID
		who.Role, who.Scopes = string(deref(r.Role)), IntersectScopes(who.Scopes, r.roleScopes(builtIn))
	default:
		who.Kind = principal.Service
	}

	return facts{
		principal: who, expiresAt: r.ExpiresAt, revoked: r.RevokedAt != nil, deactivated: r.DeactivatedAt != nil,
		suspended: r.SuspendedAt != nil, lastUsedAt: deref(r.LastUsedAt),
	}
}

// deref returns what p points to, the zero value if that is nothing.
func deref[T any](p *T) T {
	if p == nil {
		return *new(T)
	}

	return *p
}
