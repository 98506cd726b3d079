package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Where an opt-out, or a consent, comes from.
const (
	sourceKeyword  = "keyword"
	sourceProvider = "provider"
	sourceManual   = "manual"
)

// What becomes of a message that may be an opt-out.
const (
	reviewPending   = "pending"
	reviewOptedOut  = "opted_out"
	reviewDismissed = "dismissed"
)

// optOutOf is how it came to an opt-out or to its end.
type optOutOf struct {
	source, keyword, reason string
	message                 *uuid.UUID
	farewell                *uuid.UUID
}

// addOptOut puts a number on the list, in the transaction in ctx. A number that is on it already only gets
// another line in the log of consents.
func (s *core) addOptOut(ctx context.Context, number string, how optOutOf) error {
	now := s.clock.Now()
	row, err := s.heldContact(ctx, number, now)
	if err != nil {
		return err
	}
	if err := s.logConsent(ctx, number, "opt_out", how); err != nil {
		return err
	}
	if row.OptedOutAt != nil {
		return nil
	}
	if err := s.settleReviews(ctx, number, reviewOptedOut, now); err != nil {
		return err
	}
	row.OptedOutAt, row.Source, row.Keyword, row.FarewellID = &now, how.source, how.keyword, how.farewell
	if err := s.saveContact(ctx, &row); err != nil {
		return err
	}

	return s.bus.Publish(ctx, smsapi.OptOutAdded{OptOut: row.ID.String(), Number: number, Source: how.source})
}

// dropOptOut takes a number from the list, in the transaction in ctx. One that is not on it stays so.
func (s *core) dropOptOut(ctx context.Context, number string, how optOutOf) error {
	row, err := s.heldContact(ctx, number, s.clock.Now())
	if err != nil {
		return err
	}
	if err := s.logConsent(ctx, number, "opt_in", how); err != nil || row.OptedOutAt == nil {
		return err
	}
	row.OptedOutAt, row.Source, row.Keyword, row.FarewellID = nil, "", "", nil
	if err := s.saveContact(ctx, &row); err != nil {
		return err
	}

	return s.bus.Publish(ctx, smsapi.OptOutRemoved{OptOut: row.ID.String(), Number: number, Source: how.source})
}

func (s *core) logConsent(ctx context.Context, number, action string, how optOutOf) error {
	return s.insert(ctx, &consent{
		ID: database.NewID(), Number: number, Action: action, Source: how.source, Keyword: how.keyword, Reason: how.reason,
		MessageID: how.message, UserID: principal.UserOf(ctx), CreatedAt: s.clock.Now(),
	})
}

// optOutByHand puts a number on the list for somebody who has asked for it elsewhere.
func (s *core) optOutByHand(ctx context.Context, text, reason string) (row contact, err error) {
	number, err := s.e164(ctx, text, "number")
	if err != nil {
		return row, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.addOptOut(ctx, number, optOutOf{source: sourceManual, reason: reason}); err != nil {
			return err
		}
		row, err = s.heldContact(ctx, number, s.clock.Now())

		return err
	})

	return row, err
}

// review decides whether a message that may be an opt-out is one.
func (s *core) review(ctx context.Context, id uuid.UUID, isOptOut bool) (row message, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.message(ctx, id); err != nil {
			return err
		}
		// The contact's row comes first: so do those who receive a message.
		if _, err := s.heldContact(ctx, row.counterpart(), s.clock.Now()); err != nil {
			return err
		}
		if row, err = s.heldMessage(ctx, id); err != nil {
			return err
		}
		if row.OptOutReview == nil || *row.OptOutReview != reviewPending {
			return errNotSuspected
		}
		if isOptOut {
			err = s.addOptOut(ctx, row.Sender, optOutOf{source: sourceManual, message: &row.ID})
		} else {
			err = s.settleReview(ctx, id, reviewDismissed, s.clock.Now())
		}
		if err != nil {
			return err
		}
		row, err = s.message(ctx, id)

		return err
	})

	return row, err
}

// optInByHand takes a number from the list for somebody who has consented elsewhere; reason says how.
func (s *core) optInByHand(ctx context.Context, id uuid.UUID, reason string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.optOut(ctx, id)
		if err != nil {
			return err
		}

		return s.dropOptOut(ctx, row.Number, optOutOf{source: sourceManual, reason: reason})
	})
}
