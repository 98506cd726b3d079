package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
)

// contract implements smsapi.
type contract struct {
	recipients *recipients
	outgoing   *outgoing
	company    *companySettings
	store      *store.Repository
}

func newContract(out *outgoing, to *recipients, company *companySettings, r *store.Repository) contract {
	return contract{outgoing: out, recipients: to, company: company, store: r}
}

func newContractSender(c contract) smsapi.Sender   { return c }
func newContractOptOuts(c contract) smsapi.OptOuts { return c }

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
			return "", store.ErrInvalid.WithField(field, "The "+field+" must be a UUID.")
		}
		*id.into = parsed
	}
	row, err := c.outgoing.send(ctx, d)

	return row.ID.String(), err
}

// notify is the channel of text messages.
func (c contract) notify(ctx context.Context, m notify.Message) error {
	_, err := c.outgoing.send(ctx, draft{To: m.To, Body: m.Text.Reveal(), Secrets: m.Secrets, Owner: m.About, Urgent: m.Urgent, Screened: true})

	return err
}

// refuses is the screen of text messages: it returns why a number gets none.
func (c contract) refuses(ctx context.Context, a notify.Address) (string, error) {
	if a.Channel != notify.SMS {
		return "", nil
	}

	return c.recipients.refuses(ctx, a.To)
}

// OptedOut implements smsapi.OptOuts.
func (c contract) OptedOut(ctx context.Context, number string) (bool, error) {
	e164, err := c.company.parseNumber(ctx, number, "number")
	if err != nil {
		return false, err
	}

	return c.store.OptedOut(ctx, e164)
}
