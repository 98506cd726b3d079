package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/item"
)

// contract implements smsapi.
type contract struct{ *messages }

func newContractSender(c *core) smsapi.Sender   { return contract{newMessages(c)} }
func newContractOptOuts(c *core) smsapi.OptOuts { return contract{newMessages(c)} }

// Send implements smsapi.Sender.
func (c contract) Send(ctx context.Context, m smsapi.Outgoing) (string, error) {
	d := draft{
		To: m.To, Body: m.Body, Variables: m.Variables, Media: m.Media, SendAt: m.SendAt, Urgent: m.IgnoreQuietHours,
		Owner: item.Ref{Type: m.OwnerType},
	}
	for field, id := range map[string]struct {
		text string
		into *uuid.UUID
	}{"template_uuid": {m.Template, &d.TemplateUUID}, "from_uuid": {m.From, &d.FromUUID}, "owner_uuid": {m.OwnerUUID, &d.Owner.UUID}} {
		if id.text == "" {
			continue
		}
		parsed, err := uuid.Parse(id.text)
		if err != nil {
			return "", errInvalid.WithField(field, "The "+field+" must be a UUID.")
		}
		*id.into = parsed
	}
	row, err := c.send(ctx, d)

	return row.ID.String(), err
}

// OptedOut implements smsapi.OptOuts.
func (c contract) OptedOut(ctx context.Context, number string) (bool, error) {
	e164, err := c.e164(ctx, number, "number")
	if err != nil {
		return false, err
	}

	return c.optedOut(ctx, e164)
}
