package delivery

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Where an opt-out, or a consent, comes from.
const (
	SourceKeyword  = "keyword"
	sourceProvider = "provider"
	sourceManual   = "manual"
)

// OptOutCause is how it came to an opt-out or to its end.
type OptOutCause struct {
	Source, Keyword, reason string
	Message                 *uuid.UUID
	Farewell                *uuid.UUID
}

// OptOuts is the list of numbers that have opted out.
type OptOuts struct {
	store *store.Repository
	bus   *events.Bus
	clock clock.Clock
}

// NewOptOuts returns OptOuts.
func NewOptOuts(r *store.Repository, bus *events.Bus, c clock.Clock) *OptOuts {
	return &OptOuts{store: r, bus: bus, clock: c}
}

// Add puts a number on the list, in the transaction in ctx. A number that is on it already only gets
// another line in the log of consents.
func (s *OptOuts) Add(ctx context.Context, number string, how OptOutCause) error {
	now := s.clock.Now()
	row, err := s.store.LockContact(ctx, number, now)
	if err != nil {
		return err
	}
	if err := s.logConsent(ctx, number, "opt_out", how); err != nil {
		return err
	}
	if row.OptedOutAt != nil {
		return nil
	}
	if err := s.store.EndReviews(ctx, number, store.ReviewOptedOut, now); err != nil {
		return err
	}
	row.OptedOutAt, row.Source, row.Keyword, row.FarewellID = &now, how.Source, how.Keyword, how.Farewell
	if err := s.store.SaveContact(ctx, &row); err != nil {
		return err
	}

	return s.bus.Publish(ctx, smsapi.OptOutAdded{OptOut: row.ID.String(), Number: number, Source: how.Source})
}

// Remove takes a number from the list, in the transaction in ctx. One that is not on it stays so.
func (s *OptOuts) Remove(ctx context.Context, number string, how OptOutCause) error {
	row, err := s.store.LockContact(ctx, number, s.clock.Now())
	if err != nil {
		return err
	}
	if err := s.logConsent(ctx, number, "opt_in", how); err != nil || row.OptedOutAt == nil {
		return err
	}
	row.OptedOutAt, row.Source, row.Keyword, row.FarewellID = nil, "", "", nil
	if err := s.store.SaveContact(ctx, &row); err != nil {
		return err
	}

	return s.bus.Publish(ctx, smsapi.OptOutRemoved{OptOut: row.ID.String(), Number: number, Source: how.Source})
}

func (s *OptOuts) logConsent(ctx context.Context, number, action string, how OptOutCause) error {
	return s.store.Insert(ctx, &store.Consent{
		ID: database.NewID(), Number: number, Action: action, Source: how.Source, Keyword: how.Keyword, Reason: how.reason,
		MessageID: how.Message, UserID: principal.UserOf(ctx), CreatedAt: s.clock.Now(),
	})
}

// AddManually puts a number on the list for somebody who has asked for it elsewhere.
func (s *OptOuts) AddManually(ctx context.Context, number, reason string) (row store.Contact, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if err := s.Add(ctx, number, OptOutCause{Source: sourceManual, reason: reason}); err != nil {
			return err
		}
		row, err = s.store.LockContact(ctx, number, s.clock.Now())

		return err
	})

	return row, err
}

// Review decides whether a message that may be an opt-out is one.
func (s *OptOuts) Review(ctx context.Context, id uuid.UUID, isOptOut bool) (row store.Message, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.store.Message(ctx, id); err != nil {
			return err
		}
		// The contact's row comes first: so do those who receive a message.
		if _, err := s.store.LockContact(ctx, row.Counterpart(), s.clock.Now()); err != nil {
			return err
		}
		if row, err = s.store.LockMessage(ctx, id); err != nil {
			return err
		}
		if row.OptOutReview == nil || *row.OptOutReview != store.ReviewPending {
			return store.ErrNotSuspected
		}
		if isOptOut {
			err = s.Add(ctx, row.Sender, OptOutCause{Source: sourceManual, Message: &row.ID})
		} else {
			err = s.store.EndReview(ctx, id, store.ReviewDismissed, s.clock.Now())
		}
		if err != nil {
			return err
		}
		row, err = s.store.Message(ctx, id)

		return err
	})

	return row, err
}

// RemoveManually takes a number from the list for somebody who has consented elsewhere; reason says how.
func (s *OptOuts) RemoveManually(ctx context.Context, id uuid.UUID, reason string) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.OptOut(ctx, id)
		if err != nil {
			return err
		}

		return s.Remove(ctx, row.Number, OptOutCause{Source: sourceManual, reason: reason})
	})
}
