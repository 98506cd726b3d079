package custommodules

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// recordModule tells of a module that was made or changed; before is the zero row for a new one.
func (s *service) recordModule(ctx context.Context, before, after moduleRow) error {
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
	if err := s.events.Publish(ctx, event); err != nil {
		return err
	}
	changes := map[string]audit.Change{}
	add(changes, "name", before.Name, after.Name)
	add(changes, "description", before.Description, after.Description)
	add(changes, "title_field_uuid", valueOf(before.TitleField), valueOf(after.TitleField))
	if !reflect.DeepEqual(before.Permissions.shown(), after.Permissions.shown()) {
		changes["permissions"] = audit.Change{Before: before.Permissions.shown(), After: after.Permissions.shown()}
	}
	add(changes, "archived", before.ArchivedAt != nil, after.ArchivedAt != nil)

	return s.audit.Record(ctx, audit.Entry{Action: action, Item: audit.Item{Type: "custom_modules.module", UUID: after.ID, Part: after.ID.String()}, Changes: changes})
}

// recordField tells of a field that came, changed or went; before is nil for a new one.
func (s *service) recordField(ctx context.Context, before *fieldRow, after fieldRow) error {
	action := "custom_modules.field.updated"
	var old fieldRow
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
	add(changes, "key", old.Key, after.Key)
	add(changes, "label", old.Label, after.Label)
	add(changes, "type", old.Type, after.Type)
	add(changes, "required", old.Required, after.Required)
	add(changes, "unique", old.IsUnique, after.IsUnique)
	add(changes, "read_only", old.ReadOnly, after.ReadOnly)
	add(changes, "sensitive", old.Sensitive, after.Sensitive)
	add(changes, "indexed", old.Slot != nil, after.Slot != nil)
	if !rawjson.Same(old.Options, after.Options) {
		changes["options"] = audit.Change{Before: rawOrNil(old.Options), After: rawOrNil(after.Options)}
	}
	about := audit.Item{Type: "custom_modules.field", UUID: after.ID, Part: after.ModuleID.String()}
	if of := ownOf(ctx); of != "" { // everybody who reads the trail knows of the collection
		about.Part = ""
		changes["collection"] = audit.Change{After: of}
	}
	event := custommodulesapi.ModuleUpdated{Module: custommodulesapi.Module{Module: after.ModuleID.String()}}
	if err := s.events.Publish(ctx, event); err != nil {
		return err
	}

	return s.audit.Record(ctx, audit.Entry{Action: action, Item: about, Changes: changes})
}

// add notes a value that differs.
func add[T comparable](to map[string]audit.Change, key string, before, after T) {
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
