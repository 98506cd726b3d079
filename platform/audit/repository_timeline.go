package audit

import (
	"context"
	"strings"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// transition are the entries that the log of transitions has made beside its own: a timeline has those already.
const transition = `EXISTS (SELECT 1 FROM state_log s WHERE s.company_id = audit_trail.company_id
	AND s.item_type = audit_trail.item_type AND s.item_id = audit_trail.item_id
	AND audit_trail.action = s.item_type || '.' || s.verb
	AND audit_trail.changes = '{"state":{"after":"' || s.to_state || '","before":"' || s.from_state || '"}}')`

// Timeline returns the entries of the caller's company that a timeline asks for, without those of transitions and of
// an action that the timeline shows otherwise.
func (l *Log) Timeline(ctx context.Context, q timeline.Query, except string) ([]Recorded, error) {
	tx := q.Narrow(l.db.Dynamic(ctx), timeline.Columns{
		ID: "id", ItemType: "item_type", ItemID: "item_id", Part: "item_part", Untyped: true, Actor: "actor_id",
	}).Where("action <> ? AND NOT "+transition, except)
	if q.Item.Type == "" {
		for _, area := range q.Barred { // what is made of a call alone is of the area whose operation it was
			begin := strings.ReplaceAll(area, "_", "!_") + "!_%"
			tx = tx.Where("NOT (item_type = '' AND operation LIKE ? ESCAPE '!')", begin)
		}
		if len(q.Hidden) > 0 {
			tx = tx.Where("(item_id IS NULL OR item_id NOT IN ?)", uuidsAmong(q.Hidden))
		}
	}
	rows, err := database.All[entryRow](tx)
	all := make([]Recorded, len(rows))
	for i, row := range rows {
		all[i] = row.recorded()
	}

	return all, err
}
