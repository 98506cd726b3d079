package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/list"
)

// What expand= embeds in the items of lists.
const (
	expandNumber   = "number"
	expandTemplate = "template"
	expandLast     = "last_message"
	expandAccount  = "account"
)

// listMessages lists messages, with their numbers and templates where expand= names them.
func (s *messages) listMessages(ctx context.Context, in *list.Input) (*list.Output[messageBody], error) {
	q, err := in.Parse(ctx, messageSchema())
	if err != nil {
		return nil, err
	}
	rows, err := s.store.Messages(ctx, q)
	if err != nil {
		return nil, err
	}
	page := list.Convert(rows, func(row store.Message) messageBody { return newMessageBody(s.vendors, row) })
	if q.Expands(expandNumber) {
		err = store.Embed(ctx, s.store, page.Data, func(b *messageBody) *uuid.UUID { return &b.NumberUUID }, numberKey,
			func(b *messageBody, row store.Number) { b.Number = new(newNumberBody(row)) })
	}
	if err == nil && q.Expands(expandTemplate) {
		err = store.Embed(ctx, s.store, page.Data, func(b *messageBody) *uuid.UUID { return b.TemplateUUID }, templateKey,
			func(b *messageBody, row store.Template) { b.Template = &row })
	}
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

// listThreads lists threads, with their last messages where expand= names them.
func (s *threads) listThreads(ctx context.Context, in *list.Input) (*list.Output[threadBody], error) {
	q, err := in.Parse(ctx, threadSchema())
	if err != nil {
		return nil, err
	}
	rows, err := s.store.Threads(ctx, q)
	if err != nil {
		return nil, err
	}
	page := list.Convert(rows, newThreadBody)
	if q.Expands(expandLast) {
		err = store.Embed(ctx, s.store, page.Data, func(b *threadBody) *uuid.UUID { return &b.LastMessageUUID }, messageKey,
			func(b *threadBody, row store.Message) { b.LastMessage = new(newMessageBody(s.vendors, row)) })
	}
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

// listNumbers lists numbers, with their accounts where expand= names them.
func (s *numberHandlers) listNumbers(ctx context.Context, in *list.Input) (*list.Output[numberBody], error) {
	q, err := in.Parse(ctx, numberSchema())
	if err != nil {
		return nil, err
	}
	rows, err := s.store.Numbers(ctx, q)
	if err != nil {
		return nil, err
	}
	page := list.Convert(rows, newNumberBody)
	if q.Expands(expandAccount) {
		err = store.Embed(ctx, s.store, page.Data, func(b *numberBody) *uuid.UUID { return &b.AccountUUID }, accountKey,
			func(b *numberBody, row store.Account) { b.Account = new(newAccountBody(s.vendors, row)) })
	}
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

func numberKey(row store.Number) uuid.UUID     { return row.ID }
func templateKey(row store.Template) uuid.UUID { return row.ID }
func messageKey(row store.Message) uuid.UUID   { return row.ID }
func accountKey(row store.Account) uuid.UUID   { return row.ID }
