package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
)

// trail tells the audit trail which fields were changed.
type trail struct{ log *audit.Log }

func newTrail(log *audit.Log) *trail { return &trail{log: log} }

// updated records what differs between two bodies. Where nothing does, the entry of the operation stays.
func (t *trail) updated(ctx context.Context, item string, id uuid.UUID, before, after any) error {
	changes, err := audit.Diff(before, after)
	if err != nil || len(changes) == 0 {
		return err
	}

	return t.log.Record(ctx, audit.Entry{Action: item + ".updated", Item: audit.Item{Type: item, UUID: id}, Changes: changes})
}

// What is recorded, by the types of items.
const (
	settingsItem    = "sms.settings"
	numberItem      = "sms.number"
	userDefaultItem = "sms.user_default"
)

// defaultChanged records another default number, of a user or, as part of the settings, of the company.
func (t *trail) defaultChanged(ctx context.Context, item string, id uuid.UUID, before, after *uuid.UUID) error {
	key := map[string]string{settingsItem: "default_number_uuid", userDefaultItem: "number_uuid"}[item]

	return t.updated(ctx, item, id, map[string]*uuid.UUID{key: before}, map[string]*uuid.UUID{key: after})
}
