package definition

import (
	"encoding/json"
)

// RawOrNil is JSON as the audit trail records it, nil for none.
func RawOrNil(raw []byte) any {
	if raw == nil {
		return nil
	}

	return json.RawMessage(raw)
}
