package custommodules

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/audit"
)

// changeItem is the type of a change of a field in the audit trail.
const changeItem = "custom_modules.field_change"

// recordChange notes in the audit trail that a change of a field has another state, with how far it got. What it
// made of a record is in the history of the record.
func (s *service) recordChange(ctx context.Context, before changeState, row changeRow) error {
	changes := map[string]audit.Change{
		"field_uuid": {After: row.FieldID}, "change": {After: row.Kind},
		"records": {After: row.Total}, "changed": {After: row.Changed}, "failed": {After: row.Failed},
	}
	if row.IncomingID != nil {
		changes["new_field_uuid"] = audit.Change{After: *row.IncomingID}
	}
	if failing := row.decision().OnFailure; failing != "" {
		changes["on_failure"] = audit.Change{After: failing}
	}
	add(changes, "state", before, row.State)

	return s.audit.Record(ctx, audit.Entry{
		Action: "custom_modules.field_change." + string(row.State), Item: audit.Item{Type: changeItem, UUID: row.ID, Part: row.ModuleID.String()}, Changes: changes,
	})
}

// changeOver tells of a change that is not being applied any more. Of the versions that it made of records nobody
// was told one by one, so who keeps a copy of the records has to read them again.
func (s *service) changeOver(ctx context.Context, row changeRow) error {
	if err := s.recordChange(ctx, changeApplying, row); err != nil {
		return err
	}
	if err := s.searchAnew(ctx, row); err != nil {
		return err
	}
	over := custommodulesapi.RecordsChanged{
		Module: row.ModuleID.String(), FieldChange: row.ID.String(), Field: row.FieldID.String(),
		Kind: string(row.Kind), State: string(row.State), Records: row.Changed,
	}
	if row.IncomingID != nil {
		over.NewField = row.IncomingID.String()
	}

	return s.events.Publish(ctx, over)
}
