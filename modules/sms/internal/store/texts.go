package store

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// ColumnSealed has the texts with secrets.
const (
	TableMessages = "sms_messages"
	ColumnSealed  = "sealed_body"
)

// concealed stands for a secret in a text that is kept.
const concealed = "[hidden]"

// Texts keeps secrets, such as codes, out of the texts of messages that people can read.
type Texts struct{ keys *secret.Keys }

// NewTexts returns it.
func NewTexts(keys *secret.Keys) *Texts { return &Texts{keys} }

func placeOf(ctx context.Context, id uuid.UUID) secret.Place {
	who, _ := principal.From(ctx)

	return secret.Place{Table: TableMessages, Column: ColumnSealed, Company: who.Company, ID: id}
}

// Conceal seals the text of a message of the caller's company that is about to be stored, and keeps it without the secrets.
func (t *Texts) Conceal(ctx context.Context, row *Message, secrets []secret.Text) (err error) {
	whole := row.Body
	for _, s := range secrets {
		if s.Reveal() != "" {
			row.Body = strings.ReplaceAll(row.Body, s.Reveal(), concealed)
		}
	}
	if row.Body != whole {
		row.SealedBody, err = t.keys.Seal(ctx, placeOf(ctx, row.ID), []byte(whole))
	}

	return err
}

// Whole returns the text of a message of the caller's company as it is sent.
func (t *Texts) Whole(ctx context.Context, row Message) (string, error) {
	if row.SealedBody == nil {
		return row.Body, nil
	}
	text, err := t.keys.Open(ctx, placeOf(ctx, row.ID), row.SealedBody)

	return string(text), err
}
