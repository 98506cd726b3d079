package history

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/timeline"
	"github.com/dispatchd/dispatchd/platform/web"
)

// reader shows timelines.
type reader struct {
	timelines *timeline.Registry
	items     *items
	users     *identity.Service
}

func newReader(t *timeline.Registry, i *items, users *identity.Service) *reader {
	return &reader{timelines: t, items: i, users: users}
}

// shown is an entry of a timeline as answers show it.
type shown struct {
	UUID    uuid.UUID      `json:"uuid" doc:"Unique among the entries of a source."`
	At      time.Time      `json:"at" doc:"When it happened."`
	Source  string         `json:"source" doc:"Source of the entry: an area, the audit trail, the log of transitions, or events."`
	Kind    string         `json:"kind" doc:"change, transition, event, message, envelope, file, phone_call, email, meeting, visit, other, or what other areas add."`
	Title   string         `json:"title" doc:"Summary in one line."`
	Text    string         `json:"text" doc:"The text; may be empty."`
	Actor   shownActor     `json:"actor" doc:"Who did it."`
	Item    *shownItem     `json:"item" doc:"The item concerned; null if none or unknown."`
	Thing   *shownItem     `json:"thing" doc:"The item to open for details, such as the message; null if there is none."`
	Changes []shownChange  `json:"changes" nullable:"false" doc:"The changed values, for a change."`
	Details map[string]any `json:"details" nullable:"false" doc:"Further details. The keys depend on the kind."`
}

// SchemaName is the name of the entry in the OpenAPI document.
func (shown) SchemaName() string { return "TimelineEntry" }

type shownActor struct {
	Kind      string     `json:"kind" doc:"user, service, operator or system; empty if it was done from outside the company."`
	UserUUID  *uuid.UUID `json:"user_uuid"`
	Name      *string    `json:"name" doc:"Name of the user; null for other actors."`
	TokenUUID *uuid.UUID `json:"token_uuid"`
}

// SchemaName is the name of the actor in the OpenAPI document.
func (shownActor) SchemaName() string { return "TimelineActor" }

type shownItem struct {
	Type  string    `json:"type"`
	UUID  uuid.UUID `json:"uuid"`
	Title *string   `json:"title" doc:"Title of the item; null if it is gone or you may not see it."`
}

// SchemaName is the name of the item in the OpenAPI document.
func (shownItem) SchemaName() string { return "TimelineItem" }

type shownChange struct {
	Key    string `json:"key"`
	Label  string `json:"label" doc:"Label of the field."`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// SchemaName is the name of the change in the OpenAPI document.
func (shownChange) SchemaName() string { return "TimelineChange" }

// resolveNames reads what a page's actors and items are called, together, and returns the page as it is answered.
func (r *reader) resolveNames(ctx context.Context, page list.Page[timeline.Entry]) (list.Page[shown], error) {
	var refs []item.Ref
	var users []uuid.UUID
	for _, e := range page.Data {
		for _, ref := range []item.Ref{e.Item, e.Thing} {
			if ref.Type != "" {
				refs = append(refs, ref)
			}
		}
		if e.Actor.User != uuid.Nil {
			users = append(users, e.Actor.User)
		}
	}
	names, err := r.users.UserNames(ctx, users)
	if err != nil {
		return list.Page[shown]{}, err
	}
	titles, err := r.items.titles(ctx, refs)
	if err != nil {
		return list.Page[shown]{}, err
	}

	return list.Convert(page, func(e timeline.Entry) shown { return showEntry(e, names, titles) }), nil
}

func showEntry(e timeline.Entry, names map[uuid.UUID]identity.NamedUser, titles map[item.Ref]string) shown {
	show := func(ref item.Ref) *shownItem {
		if ref.Type == "" {
			return nil
		}

		return &shownItem{Type: ref.Type, UUID: ref.UUID, Title: web.Optional(titles[ref])}
	}
	s := shown{
		UUID: e.ID, At: e.At.UTC(), Source: e.Source, Kind: e.Kind, Title: e.Title, Text: e.Text, Item: show(e.Item), Thing: show(e.Thing),
		Actor: shownActor{
			Kind: e.Actor.Kind, UserUUID: web.Optional(e.Actor.User), TokenUUID: web.Optional(e.Actor.Token), Name: web.Optional(names[e.Actor.User].Name),
		},
		Changes: make([]shownChange, len(e.Changes)), Details: e.Details,
	}
	for i, c := range e.Changes {
		s.Changes[i] = shownChange(c)
	}
	if s.Details == nil {
		s.Details = map[string]any{}
	}

	return s
}
