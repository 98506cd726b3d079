package exchange

import (
	"context"
	"reflect"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// The actions of people on imports; the log of transitions has the others.
const (
	actionSent    = "created"
	actionMapped  = "updated"
	actionRemoved = "deleted"
)

// record tells the trail what somebody did to an import.
func (m *Importer) record(ctx context.Context, action string, row importRow, changes map[string]audit.Change) error {
	return m.trail.Record(ctx, audit.Entry{
		Action: itemOf(row.Area) + "." + action, Item: audit.Item{Type: itemOf(row.Area), UUID: row.ID, Part: row.Part}, Changes: changes,
	})
}

// sent is what the trail has of a file that came.
func (row importRow) sent() map[string]audit.Change {
	return map[string]audit.Change{
		"collection": {After: row.Collection}, "file_name": {After: row.FileName}, "rows": {After: row.Rows}, "bytes": {After: row.Bytes},
	}
}

// mappingChanges is what the trail has of a change of where columns go.
func mappingChanges(before, after importRow) map[string]audit.Change {
	changes := map[string]audit.Change{}
	for key, change := range map[string]audit.Change{
		"mapping": {Before: before.Mapping, After: after.Mapping}, "rules": {Before: before.Rules, After: after.Rules}, "mode": {Before: before.Mode, After: after.Mode},
		"by": {Before: before.MatchBy, After: after.MatchBy}, "keep_empty": {Before: before.KeepEmpty, After: after.KeepEmpty},
	} {
		if !reflect.DeepEqual(change.Before, change.After) {
			changes[key] = change
		}
	}

	return changes
}

// bookkeepingContext returns a context in which what is written is no write of the caller's: a file is stored and removed in
// many transactions, which are one thing to the trail.
func bookkeepingContext(ctx context.Context) context.Context {
	return telemetry.WithOperation(ctx, telemetry.Operation{})
}
