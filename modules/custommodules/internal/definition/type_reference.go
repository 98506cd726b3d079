package definition

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// OnDelete says what becomes of a reference when the record that it points at is deleted.
type OnDelete string

// The ways; restrict is the default.
const (
	Restrict OnDelete = "restrict"
	SetNull  OnDelete = "set_null"
	Cascade  OnDelete = "cascade"
)

const errReference = field.Error(`must be a reference: {"record_uuid": "…"}.`)

// Reference points at a record of another module of the same company.
type Reference struct {
	recordCells

	Module uuid.UUID `json:"module_uuid"`
	// OnDelete is what becomes of the reference when the record is deleted.
	OnDelete OnDelete `json:"on_delete"`
}

var referenceType = field.Type{
	Name: "reference",
	About: `A record of the module module_uuid, as {"record_uuid": "…"}. on_delete says what happens when that record ` +
		`is deleted: restrict (the default) refuses it, set_null clears the reference, cascade deletes this record too.`,
	Index:         field.UUIDIndex,
	AlwaysIndexed: true,
	Filter:        kind.UUID,
	Inside:        "record_uuid",
	New:           func() field.Values { return &Reference{OnDelete: Restrict} },
}

// Check implements field.Values.
func (r *Reference) Check() error {
	if r.Module == uuid.Nil {
		return field.OptionError{Option: "module_uuid", Problem: "The module uuid of a reference is required."}
	}
	if r.OnDelete != Restrict && r.OnDelete != SetNull && r.OnDelete != Cascade {
		return field.OptionError{Option: "on_delete", Problem: "The on delete must be restrict, set_null or cascade."}
	}

	return nil
}

// Parse implements field.Values.
func (r *Reference) Parse(raw []byte) (field.Value, error) {
	record, ok := field.OnlyUUID(raw, "record_uuid")
	if !ok {
		return field.Value{}, errReference
	}

	return field.Value{JSON: []byte(`{"record_uuid":"` + record.String() + `"}`), Key: record}, nil
}

// Comparable implements field.Values.
func (*Reference) Comparable(text string) (any, error) { return field.ParseUUID(text) }

// Target is the module of the records that the field names.
func (r *Reference) Target() uuid.UUID { return r.Module }

// Schema implements field.Values.
func (*Reference) Schema() map[string]any {
	return map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"record_uuid": map[string]any{"type": "string", "format": "uuid"}},
		"required":             []string{"record_uuid"},
		"additionalProperties": false,
	}
}

// recordCells are the cells of references: the id of the record alone.
type recordCells struct{}

func (recordCells) CSV(json []byte) string { return rawjson.Text(rawjson.Member(json, "record_uuid")) }

func (recordCells) FromCSV(cell string) ([]byte, error) {
	return field.UUIDCell(cell, "record_uuid", "must be the UUID of a record.")
}
