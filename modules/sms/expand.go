package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
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
	rows, err := s.messages(ctx, q)
	if err != nil {
		return nil, err
	}
	page := list.Convert(rows, showMessage)
	if q.Expands(expandNumber) {
		err = embed(ctx, s.repository, page.Data, func(b *messageBody) *uuid.UUID { return &b.NumberUUID }, numberKey,
			func(b *messageBody, row number) { b.Number = new(showNumber(row)) })
	}
	if err == nil && q.Expands(expandTemplate) {
		err = embed(ctx, s.repository, page.Data, func(b *messageBody) *uuid.UUID { return b.TemplateUUID }, templateKey,
			func(b *messageBody, row template) { b.Template = &row })
	}
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

// listThreads lists threads, with their last messages where expand= names them.
func (s *receiver) listThreads(ctx context.Context, in *list.Input) (*list.Output[threadBody], error) {
	q, err := in.Parse(ctx, threadSchema())
	if err != nil {
		return nil, err
	}
	rows, err := s.threads(ctx, q)
	if err != nil {
		return nil, err
	}
	page := list.Convert(rows, showThread)
	if q.Expands(expandLast) {
		err = embed(ctx, s.repository, page.Data, func(b *threadBody) *uuid.UUID { return &b.LastMessageUUID }, messageKey,
			func(b *threadBody, row message) { b.LastMessage = new(showMessage(row)) })
	}
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

// listNumbers lists numbers, with their accounts where expand= names them.
func (s *numbers) listNumbers(ctx context.Context, in *list.Input) (*list.Output[numberBody], error) {
	q, err := in.Parse(ctx, numberSchema())
	if err != nil {
		return nil, err
	}
	rows, err := s.numbers(ctx, q)
	if err != nil {
		return nil, err
	}
	page := list.Convert(rows, showNumber)
	if q.Expands(expandAccount) {
		err = embed(ctx, s.repository, page.Data, func(b *numberBody) *uuid.UUID { return &b.AccountUUID }, accountKey,
			func(b *numberBody, row account) { b.Account = new(s.show(row)) })
	}
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

func numberKey(row number) uuid.UUID     { return row.ID }
func templateKey(row template) uuid.UUID { return row.ID }
func messageKey(row message) uuid.UUID   { return row.ID }
func accountKey(row account) uuid.UUID   { return row.ID }

// embed gives each item the row that it refers to, by one statement for all. A row that is not there is left out.
func embed[B, R any](
	ctx context.Context, r *repository, items []B, refers func(*B) *uuid.UUID, key func(R) uuid.UUID, put func(*B, R),
) error {
	wanted := map[uuid.UUID][]*B{}
	for i := range items {
		if id := refers(&items[i]); id != nil {
			wanted[*id] = append(wanted[*id], &items[i])
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, 0, len(wanted))
	for id := range wanted {
		ids = append(ids, id)
	}
	var rows []R
	if err := r.db.Conn(ctx).Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return database.Translate(err)
	}
	for _, row := range rows {
		for _, item := range wanted[key(row)] {
			put(item, row)
		}
	}

	return nil
}
