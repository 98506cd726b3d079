package sms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/optout"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/telnyx"
	"github.com/dispatchd/dispatchd/modules/sms/internal/twilio"
	"github.com/dispatchd/dispatchd/platform/config"
	inbox "github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// maxNotice is more than a vendor's notification has: texts of 1600 characters, ten links, and what it says of places.
const maxNotice = 64 * config.KiB

// noticePause is how long a notification waits before it is looked at again.
const noticePause = 15 * time.Second

const mediaForm = "application/x-www-form-urlencoded"

// twilioStatus and twilioMessage are the two kinds of Twilio's notifications.
func twilioStatus() inbox.Kind[*receiver] {
	return inbox.Kind[*receiver]{
		Name: twilio.KindStatus, Path: "/twilio/{uuid}/status", Summary: "Take a status callback of Twilio",
		Description: "The address is that of GET /accounts/{uuid}. X-Twilio-Signature is verified.",
		Find:        (*receiver).endpoint, Process: noticed(twilio.ReadStatus), Key: twilio.StatusKey,
		Consumes: []string{mediaForm}, MaxBody: maxNotice,
	}
}

func twilioMessage() inbox.Kind[*receiver] {
	return inbox.Kind[*receiver]{
		Name: twilio.KindMessage, Path: "/twilio/{uuid}/message", Summary: "Take a message from outside that Twilio brings",
		Description: "The address is that of GET /accounts/{uuid}. X-Twilio-Signature is verified.",
		Find:        (*receiver).endpoint, Process: noticed(twilio.ReadMessage), Key: twilio.MessageKey,
		Answer: inbox.EmptyTwiML(), Consumes: []string{mediaForm}, MaxBody: maxNotice,
	}
}

// telnyxNotice is the one kind of Telnyx's notifications.
func telnyxNotice() inbox.Kind[*receiver] {
	return inbox.Kind[*receiver]{
		Name: telnyx.Kind, Path: "/telnyx/{uuid}", Summary: "Take a webhook of Telnyx",
		Description: "The address is that of GET /accounts/{uuid}. telnyx-signature-ed25519 is verified.",
		Find:        (*receiver).endpoint, Process: noticed(telnyx.Read), Key: telnyx.Key, MaxBody: maxNotice,
	}
}

// endpoint returns whose endpoint it is, and what verifies what comes there. A disabled account has it still: what was
// sent before comes to an end, and who says STOP is heard.
func (s *receiver) endpoint(ctx context.Context, id uuid.UUID) (inbox.Endpoint, error) {
	row, err := s.endpointOwner(ctx, id)
	if err != nil {
		return inbox.Endpoint{}, err
	}
	e := inbox.Endpoint{Company: row.CompanyID}
	notifier, ok := s.vendors.byName[row.Provider].(provider.Notifier)
	if !ok {
		return e, nil // whose provider is gone: refused
	}
	credentials, err := s.accounts.Open(principal.AsCompany(ctx, row.CompanyID), row)
	if err != nil {
		return e, err
	}
	e.Scheme = notifier.Scheme(credentials)

	return e, nil
}

// noticed is what is done with a notification that an adapter has read.
func noticed(read func(provider.Credentials, inbox.Notification) provider.Notice) func(*receiver, context.Context, inbox.Delivery) error {
	return func(s *receiver, ctx context.Context, d inbox.Delivery) error {
		row, err := s.notified(ctx, d.Endpoint)
		if errors.Is(err, errAccount) {
			return inbox.Ignored("the account was deleted, or has other addresses by now")
		}
		if err != nil {
			return err
		}
		credentials, err := s.accounts.Open(ctx, row)
		if err != nil {
			return err
		}
		notice := read(credentials, d.Notification)
		switch {
		case notice.Update != nil:
			return s.tell(ctx, d, row, *notice.Update)
		case notice.Inbound != nil:
			return s.bring(ctx, d, row, *notice.Inbound)
		default:
			return inbox.Ignored(notice.Ignored)
		}
	}
}

// tell applies what a vendor says of a message. One that is not known may be being handed over; later it is another
// account's, or was not sent by us.
func (s *receiver) tell(ctx context.Context, d inbox.Delivery, row account, u provider.Update) error {
	err := s.db.Savepoint(ctx, func(ctx context.Context) error { return s.applyStatus(ctx, row.ID, u) })
	if !errors.Is(err, errBadMessageID) {
		return err
	}
	if s.early(d) {
		return jobs.Later(noticePause)
	}

	return inbox.Ignored("the account has sent no message that is called " + u.ID)
}

// bring receives a message. One to a number that is not known waits, as the number may be being bought; then it is
// ignored, but STOP is obeyed all the same.
func (s *receiver) bring(ctx context.Context, d inbox.Delivery, row account, in provider.Inbound) error {
	err := s.db.Savepoint(ctx, func(ctx context.Context) error {
		_, err := s.receive(ctx, row.ID, in)

		return err
	})
	if !errors.Is(err, errNumber) {
		return err
	}
	if s.early(d) {
		return jobs.Later(noticePause)
	}
	p, err := s.preferences(ctx)
	if err != nil {
		return err
	}
	if meaning(in, p) == optout.Stop {
		if err := s.addOptOut(ctx, in.From, optOutOf{source: sourceKeyword, keyword: wordStop}); err != nil {
			return err
		}
	}

	return inbox.Ignored("the account has no active number " + in.To + " here: import it")
}

// early reports whether what a notification is about may become known yet.
func (s *receiver) early(d inbox.Delivery) bool {
	return s.clock.Now().Before(d.ReceivedAt.Add(s.settings.StatusWait))
}
