package offers

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Sequence asks the carriers of a sequence one after the other.
type Sequence struct {
	offers *resource.Resource[store.Offer]
	rows   *store.Repository
	sender *Sender
	db     *database.DB
	clock  clock.Clock
}

// NewSequence returns a Sequence.
func NewSequence(offers *resource.Resource[store.Offer], rows *store.Repository, s *Sender, db *database.DB, c clock.Clock) *Sequence {
	return &Sequence{offers, rows, s, db, c}
}

// AskNext sends the next offer of a sequence whose carrier can be written to. The others end, and say why.
func (s *Sequence) AskNext(ctx context.Context, o store.Offer) error {
	if o.Batch == nil {
		return nil
	}
	asking := principal.AsCompany(ctx, principal.CompanyOf(ctx))
	for {
		next, err := s.rows.NextOfBatch(ctx, *o.Batch)
		if errors.Is(err, store.ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		err = s.db.Savepoint(asking, func(ctx context.Context) error {
			_, err := s.sender.SendOne(ctx, next.ID, store.VerbSend, store.Proposal{Party: store.System})

			return err
		})
		if !errors.Is(err, notify.ErrNoChannel) {
			return err
		}
		why := err.Error()
		if refusal, ok := errors.AsType[*errs.Error](err); ok {
			why = refusal.Message
		}
		if _, err := s.offers.Change(asking, next.ID, web.IfMatch{}, store.VerbWithdraw, func(ctx context.Context, o *store.Offer) error {
			o.End(ctx, string(store.VerbWithdraw), why, s.clock.Now())

			return s.offers.Step(ctx, o, state.Move{Verb: string(store.VerbWithdraw), Reason: why})
		}); err != nil {
			return err
		}
	}
}
