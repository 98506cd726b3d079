package records

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
)

// runSavingHooks runs the hooks of a record that is about to be stored, and applies what they amend.
func (s *Service) runSavingHooks(ctx context.Context, w *store.Writing) error {
	d := w.Definition
	if d.Item() == "" && hook.HasListeners[custommodulesapi.RecordSaving](s.hooks) {
		saving := custommodulesapi.RecordSaving{
			Module: d.Module.String(), Record: w.Row.ID.String(), After: d.AppendPayload(nil, w.Made.Document),
		}
		if w.Before.Version > 0 {
			saving.Before = d.AppendPayload(nil, w.Before.Data)
		}
		if err := hook.Run(ctx, s.hooks, &saving); err != nil {
			return err
		}
		if err := w.Amend(saving.Amendment); err != nil {
			return err
		}
	}
	if w.Verb == definition.Created {
		if err := s.number(ctx, w); err != nil {
			return err
		}
	}
	if err := s.followReferences(ctx, w); err != nil {
		return err
	}
	w.Row.Data, w.Row.SchemaRevision = w.Made.Document, d.Revision
	w.Changes = d.Diff(w.Before.Data, w.Row.Data)

	return nil
}

// stored tells of records that were stored: the history, the audit trail, and whoever listens.
func (s *Service) stored(ctx context.Context, all ...*store.Writing) error {
	if err := s.KeepWords(ctx, all); err != nil {
		return err
	}
	var versions []definition.HistoryRow
	told := make([]events.Event, 0, len(all))
	for _, w := range all {
		if err := s.MarkWritten(ctx, w); err != nil {
			return err
		}
		if w.Row.Version > 1 {
			versions = append(versions, s.HistoryOf(ctx, w))
		}
		if err := s.meter.Count(ctx, w.Row, w.Verb); err != nil {
			return err
		}
		if w.Definition.Item() == "" {
			told = append(told, eventOf(ctx, w))
		}
	}
	if err := s.repo.AddHistory(ctx, versions); err != nil {
		return err
	}
	if err := s.Events.Publish(ctx, told...); err != nil {
		return err
	}
	for _, w := range all {
		if w.Definition.Item() != "" {
			continue
		}
		err := s.Audit.Record(ctx, audit.Entry{
			Action: "custom_modules.record." + string(w.Verb), Item: audit.Item{Type: definition.RecordItem, UUID: w.Row.ID, Part: w.Row.ModuleID.String()},
			Changes: AuditedChanges(w),
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// eventOf is what others hear of it.
func eventOf(ctx context.Context, w *store.Writing) events.Event {
	about := custommodulesapi.Record{Module: w.Row.ModuleID.String(), Record: w.Row.ID.String(), Version: w.Row.Version, Source: history.SourceOf(ctx)}
	switch w.Verb {
	case definition.Created:
		return custommodulesapi.RecordCreated{Record: about}
	case definition.Deleted:
		return custommodulesapi.RecordDeleted{Record: about}
	case definition.Restored:
		return custommodulesapi.RecordRestored{Record: about}
	case definition.Updated:
	}
	var changed []string
	for _, c := range definition.VisibleChanges(w.Changes) {
		changed = append(changed, c.Field.Key)
	}

	return custommodulesapi.RecordUpdated{Record: about, Changed: changed}
}

// AuditedChanges are the values that a change replaced. What a new record holds is in the record.
func AuditedChanges(w *store.Writing) map[string]audit.Change {
	if w.Verb != definition.Updated {
		return nil
	}
	changes := map[string]audit.Change{}
	for _, c := range definition.VisibleChanges(w.Changes) {
		if c.Field.Sensitive { // that it changed is all that the trail keeps
			changes[c.Field.Key] = audit.Change{}

			continue
		}
		changes[c.Field.Key] = audit.Change{Before: definition.RawOrNil(c.Before), After: definition.RawOrNil(c.After)}
	}

	return changes
}

// HistoryOf is the row of the history for a version.
func (s *Service) HistoryOf(ctx context.Context, w *store.Writing) definition.HistoryRow {
	changes := w.Changes
	if w.Verb != definition.Deleted {
		changes = append(slices.Clone(changes), w.Definition.Aside(w.Before.Data, w.Row.Data, w.Changes)...)
	}

	return definition.HistoryRow{
		RecordID: w.Row.ID, Changes: EncodeChanges(changes),
		Stamp: history.StampOf(ctx, w.Row.Version, string(w.Verb), w.Row.UpdatedAt),
	}
}
