package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/company"
	"github.com/dispatchd/dispatchd/modules/sms/internal/composing"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
)

// contract implements smsapi.
type contract struct {
	recipients *composing.Recipients
	outgoing   *composing.Outgoing
	company    *company.Profile
	store      *store.Repository
}

func newContract(out *composing.Outgoing, to *composing.Recipients, company *company.Profile, r *store.Repository) contract {
	return contract{outgoing: out, recipients: to, company: company, store: r}
}

func newContractSender(c contract) smsapi.Sender { return c }

func newContractOptOuts(c contract) smsapi.OptOuts { return c }

// Send implements smsapi.Sender.
func (c contract) Send(ctx context.Context, m smsapi.Outgoing) (string, error) {
	d := composing.Draft{
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
	row, err := c.outgoing.Send(ctx, d)

	return row.ID.String(), err
}

// notify is the channel of text messages.
func (c contract) notify(ctx context.Context, m notify.Message) error {
	_, err := c.outgoing.Send(ctx, composing.Draft{To: m.To, Body: m.Text.Reveal(), Secrets: m.Secrets, Owner: m.About, Urgent: m.Urgent, Screened: true})

	return err
}

// refuses is the screen of text messages: it returns why a number gets none.
func (c contract) refuses(ctx context.Context, a notify.Address) (string, error) {
	if a.Channel != notify.SMS {
		return "", nil
	}

	return c.recipients.Refuses(ctx, a.To)
}

// OptedOut implements smsapi.OptOuts.
func (c contract) OptedOut(ctx context.Context, number string) (bool, error) {
	e164, err := c.company.ParseNumber(ctx, number, "number")
	if err != nil {
		return false, err
	}

	return c.store.OptedOut(ctx, e164)
}
