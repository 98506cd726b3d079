package store

import (
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/audit"
)

// changedFields are the values that a write has changed, by the keys of the API.
type changedFields map[string]audit.Change

func (c changedFields) note(key string, before, after any, changed bool) {
	if changed {
		c[key] = audit.Change{Before: before, After: after}
	}
}

// ChangesSince is what has changed, for the audit trail.
func (row CompanyLimits) ChangesSince(before CompanyLimits) map[string]audit.Change {
	changes := changedFields{}
	changes.note("max_size", before.MaxSize, row.MaxSize, before.MaxSize != row.MaxSize)
	changes.note("max_company_size", before.MaxCompanySize, row.MaxCompanySize, before.MaxCompanySize != row.MaxCompanySize)
	changes.note("types", strings.Join(before.Types, ", "), strings.Join(row.Types, ", "), !slices.Equal(before.Types, row.Types))

	return changes
}

// ChangesSince returns what of the description has changed, for the audit trail.
func (row Attachment) ChangesSince(before Attachment) map[string]audit.Change {
	changes := changedFields{}
	changes.note("owner_type", before.OwnerType, row.OwnerType, before.OwnerType != row.OwnerType)
	changes.note("owner_uuid", before.OwnerID, row.OwnerID, before.Owner() != row.Owner())
	changes.note("category", before.Category, row.Category, before.Category != row.Category)
	changes.note("visibility", before.Visibility, row.Visibility, before.Visibility != row.Visibility)
	changes.note("title", before.Title, row.Title, before.Title != row.Title)
	changes.note("file_name", before.FileName, row.FileName, before.FileName != row.FileName)
	changes.note("expires_at", before.ExpiresAt, row.ExpiresAt, !sameTime(before.ExpiresAt, row.ExpiresAt))

	return changes
}

func sameTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }
