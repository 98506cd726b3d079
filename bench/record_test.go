package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecordBody_IsTheDocumentedRequest(t *testing.T) {
	t.Parallel()
	body := newRecordBody("0190a000-0000-7000-8000-000000000001", "0190a000-0000-7000-8000-000000000002")
	body.put(42)

	var request struct {
		ModuleUUID string         `json:"module_uuid"`
		Payload    map[string]any `json:"payload"`
	}
	require.NoError(t, json.Unmarshal(body.bytes, &request))
	require.Equal(t, vinOf(42), request.Payload["vin"])
	require.Regexp(t, `^\d{5}\.42$`, request.Payload["price"])
	require.Len(t, request.Payload, len(vehicleFields("")))
	for _, f := range vehicleFields("") {
		require.Contains(t, request.Payload, f.Key)
	}
}
