package web_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

func TestSent_TellsAbsentNullAndAValueApart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body        string
		there, null bool
		want        string
	}{
		{`{}`, false, false, "old"},
		{`{"name": null}`, true, true, ""},
		{`{"name": "new"}`, true, false, "new"},
		{`{"name": ""}`, true, false, ""},
	}
	for _, test := range tests {
		var patch struct {
			Name web.Sent[string] `json:"name,omitzero"`
		}
		require.NoError(t, json.Unmarshal([]byte(test.body), &patch))
		require.Equal(t, test.there, patch.Name.IsSet(), test.body)
		require.Equal(t, test.null, patch.Name.Null(), test.body)
		require.Equal(t, test.want, patch.Name.ValueOr("old"), test.body)
	}
}
