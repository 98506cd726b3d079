package delivery

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// outcomes moves messages and attempts to where calls of providers have brought them.
type outcomes struct {
	store      *store.Repository
	badNumbers *BadNumbers
	states     *state.Log
	bus        *events.Bus
	clock      clock.Clock
}

// NewOutcomes returns Outcomes.
func NewOutcomes(r *store.Repository, badNumbers *BadNumbers, states *state.Log, bus *events.Bus, c clock.Clock) *outcomes {
	return &outcomes{store: r, badNumbers: badNumbers, states: states, bus: bus, clock: c}
}

// step moves a message by a verb of ours; the caller stores it.
func (s *outcomes) step(ctx context.Context, row *store.Message, verb, reason string) (err error) {
	row.State, err = store.Lifecycle.Apply(principal.AsCompany(ctx, row.CompanyID), s.states, row.State, state.Move{
		Verb: verb, UUID: row.ID, Thing: *row, Reason: reason,
	})
	row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

	return err
}

// fail ends a message.
func (s *outcomes) fail(ctx context.Context, row *store.Message, reason, code string) error {
	if err := s.step(ctx, row, store.VerbFail, reason); err != nil {
		return err
	}
	row.Reason, row.Code = reason, code
	if err := s.store.SaveMessage(ctx, row); err != nil {
		return err
	}
	if err := s.badNumbers.record(ctx, *row); err != nil {
		return err
	}

	return s.bus.Publish(ctx, smsapi.MessageFailed{Message: row.EventData(), Reason: reason, Code: code})
}

// endAttempt keeps what became of an attempt.
func (s *outcomes) endAttempt(ctx context.Context, a *store.Attempt, as store.AttemptOutcome, why *provider.Error) error {
	if a.Outcome = as; as != store.AttemptOpen {
		now := s.clock.Now()
		a.EndedAt = &now
	}
	if why != nil {
		a.Reason, a.Code = string(why.Reason), why.Code
	}
	if as == store.AttemptRefused {
		a.Detail = clip(why.Detail)
	}

	return s.store.SaveAttempt(ctx, a)
}

// clip keeps what a vendor says short.
func clip(text string) string {
	if runes := []rune(text); len(runes) > 500 {
		return string(runes[:500])
	}

	return text
}

// stepAndSave moves a message by a verb of ours, and stores it.
func (s *outcomes) stepAndSave(ctx context.Context, row *store.Message, verb, reason string) error {
	if err := s.step(ctx, row, verb, reason); err != nil {
		return err
	}

	return s.store.SaveMessage(ctx, row)
}

// observe takes the step of a message's life that a provider has reported, and reports whether it is one.
func (s *outcomes) observe(ctx context.Context, row *store.Message, u provider.Update) (next store.Status, moved bool, err error) {
	return store.Lifecycle.Observe(principal.AsCompany(ctx, row.CompanyID), s.states, row.State, store.StateOf(u.Status), state.Move{
		Verb: store.VerbReport, UUID: row.ID, Party: "provider", Reason: string(u.Reason),
	})
}

// reached notes what a message that has come to a state says of its recipient, and publishes it.
func (s *outcomes) reached(ctx context.Context, row store.Message) error {
	if err := s.badNumbers.record(ctx, row); err != nil {
		return err
	}

	return s.publish(ctx, row)
}

// publish publishes where a message has come to.
func (s *outcomes) publish(ctx context.Context, row store.Message) error {
	switch row.State {
	case store.Sent:
		return s.bus.Publish(ctx, smsapi.MessageSent{Message: row.EventData()})
	case store.Delivered:
		return s.bus.Publish(ctx, smsapi.MessageDelivered{Message: row.EventData()})
	case store.Undelivered, store.Failed:
		return s.bus.Publish(ctx, smsapi.MessageFailed{Message: row.EventData(), Reason: row.Reason, Code: row.Code})
	default:
		return nil
	}
}
