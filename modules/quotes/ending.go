package quotes

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// endings are how quotes end that were sent: accepted, declined, taken back, superseded or expired.
type endings struct {
	quotes *resource.Resource[quote]
	rows   *repository
	clock  clock.Clock
}

func newEndings(quotes *resource.Resource[quote], rows *repository, c clock.Clock) *endings {
	return &endings{quotes, rows, c}
}

// open refuses a quote that can no longer be answered.
func (s *endings) open(ctx context.Context, q quote) error {
	switch {
	case q.State == draft:
		return errDraft
	case q.State == superseded:
		return s.newer(ctx, q)
	case q.State == expired:
		return errExpired
	case !q.open():
		return errOver.WithDetail("state", q.State)
	}

	return unexpired(ctx, q, s.clock.Now())
}

// newer is the refusal of a quote that is superseded, with the one that customers are shown now.
func (s *endings) newer(ctx context.Context, q quote) error {
	now, err := s.rows.shown(ctx, *q.Load)
	if err != nil && !errors.Is(err, errNone) {
		return err
	}
	if err == nil && now.open() {
		return errSuperseded.WithDetail("current", map[string]any{"uuid": now.ID, "number": now.Number})
	}

	return errSuperseded.WithMessage("The quote was superseded, and can no longer be accepted.")
}

// taken keeps who accepted a quote, and how.
func (s *endings) taken(ctx context.Context, q *quote, key string, a acceptance) error {
	now := s.clock.Now()
	q.Option, q.AcceptedAt, q.AcceptedBy, q.Address = key, &now, a.Name, a.Address

	return s.quotes.Step(ctx, q, state.Move{Verb: string(verbAccept), Reason: a.Note, Party: a.Party})
}

// end takes a step that ends an open quote, and keeps why.
func (s *endings) end(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, why, party string) (quote, error) {
	return s.quotes.Change(ctx, id, match, verb, func(ctx context.Context, q *quote) error {
		q.EndReason = why

		return s.quotes.Step(ctx, q, state.Move{Verb: string(verb), Reason: why, Party: party})
	})
}

// onBooking closes the open quote of a load that is booked past it. What was sent for just that price is accepted, and the load promises what it does.
func (s *endings) onBooking(ctx context.Context, b *loadsapi.Booking) error {
	id, err := uuid.Parse(b.Load)
	if err != nil {
		return err
	}
	q, err := s.rows.last(ctx, id)
	switch {
	case errors.Is(err, errNone) || err == nil && !slices.Contains(openStates, q.State):
		return nil
	case err != nil:
		return err
	}
	for _, o := range q.Options.V {
		if q.open() && string(o.Tariff) == b.Tariff && string(q.Currency) == b.Currency {
			b.Expedited, b.Within = o.Key != standard, int(o.Within)
			_, err := s.quotes.Change(ctx, q.ID, web.IfMatch{}, verbAccept, func(ctx context.Context, q *quote) error {
				return s.taken(ctx, q, o.Key, acceptance{Note: "The load was booked at this price."})
			})

			return err
		}
	}

	return s.supersede(ctx, q.ID, "The load was booked.")
}

// supersede ends an open quote because of what became of its load, as the service itself.
func (s *endings) supersede(ctx context.Context, id uuid.UUID, why string) error {
	_, err := s.end(principal.AsCompany(ctx, principal.CompanyOf(ctx)), id, web.IfMatch{}, verbSupersede, why, "")

	return err
}

// onLost and onCancelled end the open quote of a load that is over.
func (s *endings) onLost(ctx context.Context, e loadsapi.LostEvent) error { return s.over(ctx, e.Load) }

func (s *endings) onCancelled(ctx context.Context, e loadsapi.CancelledEvent) error {
	return s.over(ctx, e.Load)
}

func (s *endings) over(ctx context.Context, load string) error {
	id, err := uuid.Parse(load)
	if err != nil {
		return err
	}
	q, err := s.rows.last(ctx, id)
	if errors.Is(err, errNone) || err == nil && !slices.Contains(openStates, q.State) {
		return nil
	}
	if err != nil {
		return err
	}

	return s.supersede(ctx, q.ID, "The request was closed.")
}
