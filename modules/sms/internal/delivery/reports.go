package delivery

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// Reports applies what providers report of messages.
type Reports struct {
	store    *store.Repository
	outcomes *outcomes
	optOuts  *OptOuts
	clock    clock.Clock
}

// NewReports returns Reports.
func NewReports(r *store.Repository, outcomes *outcomes, optOuts *OptOuts, c clock.Clock) *Reports {
	return &Reports{store: r, outcomes: outcomes, optOuts: optOuts, clock: c}
}

// ApplyStatus is the one way in for what a provider tells of a message of an account, by itself or asked. It may
// be told twice, late, out of order, and at the same time: a message never goes back. Errors: errBadMessageID for
// a message that is not of this account, or whose hand-over is not committed yet; the caller tries again.
func (s *Reports) ApplyStatus(ctx context.Context, account uuid.UUID, u provider.Update) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, a, err := s.findMessage(ctx, account, u)
		if err != nil {
			return err
		}
		if row.Direction == store.Inbound {
			return nil
		}
		if a != nil && a.Outcome != store.AttemptAccepted && u.Status != provider.Failed {
			// Whatever became of the call: the message was taken.
			if err := s.outcomes.endAttempt(ctx, a, store.AttemptAccepted, nil); err != nil {
				return err
			}
		}

		return s.apply(ctx, &row, u)
	})
}

// findMessage returns the message of a provider's notification, held, and the attempt where that is how it is known.
func (s *Reports) findMessage(ctx context.Context, account uuid.UUID, u provider.Update) (row store.Message, a *store.Attempt, err error) {
	if u.ID != "" {
		row, err = s.store.MessageByProviderID(ctx, account, u.ID)
	}
	if u.ID == "" || errors.Is(err, store.ErrBadMessageID) {
		reference, parsed := uuid.Parse(u.Reference)
		if parsed != nil {
			return row, nil, store.ErrBadMessageID
		}
		found, err := s.store.Attempt(ctx, reference)
		if err != nil {
			return row, nil, err
		}
		a, row.ID = &found, found.MessageID
	} else if err != nil {
		return row, nil, err
	}
	if row, err = s.store.LockMessage(ctx, row.ID); err != nil {
		return row, nil, err
	}
	if row.AccountID != account {
		return row, nil, store.ErrBadMessageID
	}
	if a != nil { // it may have changed while the message was waited for
		again, err := s.store.Attempt(ctx, a.ID)

		return row, &again, err
	}

	return row, nil, nil
}

// apply moves a message that is held to where a provider says it is, if that is further, and stores it.
func (s *Reports) apply(ctx context.Context, row *store.Message, u provider.Update) error {
	now := s.clock.Now()
	row.HeardAt = &now
	if u.ID != "" && row.ProviderID == nil {
		row.ProviderID = &u.ID
	}
	if u.Segments > 0 {
		row.Segments = int64(u.Segments)
	}
	if u.Cost.Amount != "" {
		row.Cost, row.Currency = u.Cost.Amount, u.Cost.Currency
	}
	next, moved, err := s.outcomes.observe(ctx, row, u)
	if err != nil {
		return err
	}
	row.Version, row.UpdatedAt = row.Version+1, now
	at := u.At
	if at.IsZero() || at.After(now) {
		at = now
	}
	if moved {
		row.State, row.ProviderStatus, row.Reason, row.Code = next, u.Raw, string(u.Reason), u.Code
		switch next { //nolint:exhaustive // where providers lead
		case store.Sent:
			row.SentAt = &at
		case store.Delivered:
			row.DeliveredAt = &at
		}
	} else if row.ProviderStatus == "" {
		row.ProviderStatus = u.Raw
	}
	if row.SentAt == nil && store.StateOf(u.Status) == store.Sent {
		row.SentAt = &at
	}
	if err := s.store.SaveMessage(ctx, row); err != nil || !moved {
		return err
	}
	if provider.Reason(row.Reason) == provider.OptedOut {
		if err := s.optOuts.Add(ctx, row.Recipient, OptOutCause{Source: sourceProvider, Message: &row.ID}); err != nil {
			return err
		}
	}

	return s.outcomes.reached(ctx, *row)
}
