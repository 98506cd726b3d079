package custommodules_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// told is what the audit trail has of a write.
type told struct{ action, changes string }

// trail is what the trail has of things of a type, the earliest first.
func (y yard) trail(t *testing.T, item string) (entries []told) {
	t.Helper()
	rows, err := y.DB.SQL().QueryContext(t.Context(),
		"SELECT action, changes FROM audit_entries WHERE item_type = '"+item+"' AND company_id = '"+y.Owner.ID.String()+"' ORDER BY at, id")
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // read to its end
	for rows.Next() {
		var one told
		require.NoError(t, rows.Scan(&one.action, &one.changes))
		entries = append(entries, one)
	}
	require.NoError(t, rows.Err())

	return entries
}

func actions(entries []told) []string {
	all := make([]string, len(entries))
	for i, one := range entries {
		all[i] = one.action
	}

	return all
}
