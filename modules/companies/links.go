package companies

import (
	"github.com/dispatchd/dispatchd/platform/link"
)

// The items of the area, as the audit trail and links name them.
const (
	companyItem    = "companies.company"
	userItem       = "companies.user"
	invitationItem = "companies.invitation"
	roleItem       = "companies.role"
)

// What the links of the area are for.
const (
	inviting  link.Purpose = "companies.invitation"
	resetting link.Purpose = "companies.password_reset"
)
