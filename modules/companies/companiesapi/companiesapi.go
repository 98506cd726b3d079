// Package companiesapi is what other areas may know of the companies area: its id, its brands and its events.
package companiesapi

import "context"

// Area is the id of the area.
const Area = "companies"

// Brand is how a company looks to its customers. All but the name may be "".
type Brand struct {
	Name         string `json:"name"`
	PrimaryColor string `json:"primary_color"`
	// Logo is the path of the company's logo at the service, which changes with the logo.
	Logo string `json:"logo"`
}

// Brands tells how companies look.
type Brands interface {
	// Brand returns the brand of the caller's company, whose name is that of the company if it has no other.
	Brand(ctx context.Context) (Brand, error)
	// Identity returns what the caller's company is by law.
	Identity(ctx context.Context) (Identity, error)
}

// Identity is what a company is by law, as its contracts name it. All but the name may be "".
type Identity struct {
	// LegalName is the name of the company if it has given no other.
	LegalName, DBA string
	// USDOT is digits, Docket has its prefix: MC-123456.
	USDOT, Docket string
	// Address are its lines.
	Address []string
	// TimeZone is a name of the IANA database.
	TimeZone string
}

// Letterheads has what the papers of companies say of who issues them.
type Letterheads interface {
	// Of returns the letterhead of the caller's company.
	Of(ctx context.Context) (Letterhead, error)
}

// PaperSize is what papers are printed on.
type PaperSize string

// The sizes of paper.
const (
	USLetter PaperSize = "letter"
	A4       PaperSize = "a4"
)

// Letterhead is what the papers of a company say of it. All but the name and the size may be empty.
type Letterhead struct {
	// LegalName is the name of the company if it has given no other.
	LegalName string
	// Address are its lines.
	Address []string
	// Phone is in the form of E.164.
	Phone, Email, Website string
	TaxID                 string
	// USDOT is digits, Docket has its prefix: MC-123456.
	USDOT, Docket string
	// RemitText says how to pay, Footer is at the end of each page. Both may have several lines.
	RemitText, Footer string
	Paper             PaperSize
}

// LetterheadUpdated says that the company's papers say something else of it.
type LetterheadUpdated struct{}

// EventName implements events.Event.
func (LetterheadUpdated) EventName() string { return "companies.letterhead.updated" }

// LogoUpdated says that the company has another logo.
type LogoUpdated struct {
	SHA256 string `json:"sha256"`
}

// EventName implements events.Event.
func (LogoUpdated) EventName() string { return "companies.logo.updated" }

// LogoRemoved says that the company no longer has a logo.
type LogoRemoved struct{}

// EventName implements events.Event.
func (LogoRemoved) EventName() string { return "companies.logo.removed" }

// CompanyCreated says that there is a new company: the one that the event belongs to.
type CompanyCreated struct {
	Name string `json:"name"`
}

// EventName implements events.Event.
func (CompanyCreated) EventName() string { return "companies.company.created" }

// CompanySuspended says that the company cannot be used until it is resumed.
type CompanySuspended struct{}

// EventName implements events.Event.
func (CompanySuspended) EventName() string { return "companies.company.suspended" }

// CompanyResumed says that the company can be used again.
type CompanyResumed struct{}

// EventName implements events.Event.
func (CompanyResumed) EventName() string { return "companies.company.resumed" }

// UserInvited says that somebody has an invitation. Its link is a secret of whoever made it, so the
// event does not have it.
type UserInvited struct {
	Invitation string `json:"invitation_uuid"`
	Email      string `json:"email"`
	Role       string `json:"role"`
}

// EventName implements events.Event.
func (UserInvited) EventName() string { return "companies.user.invited" }

// UserJoined says that somebody has accepted an invitation, and is a user now.
type UserJoined struct {
	User       string `json:"user_uuid"`
	Invitation string `json:"invitation_uuid"`
	Role       string `json:"role"`
}

// EventName implements events.Event.
func (UserJoined) EventName() string { return "companies.user.joined" }

// UserRoleChanged says that a user has another role.
type UserRoleChanged struct {
	User   string `json:"user_uuid"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// EventName implements events.Event.
func (UserRoleChanged) EventName() string { return "companies.user.role_changed" }

// UserDeactivated says that a user can do nothing any more.
type UserDeactivated struct {
	User string `json:"user_uuid"`
}

// EventName implements events.Event.
func (UserDeactivated) EventName() string { return "companies.user.deactivated" }

// UserReactivated says that a user who was deactivated is back.
type UserReactivated struct {
	User string `json:"user_uuid"`
}

// EventName implements events.Event.
func (UserReactivated) EventName() string { return "companies.user.reactivated" }
