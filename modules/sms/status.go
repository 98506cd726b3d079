package sms

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// applyStatus is the one way in for what a provider tells of a message of an account, by itself or asked. It may
// be told twice, late, out of order, and at the same time: a message never goes back. Errors: errBadMessageID for
// a message that is not of this account, or whose hand-over is not committed yet; the caller tries again.
func (s *core) applyStatus(ctx context.Context, account uuid.UUID, u provider.Update) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, a, err := s.meant(ctx, account, u)
		if err != nil {
			return err
		}
		if row.Direction == inbound {
			return nil
		}
		if a != nil && a.Outcome != taken && u.Status != provider.Failed {
			// Whatever became of the call: the message was taken.
			if err := s.end(ctx, a, taken, nil); err != nil {
				return err
			}
		}

		return s.observe(ctx, &row, u)
	})
}

// meant returns the message of a provider's notification, held, and the attempt where that is how it is known.
func (s *core) meant(ctx context.Context, account uuid.UUID, u provider.Update) (row message, a *attempt, err error) {
	if u.ID != "" {
		row, err = s.messageOf(ctx, account, u.ID)
	}
	if u.ID == "" || errors.Is(err, errBadMessageID) {
		reference, parsed := uuid.Parse(u.Reference)
		if parsed != nil {
			return row, nil, errBadMessageID
		}
		found, err := s.attempt(ctx, reference)
		if err != nil {
			return row, nil, err
		}
		a, row.ID = &found, found.MessageID
	} else if err != nil {
		return row, nil, err
	}
	if row, err = s.heldMessage(ctx, row.ID); err != nil {
		return row, nil, err
	}
	if row.AccountID != account {
		return row, nil, errBadMessageID
	}
	if a != nil { // it may have changed while the message was waited for
		again, err := s.attempt(ctx, a.ID)

		return row, &again, err
	}

	return row, nil, nil
}

// observe moves a message that is held to where a provider says it is, if that is further, and stores it.
func (s *core) observe(ctx context.Context, row *message, u provider.Update) error {
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
	next, moved, err := lifecycle().Observe(principal.AsCompany(ctx, row.CompanyID), s.states, row.State, stateOf(u.Status), state.Move{
		Verb: verbReport, UUID: row.ID, Party: "provider", Reason: string(u.Reason),
	})
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
		case sent:
			row.SentAt = &at
		case delivered:
			row.DeliveredAt = &at
		}
	} else if row.ProviderStatus == "" {
		row.ProviderStatus = u.Raw
	}
	if row.SentAt == nil && stateOf(u.Status) == sent {
		row.SentAt = &at
	}
	if err := s.saveMessage(ctx, row); err != nil || !moved {
		return err
	}
	if provider.Reason(row.Reason) == provider.OptedOut {
		if err := s.addOptOut(ctx, row.Recipient, optOutOf{source: sourceProvider, message: &row.ID}); err != nil {
			return err
		}
	}
	if err := s.markBad(ctx, *row); err != nil {
		return err
	}

	return s.announce(ctx, *row)
}

// announce publishes where a message has come to.
func (s *core) announce(ctx context.Context, row message) error {
	switch row.State {
	case sent:
		return s.bus.Publish(ctx, smsapi.MessageSent{Message: row.told()})
	case delivered:
		return s.bus.Publish(ctx, smsapi.MessageDelivered{Message: row.told()})
	case undelivered, failed:
		return s.bus.Publish(ctx, smsapi.MessageFailed{Message: row.told(), Reason: row.Reason, Code: row.Code})
	default:
		return nil
	}
}
