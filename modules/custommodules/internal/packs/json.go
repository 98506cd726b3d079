package packs

import "encoding/json"

// EncodeJSON writes what is made of texts, lists and JSON that was read, which always can be.
func EncodeJSON(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil
	}

	return raw
}

// DecodeJSON reads JSON into a pointer, and reports whether it fits. It leaves what does not fit as it was.
func DecodeJSON(raw json.RawMessage, into any) bool { return json.Unmarshal(raw, into) == nil }
