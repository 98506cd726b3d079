package custommodules

import (
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errReference = valueError(`must be a reference: {"record_uuid": "…"}.`)

// reference points at a record of another module of the same company.
type reference struct {
	recordCells

	Module uuid.UUID `json:"module_uuid"`
	// OnDelete is what becomes of the reference when the record is deleted.
	OnDelete onDelete `json:"on_delete"`
}

func referenceType() fieldType {
	return fieldType{
		name: "reference",
		about: `A record of the module module_uuid, as {"record_uuid": "…"}. on_delete says what happens when that record ` +
			`is deleted: restrict (the default) refuses it, set_null clears the reference, cascade deletes this record too.`,
		slot:          uuidSlot,
		alwaysIndexed: true,
		filter:        list.UUID,
		inside:        "record_uuid",
		options:       func() valueType { return &reference{OnDelete: restrict} },
	}
}

func (r *reference) check() error {
	if r.Module == uuid.Nil {
		return optionError{"module_uuid", "The module uuid of a reference is required."}
	}
	if r.OnDelete != restrict && r.OnDelete != setNull && r.OnDelete != cascade {
		return optionError{"on_delete", "The on delete must be restrict, set_null or cascade."}
	}

	return nil
}

func (r *reference) parse(raw []byte) (value, error) {
	record, ok := onlyUUID(raw, "record_uuid")
	if !ok {
		return value{}, errReference
	}

	return value{json: []byte(`{"record_uuid":"` + record.String() + `"}`), key: record}, nil
}

func (*reference) comparable(text string) (any, error) { return parseUUID(text) }

func (r *reference) target() uuid.UUID { return r.Module }

func (*reference) schema() map[string]any {
	return map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"record_uuid": map[string]any{"type": "string", "format": "uuid"}},
		"required":             []string{"record_uuid"},
		"additionalProperties": false,
	}
}

// onlyUUID returns the UUID that an object has under a name, false if it has anything else.
func onlyUUID(raw []byte, name string) (uuid.UUID, bool) {
	var id []byte
	count := 0
	for have, member := range members(raw) {
		if string(have) == name {
			id = member
		}
		count++
	}
	if count != 1 || len(id) < 2 || id[0] != '"' {
		return uuid.Nil, false
	}
	found, err := parseUUID(string(id[1 : len(id)-1]))

	return found, err == nil
}

// parseUUID reads a UUID in its usual form alone, in either case.
func parseUUID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(id.String()) {
		return uuid.Nil, valueError("must be a UUID.")
	}

	return id, nil
}

// recordCells are the cells of references: the id of the record alone.
type recordCells struct{}

func (recordCells) csv(json []byte) string { return stringOf(member(json, "record_uuid")) }

func (recordCells) fromCSV(cell string) ([]byte, error) {
	return cellNaming(cell, "record_uuid", "must be the UUID of a record.")
}

// cellNaming reads a cell with an id into an object that has it under a name.
func cellNaming(cell, name string, otherwise valueError) ([]byte, error) {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return []byte("null"), nil
	}
	id, err := parseUUID(cell)
	if err != nil {
		return nil, otherwise
	}

	return []byte(`{"` + name + `":"` + id.String() + `"}`), nil
}
