package events

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// LoggedOf is an event that names an item.
type LoggedOf struct {
	Logged

	Item item.Ref
}

// Timeline returns the events of the caller's company that a timeline asks for: those that name an item (see Named), as
// long as they are kept.
func (b *Bus) Timeline(ctx context.Context, q timeline.Query) ([]LoggedOf, error) {
	rows, err := database.All[logRow](q.Narrow(b.db.Dynamic(ctx), timeline.Columns{
		ID: "id", ItemType: "item_type", ItemID: "item_id", Name: "name",
		Actor: "actor", ActorAs: func(user string) any { return string(principal.User) + ":" + user },
	}).Where("item_id IS NOT NULL"))
	all := make([]LoggedOf, len(rows))
	for i, found := range loggedEvents(rows) {
		all[i] = LoggedOf{Logged: found, Item: item.Ref{Type: rows[i].ItemType}}
		if rows[i].ItemID != nil {
			all[i].Item.UUID = *rows[i].ItemID
		}
	}

	return all, err
}

// ActorOf returns the kind of who made an event happen, and the user or the token, uuid.Nil for none.
func ActorOf(text string) timeline.Actor {
	kind, id := text, uuid.Nil
	if at := len(text) - len(uuid.Nil.String()) - 1; at > 0 && text[at] == ':' {
		if parsed, err := uuid.Parse(text[at+1:]); err == nil {
			kind, id = text[:at], parsed
		}
	}
	actor := timeline.Actor{Kind: kind}
	if kind == string(principal.User) {
		actor.User = id
	} else {
		actor.Token = id
	}

	return actor
}
