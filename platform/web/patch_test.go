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

func TestPatch_ChangesWhatItSendsAndLeavesTheOriginal(t *testing.T) {
	t.Parallel()
	type inner struct {
		Street string `json:"street,omitempty"`
		City   string `json:"city,omitempty"`
	}
	type part struct {
		Name  string   `json:"name"`
		Place *inner   `json:"place,omitempty"`
		Tags  []string `json:"tags,omitempty"`
	}
	now := part{Name: "A", Place: &inner{"1 Main St", "Dallas"}, Tags: []string{"a", "b"}}
	for body, want := range map[string]part{
		`{}`:                             now,
		`{"name": "B", "tags": ["c"]}`:   {"B", now.Place, []string{"c"}},
		`{"name": null, "tags": null}`:   {"", now.Place, nil},
		`{"place": {"street": null}}`:    {"A", &inner{City: "Dallas"}, now.Tags},
		`{"place": {"city": "Houston"}}`: {"A", &inner{"1 Main St", "Houston"}, now.Tags},
		`{"place": null}`:                {"A", nil, now.Tags},
	} {
		var patch web.Patch[part]
		require.NoError(t, json.Unmarshal([]byte(body), &patch))
		got, err := patch.Over(now)
		require.NoError(t, err)
		require.Equal(t, want, got, body)
		require.Equal(t, inner{"1 Main St", "Dallas"}, *now.Place, "the original stays")
	}
}
