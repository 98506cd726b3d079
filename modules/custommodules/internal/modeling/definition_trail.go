package modeling

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// recordModule tells of a module that was made or changed; before is the zero row for a new one.
func (s *Service) recordModule(ctx context.Context, before, after definition.ModuleRow) error {
	about := custommodulesapi.Module{Module: after.ID.String(), Name: after.Name}
	action, event := "custom_modules.module.updated", events.Event(custommodulesapi.ModuleUpdated{Module: about})
	switch {
	case before.ID == uuid.Nil:
		action, event = "custom_modules.module.created", custommodulesapi.ModuleCreated{Module: about}
	case before.DeletedAt == nil && after.DeletedAt != nil:
		action, event = "custom_modules.module.deleted", custommodulesapi.ModuleDeleted{Module: about}
	case before.DeletedAt != nil:
		action, event = "custom_modules.module.restored", custommodulesapi.ModuleRestored{Module: about}
	}
	if err := s.Events.Publish(ctx, event); err != nil {
		return err
	}
	changes := map[string]audit.Change{}
	NoteChange(changes, "name", before.Name, after.Name)
	NoteChange(changes, "description", before.Description, after.Description)
	NoteChange(changes, "title_field_uuid", valueOf(before.TitleField), valueOf(after.TitleField))
	if !reflect.DeepEqual(before.Permissions.Shown(), after.Permissions.Shown()) {
		changes["permissions"] = audit.Change{Before: before.Permissions.Shown(), After: after.Permissions.Shown()}
	}
	NoteChange(changes, "archived", before.ArchivedAt != nil, after.ArchivedAt != nil)

	return s.Audit.Record(ctx, audit.Entry{Action: action, Item: audit.Item{Type: "custom_modules.module", UUID: after.ID, Part: after.ID.String()}, Changes: changes})
}

// RecordField tells of a field that came, changed or went; before is nil for a new one.
func (s *Service) RecordField(ctx context.Context, before *definition.FieldRow, after definition.FieldRow) error {
	action := "custom_modules.field.updated"
	var old definition.FieldRow
	switch {
	case before == nil:
		action = "custom_modules.field.created"
	case after.DeletedAt != nil:
		action, old = "custom_modules.field.deleted", *before
	case before.DeletedAt != nil:
		action, old = "custom_modules.field.restored", *before
	default:
		old = *before
	}
	changes := map[string]audit.Change{}
	NoteChange(changes, "key", old.Key, after.Key)
	NoteChange(changes, "label", old.Label, after.Label)
	NoteChange(changes, "type", old.Type, after.Type)
	NoteChange(changes, "required", old.Required, after.Required)
	NoteChange(changes, "unique", old.IsUnique, after.IsUnique)
	NoteChange(changes, "read_only", old.ReadOnly, after.ReadOnly)
	NoteChange(changes, "sensitive", old.Sensitive, after.Sensitive)
	NoteChange(changes, "indexed", old.Slot != nil, after.Slot != nil)
	if !rawjson.Equal(old.Options, after.Options) {
		changes["options"] = audit.Change{Before: definition.RawOrNil(old.Options), After: definition.RawOrNil(after.Options)}
	}
	about := audit.Item{Type: "custom_modules.field", UUID: after.ID, Part: after.ModuleID.String()}
	if of := definition.OwnOf(ctx); of != "" { // everybody who reads the trail knows of the collection
		about.Part = ""
		changes["collection"] = audit.Change{After: of}
	}
	event := custommodulesapi.ModuleUpdated{Module: custommodulesapi.Module{Module: after.ModuleID.String()}}
	if err := s.Events.Publish(ctx, event); err != nil {
		return err
	}

	return s.Audit.Record(ctx, audit.Entry{Action: action, Item: about, Changes: changes})
}

// NoteChange notes a value that differs.
func NoteChange[T comparable](to map[string]audit.Change, key string, before, after T) {
	if before != after {
		to[key] = audit.Change{Before: before, After: after}
	}
}

func valueOf(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}

	return *id
}
