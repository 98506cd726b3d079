package audit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// trail shows entries to those who may know of what they are about.
type trail struct {
	log       *audit.Log
	items     *item.Registry
	resources *resource.Engine
}

func newTrail(log *audit.Log, items *item.Registry, resources *resource.Engine) *trail {
	return &trail{log, items, resources}
}

func (t *trail) list(ctx context.Context, q list.Query) (list.Page[entry], error) {
	hidden, err := t.items.Hidden(ctx)
	if err != nil {
		return list.Page[entry]{}, err
	}
	page, err := t.log.List(ctx, q, hidden)

	return list.Convert(page, func(r audit.Recorded) entry { return t.shown(ctx, r) }), err
}

// shown is an entry without the values that the caller may not see.
func (t *trail) shown(ctx context.Context, r audit.Recorded) entry {
	e := entryOf(r)
	for key, c := range e.Changes {
		e.Changes[key] = change{
			Before: t.resources.ShowChange(ctx, r.Item.Type, key, c.Before), After: t.resources.ShowChange(ctx, r.Item.Type, key, c.After),
		}
	}

	return e
}

func entryRoutes(r *web.Router, t *trail) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/entries", ID: "list_entries", Access: web.Read,
		Summary: "List the entries of the company's audit trail, the latest first",
		Description: "Every call that wrote something has an entry. Values of sensitive keys are hashed, and values that require a scope " +
			"you do not have, such as loads:margins, are null. Entries that " +
			"a custom module's permissions hide from you are left out. " +
			entryList().Describe(),
		Errors: list.Errors,
	}, list.Serve(entryList(), t.list, func(e entry) entry { return e }))
}

// entry is an entry as answers show it.
type entry struct {
	UUID      uuid.UUID         `json:"uuid"`
	Seq       *int64            `json:"seq" doc:"Number of the entry in the company's trail, from 1 without a gap; null until it is sealed, shortly after the write."`
	At        time.Time         `json:"at"`
	Action    string            `json:"action" doc:"What was done; by default the id of the operation."`
	Operation string            `json:"operation" doc:"Id of the operation that was called; empty without one."`
	Item      subject           `json:"item" doc:"The item concerned, if known."`
	Changes   map[string]change `json:"changes" nullable:"false" doc:"What changed, by key."`
	Actor     actor             `json:"actor" doc:"Who did it."`
	RequestID string            `json:"request_id" doc:"X-Request-ID of the call."`
	Address   string            `json:"address" doc:"IP address that the call came from."`
	Hash      *string           `json:"hash" doc:"SHA-256 of the entry and the previous hash, in hexadecimal; null until it is sealed."`
}

// SchemaName is the name of the entry in the OpenAPI document.
func (entry) SchemaName() string { return "AuditEntry" }

type subject struct {
	Type string     `json:"type"`
	UUID *uuid.UUID `json:"uuid"`
}

// SchemaName is the name of the subject in the OpenAPI document.
func (subject) SchemaName() string { return "AuditItem" }

type change struct {
	Before any `json:"before"`
	After  any `json:"after"`
}

// SchemaName is the name of the change in the OpenAPI document.
func (change) SchemaName() string { return "AuditChange" }

type actor struct {
	Kind      string     `json:"kind" doc:"user, service, operator or system; empty for a caller without a token."`
	UserUUID  *uuid.UUID `json:"user_uuid"`
	TokenUUID *uuid.UUID `json:"token_uuid"`
}

// SchemaName is the name of the actor in the OpenAPI document.
func (actor) SchemaName() string { return "AuditActor" }

func entryList() list.Schema { return list.ShownAs[entry](audit.Schema) }

func entryOf(r audit.Recorded) entry {
	e := entry{
		UUID: r.ID, At: r.At, Action: r.Action, Operation: r.Operation,
		Item: subject{Type: r.Item.Type, UUID: uuidOrNil(r.Item.UUID)}, Changes: map[string]change{},
		Actor:     actor{Kind: r.ActorKind, UserUUID: uuidOrNil(r.Actor), TokenUUID: uuidOrNil(r.Token)},
		RequestID: r.RequestID, Address: r.Address,
	}
	if r.Seq > 0 {
		e.Seq, e.Hash = &r.Seq, new(hex.EncodeToString(r.Hash))
	}
	if err := json.Unmarshal(r.Changes, &e.Changes); err != nil && r.Changes != nil {
		e.Changes = map[string]change{} // tampered with: verifying finds it
	}

	return e
}

func uuidOrNil(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}

	return &id
}
