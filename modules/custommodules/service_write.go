package custommodules

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// writing is a record on the way from one version to the next.
type writing struct {
	verb       verb
	definition *definition
	// before is the record as it is; its Version is 0 for a new one.
	before recordRow
	// row is the record as it will be.
	row  recordRow
	made draft
	// seen says that nobody holds the record: it is stored if it is still what before says.
	seen    bool
	changes []fieldChange
	// unlinked says that the references are stored later.
	unlinked bool
	// read are records that it refers to and that are held, as far as they were read with others.
	read map[uuid.UUID]rawjson.Object
}

// settle runs the hooks of a record that is about to be stored, and applies what they amend.
func (s *service) settle(ctx context.Context, w *writing) error {
	d := w.definition
	if d.item() == "" && hook.Heard[custommodulesapi.RecordSaving](s.hooks) {
		saving := custommodulesapi.RecordSaving{
			Module: d.module.String(), Record: w.row.ID.String(), After: d.appendPayload(nil, w.made.document),
		}
		if w.before.Version > 0 {
			saving.Before = d.appendPayload(nil, w.before.Data)
		}
		if err := hook.Run(ctx, s.hooks, &saving); err != nil {
			return err
		}
		if err := w.amend(saving.Amendment); err != nil {
			return err
		}
	}
	if w.verb == created {
		if err := s.number(ctx, w); err != nil {
			return err
		}
	}
	if err := s.followReferences(ctx, w); err != nil {
		return err
	}
	w.row.Data, w.row.SchemaRevision = w.made.document, d.revision
	w.changes = d.diff(w.before.Data, w.row.Data)

	return nil
}

// amend applies what hooks set.
func (w *writing) amend(amendment map[string]any) error {
	if len(amendment) == 0 {
		return nil
	}
	patch, err := json.Marshal(amendment)
	if err != nil {
		return fmt.Errorf("amendment of a hook: %w", err)
	}
	made, found := w.definition.amend(w.made.document, patch, true)
	if err := found.as(errInvalidPayload, "payload"); err != nil {
		return err
	}
	warnings := w.made.warnings
	w.made = w.definition.reread(made.document)
	w.made.warnings = warnings

	return nil
}

// stored tells of records that were stored: the history, the audit trail, and whoever listens.
func (s *service) stored(ctx context.Context, all ...*writing) error {
	if err := s.keepWords(ctx, all); err != nil {
		return err
	}
	var versions []historyRow
	told := make([]events.Event, 0, len(all))
	for _, w := range all {
		if err := s.markWritten(ctx, w); err != nil {
			return err
		}
		if w.row.Version > 1 {
			versions = append(versions, s.historyOf(ctx, w))
		}
		if err := s.meter.count(ctx, w.row, w.verb); err != nil {
			return err
		}
		if w.definition.item() == "" {
			told = append(told, w.event(ctx))
		}
	}
	if err := s.repo.note(ctx, versions); err != nil {
		return err
	}
	if err := s.events.Publish(ctx, told...); err != nil {
		return err
	}
	for _, w := range all {
		if w.definition.item() != "" {
			continue
		}
		err := s.audit.Record(ctx, audit.Entry{
			Action: "custom_modules.record." + string(w.verb), Item: audit.Item{Type: recordItem, UUID: w.row.ID, Part: w.row.ModuleID.String()},
			Changes: auditedChanges(w),
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// event is what others hear of it.
func (w *writing) event(ctx context.Context) events.Event {
	about := custommodulesapi.Record{Module: w.row.ModuleID.String(), Record: w.row.ID.String(), Version: w.row.Version, Source: history.SourceOf(ctx)}
	switch w.verb {
	case created:
		return custommodulesapi.RecordCreated{Record: about}
	case deleted:
		return custommodulesapi.RecordDeleted{Record: about}
	case restored:
		return custommodulesapi.RecordRestored{Record: about}
	case updated:
	}
	var changed []string
	for _, c := range visible(w.changes) {
		changed = append(changed, c.field.key)
	}

	return custommodulesapi.RecordUpdated{Record: about, Changed: changed}
}

// auditedChanges are the values that a change replaced. What a new record holds is in the record.
func auditedChanges(w *writing) map[string]audit.Change {
	if w.verb != updated {
		return nil
	}
	changes := map[string]audit.Change{}
	for _, c := range visible(w.changes) {
		if c.field.sensitive { // that it changed is all that the trail keeps
			changes[c.field.key] = audit.Change{}

			continue
		}
		changes[c.field.key] = audit.Change{Before: rawOrNil(c.before), After: rawOrNil(c.after)}
	}

	return changes
}

func rawOrNil(raw []byte) any {
	if raw == nil {
		return nil
	}

	return json.RawMessage(raw)
}

// historyOf is the row of the history for a version.
func (s *service) historyOf(ctx context.Context, w *writing) historyRow {
	changes := w.changes
	if w.verb != deleted {
		changes = append(slices.Clone(changes), w.definition.aside(w.before.Data, w.row.Data, w.changes)...)
	}

	return historyRow{
		RecordID: w.row.ID, Changes: encodeChanges(changes),
		Stamp: history.StampOf(ctx, w.row.Version, string(w.verb), w.row.UpdatedAt),
	}
}
