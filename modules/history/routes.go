package history

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
)

const base = "/history/api/v1"

func entryRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/entries", ID: "new_entry", Access: web.Write,
		Summary:     "Write an entry into the history of an item",
		Description: "For events that the service does not record itself: a phone call, an e-mail, a meeting, a visit.",
		Errors:      append(item.Errors, errNoItem, errInvalid),
	}, s.post)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/entries/{uuid}", ID: "read_entry", Access: web.Read,
		Summary: "Read an entry that somebody wrote", Errors: entryErrors(),
	}, s.get)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/entries/{uuid}", ID: "update_entry", Access: web.Write,
		Summary:     "Change an entry",
		Description: "Allowed for its author, and with the scope `history:manage`. The item cannot be changed.",
		Errors:      entryErrors(errInvalid, errNotYours),
	}, s.patch)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/entries/{uuid}", ID: "delete_entry", Access: web.Write,
		Summary: "Delete an entry", Description: "Allowed for its author, and with the scope `history:manage`. The entry can be restored for a while.",
		Errors: entryErrors(errNotYours),
	}, s.delete)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/entries/{uuid}/restore", ID: "restore_entry", Access: web.Write,
		Summary: "Restore an entry that was deleted", Errors: entryErrors(errNotYours),
	}, s.restore)
}

// body is an entry as the API shows it.
type body struct {
	UUID         uuid.UUID  `json:"uuid"`
	Item         item.Ref   `json:"item" doc:"The item concerned."`
	Kind         string     `json:"kind" enum:"phone_call,email,meeting,visit,other"`
	Direction    *string    `json:"direction" enum:"inbound,outbound" doc:"inbound or outbound; null if not given."`
	Outcome      *string    `json:"outcome" doc:"The outcome, in a few words." example:"Left a voicemail"`
	ContactName  *string    `json:"contact_name" doc:"The other person."`
	Body         string     `json:"body" doc:"The notes; may be empty if there is an outcome."`
	HappenedAt   time.Time  `json:"happened_at"`
	CreatedBy    *uuid.UUID `json:"created_by_uuid" doc:"The user who wrote it; null for a service."`
	CreatedToken *uuid.UUID `json:"created_token_uuid" doc:"The service token that wrote it; null for a user."`
	Version      int64      `json:"version" doc:"Increases with every change; also the ETag."`
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (body) SchemaName() string { return "HistoryEntry" }

func answer(row entry, err error) (*web.Resource[body], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(body{
		UUID: row.ID, Item: row.item(), Kind: row.Kind, Direction: web.Optional(row.Direction), Outcome: web.Optional(row.Outcome),
		ContactName: web.Optional(row.ContactName), Body: row.Body, HappenedAt: row.HappenedAt, CreatedBy: row.CreatedBy,
		CreatedToken: row.CreatedToken, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}, row.Version, base+"/entries/"+row.ID.String()), nil
}

type postInput struct {
	Body struct {
		Item        item.Ref  `json:"item" doc:"The item concerned."`
		Kind        string    `json:"kind" enum:"phone_call,email,meeting,visit,other"`
		Direction   string    `json:"direction,omitempty" enum:"inbound,outbound" doc:"inbound if the other side initiated it, outbound if the company did."`
		Outcome     string    `json:"outcome,omitempty" maxLength:"200" doc:"The outcome, in a few words." example:"Left a voicemail"`
		ContactName string    `json:"contact_name,omitempty" maxLength:"200" doc:"The other person."`
		Body        string    `json:"body,omitempty" doc:"The notes, at most max_body characters. Required without an outcome."`
		HappenedAt  time.Time `json:"happened_at,omitzero" doc:"When it happened; by default now. Not in the future."`
	}
}

func (s *service) post(ctx context.Context, in *postInput) (*web.Resource[body], error) {
	return answer(s.create(ctx, entry{
		ItemType: in.Body.Item.Type, ItemID: in.Body.Item.UUID, Kind: in.Body.Kind, Direction: in.Body.Direction, Outcome: in.Body.Outcome,
		ContactName: in.Body.ContactName, Body: in.Body.Body, HappenedAt: in.Body.HappenedAt,
	}))
}

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the entry."`
}

func (s *service) get(ctx context.Context, in *readInput) (*web.Resource[body], error) {
	return answer(s.read(ctx, in.UUID))
}

type patchInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the entry."`
	Body struct {
		Kind        *string          `json:"kind,omitempty" enum:"phone_call,email,meeting,visit,other"`
		Direction   web.Sent[string] `json:"direction,omitzero" enum:"inbound,outbound"`
		Outcome     web.Sent[string] `json:"outcome,omitzero"`
		ContactName web.Sent[string] `json:"contact_name,omitzero"`
		Body        web.Sent[string] `json:"body,omitzero"`
		HappenedAt  *time.Time       `json:"happened_at,omitempty" doc:"Not in the future."`
	}
}

func (s *service) patch(ctx context.Context, in *patchInput) (*web.Resource[body], error) {
	return answer(s.change(ctx, in.UUID, in.IfMatch, "updated", func(row *entry, now time.Time) error {
		sent := in.Body
		row.Direction, row.Outcome = sent.Direction.ValueOr(row.Direction), sent.Outcome.ValueOr(row.Outcome)
		row.ContactName, row.Body = sent.ContactName.ValueOr(row.ContactName), sent.Body.ValueOr(row.Body)
		if sent.Kind != nil {
			row.Kind = *sent.Kind
		}
		if sent.HappenedAt != nil {
			row.HappenedAt = *sent.HappenedAt
		}

		return row.accept(s.settings, now)
	}))
}

type writeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the entry."`
}

func (s *service) delete(ctx context.Context, in *writeInput) (*struct{}, error) {
	_, err := s.change(ctx, in.UUID, in.IfMatch, "deleted", func(row *entry, now time.Time) error {
		row.DeletedAt = &now

		return nil
	})

	return nil, err
}

func (s *service) restore(ctx context.Context, in *writeInput) (*web.Resource[body], error) {
	return answer(s.change(ctx, in.UUID, in.IfMatch, "restored", func(row *entry, _ time.Time) error {
		row.DeletedAt = nil

		return nil
	}))
}
