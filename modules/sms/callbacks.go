package sms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/telnyx"
	"github.com/dispatchd/dispatchd/modules/sms/internal/twilio"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// maxNotice is more than a vendor's notification has: texts of 1600 characters, ten links, and what it says of places.
const maxNotice = 64 * config.KiB

// noticePause is how long a notification waits before it is looked at again.
const noticePause = 15 * time.Second

const mediaForm = "application/x-www-form-urlencoded"

// twilioStatus and twilioMessage are the two kinds of Twilio's notifications.
func twilioStatus() inbound.Kind[*notifications] {
	return inbound.Kind[*notifications]{
		Name: twilio.KindStatus, Path: "/twilio/{uuid}/status", Summary: "Receive a status callback from Twilio",
		Description: "GET /accounts/{uuid} shows the address. X-Twilio-Signature is verified.",
		Find:        (*notifications).endpoint, Process: noticeHandler(twilio.ReadStatus), Key: twilio.StatusKey,
		Consumes: []string{mediaForm}, MaxBody: maxNotice,
	}
}

func twilioMessage() inbound.Kind[*notifications] {
	return inbound.Kind[*notifications]{
		Name: twilio.KindMessage, Path: "/twilio/{uuid}/message", Summary: "Receive an inbound message from Twilio",
		Description: "GET /accounts/{uuid} shows the address. X-Twilio-Signature is verified.",
		Find:        (*notifications).endpoint, Process: noticeHandler(twilio.ReadMessage), Key: twilio.MessageKey,
		Answer: inbound.EmptyTwiML, Consumes: []string{mediaForm}, MaxBody: maxNotice,
	}
}

// telnyxNotice is the one kind of Telnyx's notifications.
func telnyxNotice() inbound.Kind[*notifications] {
	return inbound.Kind[*notifications]{
		Name: telnyx.Kind, Path: "/telnyx/{uuid}", Summary: "Receive a webhook from Telnyx",
		Description: "GET /accounts/{uuid} shows the address. telnyx-signature-ed25519 is verified.",
		Find:        (*notifications).endpoint, Process: noticeHandler(telnyx.Read), Key: telnyx.Key, MaxBody: maxNotice,
	}
}

// notifications takes what providers send.
type notifications struct {
	db        *database.DB
	endpoints *endpoints
	receiver  *receiver
	keywords  *keywords
	reports   *delivery.Reports
}

func newNotifications(
	db *database.DB, e *endpoints, receiver *receiver, k *keywords, reports *delivery.Reports,
) *notifications {
	return &notifications{db: db, endpoints: e, receiver: receiver, keywords: k, reports: reports}
}

// endpoint returns whose endpoint it is, and what verifies what comes there.
func (s *notifications) endpoint(ctx context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	return s.endpoints.find(ctx, id)
}

// endpoints are where providers send notifications.
type endpoints struct {
	store    *store.Repository
	vendors  *vendors.Service
	clock    clock.Clock
	settings *settings.Settings
}

func newEndpoints(r *store.Repository, v *vendors.Service, c clock.Clock, s *settings.Settings) *endpoints {
	return &endpoints{store: r, vendors: v, clock: c, settings: s}
}

// find returns whose endpoint it is, and what verifies what comes there. A disabled account has it still: what was
// sent before comes to an end, and who says STOP is heard.
func (s *endpoints) find(ctx context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	row, err := s.store.EndpointOwner(ctx, id)
	if err != nil {
		return inbound.Endpoint{}, err
	}
	e := inbound.Endpoint{Company: row.CompanyID}
	notifier, ok := s.vendors.ByName[row.Provider].(provider.Notifier)
	if !ok {
		return e, nil // whose provider is gone: refused
	}
	credentials, err := s.vendors.Accounts.Open(principal.AsCompany(ctx, row.CompanyID), row)
	if err != nil {
		return e, err
	}
	e.Scheme = notifier.Scheme(credentials)

	return e, nil
}

// account returns the account of an endpoint, with its credentials. Error: store.ErrAccount.
func (s *endpoints) account(ctx context.Context, endpoint uuid.UUID) (row store.Account, credentials provider.Credentials, err error) {
	if row, err = s.store.AccountOfEndpoint(ctx, endpoint); err != nil {
		return row, credentials, err
	}
	credentials, err = s.vendors.Accounts.Open(ctx, row)

	return row, credentials, err
}

// mayBecomeKnown reports whether what a notification is about may become known yet.
func (s *endpoints) mayBecomeKnown(d inbound.Delivery) bool {
	return s.clock.Now().Before(d.ReceivedAt.Add(s.settings.StatusWait))
}

// noticeHandler is what is done with a notification that an adapter has read.
func noticeHandler(read func(provider.Credentials, inbound.Notification) provider.Notice) func(*notifications, context.Context, inbound.Delivery) error {
	return func(s *notifications, ctx context.Context, d inbound.Delivery) error {
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
func (s *notifications) applyUpdate(ctx context.Context, d inbound.Delivery, row store.Account, u provider.Update) error {
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
func (s *notifications) receiveMessage(ctx context.Context, d inbound.Delivery, row store.Account, in provider.Inbound) error {
	err := s.db.Savepoint(ctx, func(ctx context.Context) error {
		_, err := s.receiver.receive(ctx, row.ID, in)

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
