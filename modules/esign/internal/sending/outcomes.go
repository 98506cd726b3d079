package sending

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Outcomes keeps what became of handing envelopes over.
type Outcomes struct {
	store  *store.Repository
	states *state.Log
	bus    *events.Bus
	clock  clock.Clock
}

// NewOutcomes returns an Outcomes.
func NewOutcomes(r *store.Repository, states *state.Log, bus *events.Bus, c clock.Clock) *Outcomes {
	return &Outcomes{store: r, states: states, bus: bus, clock: c}
}

// begin commits that an envelope is being handed over. It says for how long to wait where it is too early, and whether
// there is something to do.
func (s *Outcomes) begin(ctx context.Context, c *call, policy handover.Policy) (wait time.Duration, goOn bool, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		wait, goOn = 0, false
		row, err := s.store.HeldEnvelope(ctx, c.envelope.ID)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		switch {
		case row.State == store.Sending:
			last := row.CalledAt
			if row.AskedAt != nil {
				last = row.AskedAt
			}
			if wait = policy.InFlight(*last, now); wait > 0 {
				return nil
			}
			row.AskedAt = &now // others leave it alone while this one asks
			c.fresh = false
		case row.State != store.Queued || row.Version != c.envelope.Version:
			if row.State == store.Queued { // changed since it was looked at
				wait = time.Second
			}

			return nil
		default:
			if err := s.step(ctx, &row, store.VerbHandOver, ""); err != nil {
				return err
			}
			row.CalledAt, row.AskedAt, c.fresh = &now, nil, true
			row.Attempts++
			row.Reason, row.Code, row.Detail = "", "", ""
		}
		c.envelope, goOn = row, true

		return s.store.SaveEnvelope(ctx, &row)
	})

	return wait, goOn, err
}

// step moves an envelope by a verb of ours; the caller stores it.
func (s *Outcomes) step(ctx context.Context, row *store.Envelope, verb, reason string) (err error) {
	row.State, err = store.Lifecycle.Apply(principal.AsCompany(ctx, row.CompanyID), s.states, row.State, state.Move{Verb: verb, UUID: row.ID, Thing: *row, Reason: reason})
	row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

	return err
}

// failNow ends an envelope that waits to be handed over.
func (s *Outcomes) failNow(ctx context.Context, id uuid.UUID, reason, code, detail string) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.HeldEnvelope(ctx, id)
		if err != nil || row.State != store.Queued {
			return err
		}

		return s.fail(ctx, &row, reason, code, detail)
	})
}

// fail ends an envelope that is held.
func (s *Outcomes) fail(ctx context.Context, row *store.Envelope, reason, code, detail string) error {
	if err := s.step(ctx, row, store.VerbFail, reason); err != nil {
		return err
	}
	row.Reason, row.Code, row.Detail = reason, code, store.Clip(detail, 2000)
	if err := s.store.SaveEnvelope(ctx, row); err != nil {
		return err
	}

	return s.bus.Publish(ctx, esignapi.EnvelopeFailed{About: row.EventAbout(), Reason: reason, Code: code})
}

// noteWaiting keeps why an envelope waits.
func (s *Outcomes) noteWaiting(ctx context.Context, id uuid.UUID, reason, code string) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.HeldEnvelope(ctx, id)
		if err != nil || row.State != store.Queued || row.Reason == reason && row.Code == code {
			return err
		}
		row.Reason, row.Code = reason, code
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.store.SaveEnvelope(ctx, &row)
	})
}

// now is the time by which outcomes are kept.
func (s *Outcomes) now() time.Time { return s.clock.Now() }
