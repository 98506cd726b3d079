package messages

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/numbers"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// What expand= embeds in messages.
const (
	expandNumber   = "number"
	expandTemplate = "template"
)

// listMessages lists messages, with their numbers and templates where expand= names them.
func (s *Desk) listMessages(ctx context.Context, in *list.Input) (*list.Output[MessageBody], error) {
	q, err := in.Parse(ctx, messageSchema())
	if err != nil {
		return nil, err
	}
	rows, err := s.store.Messages(ctx, q)
	if err != nil {
		return nil, err
	}
	page := list.Convert(rows, func(row store.Message) MessageBody { return NewMessageBody(s.vendors, row) })
	if q.Expands(expandNumber) {
		err = store.Embed(ctx, s.store, page.Data, func(b *MessageBody) *uuid.UUID { return &b.NumberUUID }, numberKey,
			func(b *MessageBody, row store.Number) { b.Number = new(numbers.NewNumberBody(row)) })
	}
	if err == nil && q.Expands(expandTemplate) {
		err = store.Embed(ctx, s.store, page.Data, func(b *MessageBody) *uuid.UUID { return b.TemplateUUID }, templateKey,
			func(b *MessageBody, row store.Template) { b.Template = &row })
	}
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

func numberKey(row store.Number) uuid.UUID { return row.ID }

func templateKey(row store.Template) uuid.UUID { return row.ID }

var messageSchema = sync.OnceValue(func() list.Schema {
	text := func(name string) list.Field {
		return list.Field{Name: name, Expr: name, Kind: kind.Text, Filterable: true}
	}

	return list.ShownAs[MessageBody](list.Schema{
		Fields: []list.Field{
			{Name: "thread_uuid", Expr: "thread_id", Kind: kind.UUID, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: kind.UUID, Filterable: true},
			{Name: "number_uuid", Expr: "number_id", Kind: kind.UUID, Filterable: true},
			{Name: "template_uuid", Expr: "template_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "owner_uuid", Expr: "owner_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "created_by_uuid", Expr: "created_by", Kind: kind.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "from", Expr: "sender", Kind: kind.Text, Filterable: true},
			{Name: "to", Expr: "recipient", Kind: kind.Text, Filterable: true},
			text("direction"), text("state"), text("reason"), text("code"), text("owner_type"),
			{Name: "opt_out_review", Expr: "opt_out_review", Kind: kind.Text, Nullable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "due_at", Expr: "due_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
		Search: []string{"body"}, Expand: []string{expandNumber, expandTemplate},
	})
})
