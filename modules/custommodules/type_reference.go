package custommodules

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const errReference = field.Error(`must be a reference: {"record_uuid": "…"}.`)

// reference points at a record of another module of the same company.
type reference struct {
	recordCells

	Module uuid.UUID `json:"module_uuid"`
	// OnDelete is what becomes of the reference when the record is deleted.
	OnDelete onDelete `json:"on_delete"`
}

func referenceType() field.Type {
	return field.Type{
		Name: "reference",
		About: `A record of the module module_uuid, as {"record_uuid": "…"}. on_delete says what happens when that record ` +
			`is deleted: restrict (the default) refuses it, set_null clears the reference, cascade deletes this record too.`,
		Index:         field.UUIDIndex,
		AlwaysIndexed: true,
		Filter:        list.UUID,
		Inside:        "record_uuid",
		New:           func() field.Values { return &reference{OnDelete: restrict} },
	}
}

func (r *reference) Check() error {
	if r.Module == uuid.Nil {
		return field.OptionError{Option: "module_uuid", Problem: "The module uuid of a reference is required."}
	}
	if r.OnDelete != restrict && r.OnDelete != setNull && r.OnDelete != cascade {
		return field.OptionError{Option: "on_delete", Problem: "The on delete must be restrict, set_null or cascade."}
	}

	return nil
}

func (r *reference) Parse(raw []byte) (field.Value, error) {
	record, ok := field.OnlyUUID(raw, "record_uuid")
	if !ok {
		return field.Value{}, errReference
	}

	return field.Value{JSON: []byte(`{"record_uuid":"` + record.String() + `"}`), Key: record}, nil
}

func (*reference) Comparable(text string) (any, error) { return field.ParseUUID(text) }

func (r *reference) target() uuid.UUID { return r.Module }

func (*reference) Schema() map[string]any {
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
