package field

import (
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// userOptions is a user of the company, by id.
type userOptions struct{ stringCells }

var userType = Type{
	Name:   "user",
	About:  "A user of the company, by UUID.",
	Index:  UUIDIndex,
	Filter: kind.UUID,
	New:    func() Values { return &userOptions{} },
}

// Check implements Values.
func (*userOptions) Check() error { return nil }

// Parse implements Values.
func (*userOptions) Parse(raw []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	id, err := ParseUUID(given)
	if err != nil {
		return Value{}, Error("must be the UUID of a user.")
	}

	return Value{JSON: rawjson.Quote(id.String()), Key: id}, nil
}

// Comparable implements Values.
func (*userOptions) Comparable(text string) (any, error) { return ParseUUID(text) }

// NamesUser implements UserNamer.
func (*userOptions) NamesUser() {}

// Schema implements Values.
func (*userOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "format": "uuid"}
}

// OnlyUUID returns the UUID that an object has under a name, false if it has anything else.
func OnlyUUID(raw []byte, name string) (uuid.UUID, bool) {
	var id []byte
	count := 0
	for have, member := range rawjson.Members(raw) {
		if string(have) == name {
			id = member
		}
		count++
	}
	if count != 1 || len(id) < 2 || id[0] != '"' {
		return uuid.Nil, false
	}
	found, err := ParseUUID(string(id[1 : len(id)-1]))

	return found, err == nil
}

// ParseUUID reads a UUID in its usual form alone, in either case.
func ParseUUID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(id.String()) {
		return uuid.Nil, Error("must be a UUID.")
	}

	return id, nil
}

// UUIDCell reads a cell with an id into an object that has it under a name.
func UUIDCell(cell, name string, otherwise Error) ([]byte, error) {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return []byte("null"), nil
	}
	id, err := ParseUUID(cell)
	if err != nil {
		return nil, otherwise
	}

	return []byte(`{"` + name + `":"` + id.String() + `"}`), nil
}
