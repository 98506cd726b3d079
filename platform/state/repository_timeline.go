package state

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// TransitionOf is a move of an item.
type TransitionOf struct {
	Transition

	ID   uuid.UUID
	Item item.Ref
}

// Timeline returns the moves of the caller's company that a timeline asks for.
func (l *Log) Timeline(ctx context.Context, q timeline.Query) ([]TransitionOf, error) {
	rows, err := database.All[logRow](q.Narrow(l.db.Dynamic(ctx), timeline.Columns{
		ID: "id", ItemType: "item_type", ItemID: "item_id", Part: "item_part", Actor: "actor_id", Search: []string{"reason"},
	}))
	all := make([]TransitionOf, len(rows))
	for i, row := range rows {
		all[i] = TransitionOf{Transition: row.transition(), ID: row.ID, Item: item.Ref{Type: row.ItemType, UUID: row.ItemID}}
	}

	return all, err
}
