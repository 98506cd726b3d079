package history

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func timelineRoutes(r *web.Router, s *reader) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/entries", ID: "index", Access: web.Read,
		Summary: "List what happened to an item, the latest first",
		Description: "One timeline of the item from the audit trail, the log of transitions, events, messages, " +
			"envelopes, files and manual entries. Entries of an area require permission to read that area; changes " +
			"require the scope `audit:read`. " +
			s.timelines.Schema(list.KeysOf[shown]()).Describe(),
		Errors: append(list.Errors, append(item.Errors, errNoItem)...),
	}, s.getIndex)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/log", ID: "log", Access: web.Read,
		Summary:     "List what happened in the company, the latest first",
		Description: "The timelines of all items, including deleted ones, and entries that belong to no item. " + s.timelines.LogSchema(list.KeysOf[shown]()).Describe(),
		Errors:      list.Errors,
	}, s.getLog)
}

type indexInput struct {
	list.Input

	ItemType string    `query:"item_type" required:"true" pattern:"^[a-z][a-z0-9_]{0,39}\\.[a-z][a-z0-9_]{0,39}$" patternDescription:"an area and a thing with a dot between them" doc:"Type of the item, as <area>.<thing>." example:"custom_modules.record"`
	ItemUUID uuid.UUID `query:"item_uuid" required:"true" format:"uuid" doc:"Id of the item."`
}

func (s *reader) getIndex(ctx context.Context, in *indexInput) (*list.Output[shown], error) {
	q, err := in.Parse(ctx, s.timelines.Schema(list.KeysOf[shown]()))
	if err != nil {
		return nil, err
	}
	about := item.Ref{Type: in.ItemType, UUID: in.ItemUUID}
	if _, err := s.items.readable(ctx, about, errNoItem); err != nil {
		return nil, unknownType(err, "item_type")
	}

	return s.answer(ctx, q, about)
}

func (s *reader) getLog(ctx context.Context, in *list.Input) (*list.Output[shown], error) {
	q, err := in.Parse(ctx, s.timelines.LogSchema(list.KeysOf[shown]()))
	if err != nil {
		return nil, err
	}

	return s.answer(ctx, q, item.Ref{})
}

func (s *reader) answer(ctx context.Context, q list.Query, about item.Ref) (*list.Output[shown], error) {
	page, err := s.timelines.Page(ctx, q, about)
	if err != nil {
		return nil, err
	}
	answer, err := s.resolveNames(ctx, page)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, answer), nil
}
