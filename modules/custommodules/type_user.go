package custommodules

import "github.com/dispatchd/dispatchd/platform/list"

// user is a user of the company, by id.
type user struct{ stringCells }

func userType() fieldType {
	return fieldType{
		name:    "user",
		about:   "A user of the company, by UUID.",
		slot:    uuidSlot,
		filter:  list.UUID,
		options: func() valueType { return &user{} },
	}
}

func (*user) check() error { return nil }

func (*user) parse(raw []byte) (value, error) {
	given, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	id, err := parseUUID(given)
	if err != nil {
		return value{}, valueError("must be the UUID of a user.")
	}

	return value{json: quote(id.String()), key: id}, nil
}

func (*user) comparable(text string) (any, error) { return parseUUID(text) }

func (*user) namesUser() {}

func (*user) schema() map[string]any { return map[string]any{"type": "string", "format": "uuid"} }
