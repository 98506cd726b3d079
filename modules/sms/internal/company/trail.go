package company

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
)

// Trail records in the audit trail which fields were changed.
type Trail struct{ log *audit.Log }

// NewTrail returns a Trail.
func NewTrail(log *audit.Log) *Trail { return &Trail{log: log} }

// Updated records what differs between two bodies. Where nothing does, the entry of the operation stays.
func (t *Trail) Updated(ctx context.Context, item string, id uuid.UUID, before, after any) error {
	changes, err := audit.Diff(before, after)
	if err != nil || len(changes) == 0 {
		return err
	}

	return t.log.Record(ctx, audit.Entry{Action: item + ".updated", Item: audit.Item{Type: item, UUID: id}, Changes: changes})
}

// What is recorded, by the types of items.
const (
	SettingsItem    = "sms.settings"
	NumberItem      = "sms.number"
	UserDefaultItem = "sms.user_default"
)

// DefaultChanged records another default number, of a user or, as part of the settings, of the company.
func (t *Trail) DefaultChanged(ctx context.Context, item string, id uuid.UUID, before, after *uuid.UUID) error {
	key := map[string]string{SettingsItem: "default_number_uuid", UserDefaultItem: "number_uuid"}[item]

	return t.Updated(ctx, item, id, map[string]*uuid.UUID{key: before}, map[string]*uuid.UUID{key: after})
}
