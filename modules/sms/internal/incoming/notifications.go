// Package incoming takes what providers and phones send: statuses, messages with their keywords and files, opt-outs and threads.
package incoming

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/telnyx"
	"github.com/dispatchd/dispatchd/modules/sms/internal/twilio"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// maxNotice is more than a vendor's notification has: texts of 1600 characters, ten links, and what it says of places.
const maxNotice = 64 * config.KiB

// noticePause is how long a notification waits before it is looked at again.
const noticePause = 15 * time.Second

const mediaForm = "application/x-www-form-urlencoded"

// TwilioStatus is the kind of Twilio's notifications about statuses.
func TwilioStatus() inbound.Kind[*Notifications] {
	return inbound.Kind[*Notifications]{
		Name: twilio.KindStatus, Path: "/twilio/{uuid}/status", Summary: "Receive a status callback from Twilio",
		Description: "GET /accounts/{uuid} shows the address. X-Twilio-Signature is verified.",
		Find:        (*Notifications).endpoint, Process: noticeHandler(twilio.ReadStatus), Key: twilio.StatusKey,
		Consumes: []string{mediaForm}, MaxBody: maxNotice,
	}
}

// TwilioMessage is the kind of Twilio's notifications about inbound messages.
func TwilioMessage() inbound.Kind[*Notifications] {
	return inbound.Kind[*Notifications]{
		Name: twilio.KindMessage, Path: "/twilio/{uuid}/message", Summary: "Receive an inbound message from Twilio",
		Description: "GET /accounts/{uuid} shows the address. X-Twilio-Signature is verified.",
		Find:        (*Notifications).endpoint, Process: noticeHandler(twilio.ReadMessage), Key: twilio.MessageKey,
		Answer: inbound.EmptyTwiML, Consumes: []string{mediaForm}, MaxBody: maxNotice,
	}
}

// TelnyxNotice is the one kind of Telnyx's notifications.
func TelnyxNotice() inbound.Kind[*Notifications] {
	return inbound.Kind[*Notifications]{
		Name: telnyx.Kind, Path: "/telnyx/{uuid}", Summary: "Receive a webhook from Telnyx",
		Description: "GET /accounts/{uuid} shows the address. telnyx-signature-ed25519 is verified.",
		Find:        (*Notifications).endpoint, Process: noticeHandler(telnyx.Read), Key: telnyx.Key, MaxBody: maxNotice,
	}
}

// Notifications takes what providers send.
type Notifications struct {
	db        *database.DB
	endpoints *Endpoints
	receiver  *Receiver
	keywords  *Keywords
	reports   *delivery.Reports
}

// NewNotifications returns Notifications.
func NewNotifications(
	db *database.DB, e *Endpoints, receiver *Receiver, k *Keywords, reports *delivery.Reports,
) *Notifications {
	return &Notifications{db: db, endpoints: e, receiver: receiver, keywords: k, reports: reports}
}

// endpoint returns whose endpoint it is, and what verifies what comes there.
func (s *Notifications) endpoint(ctx context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	return s.endpoints.find(ctx, id)
}

// noticeHandler is what is done with a notification that an adapter has read.
func noticeHandler(read func(provider.Credentials, inbound.Notification) provider.Notice) func(*Notifications, context.Context, inbound.Delivery) error {
	return func(s *Notifications, ctx context.Context, d inbound.Delivery) error {
		row, credentials, err := s.endpoints.account(ctx, d.Endpoint)
		if errors.Is(err, store.ErrAccount) {
			return inbound.Ignored("the account was deleted or has new addresses")
		}
		if err != nil {
			return err
		}
		notice := read(credentials, d.Notification)
		switch {
		case notice.Update != nil:
			return s.applyUpdate(ctx, d, row, *notice.Update)
		case notice.Inbound != nil:
			return s.receiveMessage(ctx, d, row, *notice.Inbound)
		default:
			return inbound.Ignored(notice.Ignored)
		}
	}
}

// applyUpdate applies what a vendor says of a message. One that is not known may be being handed over; later it is another
// account's, or was not sent by us.
func (s *Notifications) applyUpdate(ctx context.Context, d inbound.Delivery, row store.Account, u provider.Update) error {
	err := s.db.Savepoint(ctx, func(ctx context.Context) error { return s.reports.ApplyStatus(ctx, row.ID, u) })
	if !errors.Is(err, store.ErrBadMessageID) {
		return err
	}
	if s.endpoints.mayBecomeKnown(d) {
		return jobs.Later(noticePause)
	}

	return inbound.Ignored("the account has no message with the id " + u.ID)
}

// receiveMessage receives a message. One to a number that is not known waits, as the number may be being bought; then it is
// ignored, but STOP is obeyed all the same.
func (s *Notifications) receiveMessage(ctx context.Context, d inbound.Delivery, row store.Account, in provider.Inbound) error {
	err := s.db.Savepoint(ctx, func(ctx context.Context) error {
		_, err := s.receiver.Receive(ctx, row.ID, in)

		return err
	})
	if !errors.Is(err, store.ErrNumber) {
		return err
	}
	if s.endpoints.mayBecomeKnown(d) {
		return jobs.Later(noticePause)
	}
	if err := s.keywords.obeyStop(ctx, in); err != nil {
		return err
	}

	return inbound.Ignored("the account has no active number " + in.To + " here: import it")
}
