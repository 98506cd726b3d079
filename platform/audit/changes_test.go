package audit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/audit"
)

func TestBetween_NamesWhatDiffersButForTheVersion(t *testing.T) {
	t.Parallel()
	type body struct {
		Gone      string   `json:"gone,omitempty"`
		Name      string   `json:"name"`
		Words     []string `json:"words"`
		Note      *string  `json:"note"`
		Version   int      `json:"version"`
		UpdatedAt string   `json:"updated_at"`
	}
	before := body{Gone: "was", Name: "A", Words: []string{"x"}, Version: 1, UpdatedAt: "then"}
	after := body{Name: "A", Words: []string{"x", "y"}, Note: new("new"), Version: 2, UpdatedAt: "now"}
	changes, err := audit.Diff(before, after)
	require.NoError(t, err)
	require.Equal(t, map[string]audit.Change{
		"words": {Before: []any{"x"}, After: []any{"x", "y"}}, "note": {Before: nil, After: "new"}, "gone": {Before: "was", After: nil},
	}, changes)
	changes, err = audit.Diff(before, before)
	require.NoError(t, err)
	require.Empty(t, changes)
}
