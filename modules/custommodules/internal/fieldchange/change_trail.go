package fieldchange

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/platform/audit"
)

// changeItem is the type of a change of a field in the audit trail.
const changeItem = "custom_modules.field_change"

// recordChange notes in the audit trail that a change of a field has another state, with how far it got. What it
// made of a record is in the history of the record.
func (s *Service) recordChange(ctx context.Context, before definition.ChangeState, row definition.ChangeRow) error {
	changes := map[string]audit.Change{
		"field_uuid": {After: row.FieldID}, "change": {After: row.Kind},
		"records": {After: row.Total}, "changed": {After: row.Changed}, "failed": {After: row.Failed},
	}
	if row.IncomingID != nil {
		changes["new_field_uuid"] = audit.Change{After: *row.IncomingID}
	}
	if failing := DecisionOf(row).OnFailure; failing != "" {
		changes["on_failure"] = audit.Change{After: failing}
	}
	modeling.NoteChange(changes, "state", before, row.State)

	return s.Audit.Record(ctx, audit.Entry{
		Action: "custom_modules.field_change." + string(row.State), Item: audit.Item{Type: changeItem, UUID: row.ID, Part: row.ModuleID.String()}, Changes: changes,
	})
}

// changeOver tells of a change that is not being applied any more. Of the versions that it made of records nobody
// was told one by one, so who keeps a copy of the records has to read them again.
func (s *Service) changeOver(ctx context.Context, row definition.ChangeRow) error {
	if err := s.recordChange(ctx, definition.ChangeApplying, row); err != nil {
		return err
	}
	if err := s.reindexSearch(ctx, row); err != nil {
		return err
	}
	over := custommodulesapi.RecordsChanged{
		Module: row.ModuleID.String(), FieldChange: row.ID.String(), Field: row.FieldID.String(),
		Kind: string(row.Kind), State: string(row.State), Records: row.Changed,
	}
	if row.IncomingID != nil {
		over.NewField = row.IncomingID.String()
	}

	return s.Events.Publish(ctx, over)
}

// reindexSearch has the rows of an area entered anew into the index by which they are found, when a change of a field is over
// that has changed records and not rows. Changes of the type have that done by takePlace.
func (s *Service) reindexSearch(ctx context.Context, row definition.ChangeRow) error {
	if row.Kind != definition.ChangeRequired && row.Kind != definition.ChangeUnique {
		return nil
	}
	in, err := s.repo.Module(ctx, row.ModuleID)
	if err != nil || in.ItemType == "" {
		return err
	}
	of, err := s.repo.Field(ctx, row.ModuleID, row.FieldID)
	if err != nil || !of.Searchable {
		return err
	}

	return s.modeling.ReindexWords(ctx, in, of.ID)
}
