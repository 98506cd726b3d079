// Package custommodulesapi is what other areas may know of custom modules: the area's id, its events and
// its hooks. Fields are named by their keys, as in payloads. Ids are UUIDs as text.
package custommodulesapi

import "encoding/json"

// Area is the id of the area.
const Area = "custom_modules"

// Record says which record something is about.
type Record struct {
	Module  string `json:"module_uuid"`
	Record  string `json:"record_uuid"`
	Version int64  `json:"version"`
	// Source is where the change came from, if it was no request: "import:<uuid>".
	Source string `json:"source,omitempty"`
}

// RecordCreated says that a record is there.
type RecordCreated struct{ Record }

// EventName implements events.Event.
func (RecordCreated) EventName() string { return "custom_modules.record.created" }

// RecordUpdated says that a record has another version.
type RecordUpdated struct {
	Record

	// Changed are the keys of the fields whose values differ.
	Changed []string `json:"changed"`
}

// EventName implements events.Event.
func (RecordUpdated) EventName() string { return "custom_modules.record.updated" }

// RecordDeleted says that a record is gone until it is restored.
type RecordDeleted struct{ Record }

// EventName implements events.Event.
func (RecordDeleted) EventName() string { return "custom_modules.record.deleted" }

// RecordRestored says that a record which was deleted is there again.
type RecordRestored struct{ Record }

// EventName implements events.Event.
func (RecordRestored) EventName() string { return "custom_modules.record.restored" }

// RecordsChanged says that a change of a field has gone through a module's records, and is over. No event tells of
// the versions that it made: who keeps a copy of the records reads them again.
type RecordsChanged struct {
	Module      string `json:"module_uuid"`
	FieldChange string `json:"field_change_uuid"`
	Field       string `json:"field_uuid"`
	// NewField has taken the place of the field, "" if none has.
	NewField string `json:"new_field_uuid,omitempty"`
	// Kind is type, required, unique or delete; State applied, or stopped or cancelled on the way.
	Kind  string `json:"change"`
	State string `json:"state"`
	// Records counts those that got a new version.
	Records int64 `json:"records"`
}

// EventName implements events.Event.
func (RecordsChanged) EventName() string { return "custom_modules.module.records_changed" }

// SavingHook and DeletingHook are the names of the hooks.
const (
	SavingHook   = "custom_modules.record.before_save"
	DeletingHook = "custom_modules.record.before_delete"
)

// RecordSaving is the hook before a record is created, changed or restored. A handler may refuse with an
// *errs.Error, or amend the record with Set.
type RecordSaving struct {
	Module string
	Record string
	// Before is the payload as it is, nil for a new record; After as it is about to be.
	Before, After json.RawMessage
	// Amendment is a merge patch (RFC 7396) that is applied to After when all handlers have run, nil
	// if nobody amends. It may set read-only fields.
	Amendment map[string]any
}

// Set amends one field; nil clears it. The last one to set a field wins.
func (s *RecordSaving) Set(key string, value any) {
	if s.Amendment == nil {
		s.Amendment = map[string]any{}
	}
	s.Amendment[key] = value
}

// RecordDeleting is the hook before a record is deleted. A handler may refuse with an *errs.Error.
type RecordDeleting struct {
	Module  string
	Record  string
	Payload json.RawMessage
}

// Module says which module something is about. Name is empty where a field of it changed.
type Module struct {
	Module string `json:"module_uuid"`
	Name   string `json:"name,omitempty"`
}

// ModuleCreated says that a module is there.
type ModuleCreated struct{ Module }

// EventName implements events.Event.
func (ModuleCreated) EventName() string { return "custom_modules.module.created" }

// ModuleUpdated says that a module, or a field of it, has changed.
type ModuleUpdated struct{ Module }

// EventName implements events.Event.
func (ModuleUpdated) EventName() string { return "custom_modules.module.updated" }

// ModuleDeleted says that a module is gone, with its records, until it is restored.
type ModuleDeleted struct{ Module }

// EventName implements events.Event.
func (ModuleDeleted) EventName() string { return "custom_modules.module.deleted" }

// ModuleRestored says that a module which was deleted is there again, with its records.
type ModuleRestored struct{ Module }

// EventName implements events.Event.
func (ModuleRestored) EventName() string { return "custom_modules.module.restored" }
