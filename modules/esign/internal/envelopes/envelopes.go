// Package envelopes decides about envelopes before they are at the provider, and stores what people order of those that are.
package envelopes

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Service moves envelopes through their life, as people decide.
type Service struct {
	store   *store.Repository
	starter *Starter
	states  *state.Log
	bus     *events.Bus
	clock   clock.Clock
}

// New returns a Service.
func New(r *store.Repository, st *Starter, states *state.Log, bus *events.Bus, clk clock.Clock) *Service {
	return &Service{store: r, starter: st, states: states, bus: bus, clock: clk}
}

// Current implements state.Handlers.
func (s *Service) Current(ctx context.Context, id uuid.UUID) (store.Status, any, error) {
	row, err := s.store.Envelope(ctx, id)

	return row.State, row, err
}

// Log implements state.Handlers.
func (s *Service) Log() *state.Log { return s.states }

// AllowedVerbs are the verbs that the caller may use now.
func (s *Service) AllowedVerbs(ctx context.Context, row store.Envelope) ([]string, error) {
	who, _ := principal.From(ctx)
	steps, err := store.Lifecycle.Allowed(ctx, s.states, row.State, row, who)
	if err != nil {
		return nil, err
	}
	verbs := []string{}
	for _, step := range steps {
		if !slices.Equal(step.Who.Kinds, []principal.Kind{principal.System}) {
			verbs = append(verbs, step.Verb)
		}
	}
	if !who.Allows("esign:" + store.SendScope) {
		return verbs, nil
	}
	for _, verb := range []string{store.ActVoid, store.ActResend, store.ActCorrect, store.ActRefresh} {
		if CheckOrder(row, verb) == nil {
			verbs = append(verbs, verb)
		}
	}

	return verbs, nil
}

// Move is by people: they send, discard, and decide about what nobody knows of.
func (s *Service) Move(ctx context.Context, move state.Move, match web.IfMatch) (row store.Envelope, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.store.HeldEnvelope(ctx, move.UUID); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		move.Thing = row
		if row.State, err = store.Lifecycle.Apply(ctx, s.states, row.State, move); err != nil {
			return err
		}
		now := s.clock.Now()
		row.Version, row.UpdatedAt = row.Version+1, now
		if err := s.applyVerb(ctx, &row, move); err != nil {
			return err
		}

		return s.store.SaveEnvelope(ctx, &row)
	})

	return row, err
}

// applyVerb does what goes with a verb.
func (s *Service) applyVerb(ctx context.Context, row *store.Envelope, move state.Move) error {
	now := s.clock.Now()
	switch move.Verb {
	case store.VerbSend, store.VerbSendAgain:
		row.Reason, row.Code, row.Detail, row.Attempts = "", "", "", 0
		all, err := s.store.Recipients(ctx, row.ID)
		if err != nil {
			return err
		}
		if move.Verb == store.VerbSendAgain {
			return s.starter.startAgain(ctx, row, all)
		}

		return s.starter.start(ctx, row, all)
	case store.VerbGiveUp:
		row.Reason, row.Code, row.Detail = store.ReasonGivenUp, "", move.Reason

		return s.bus.Publish(ctx, esignapi.EnvelopeFailed{About: row.EventAbout(), Reason: row.Reason})
	case store.VerbDiscard:
		row.EndedAt = &now

		return s.starter.release(ctx, *row)
	}

	return nil
}

// SendArgs are the job that hands an envelope over to its provider.
type SendArgs struct {
	Envelope uuid.UUID `json:"envelope"`
}

// Kind implements jobs.Args.
func (SendArgs) Kind() string { return "esign.send" }
