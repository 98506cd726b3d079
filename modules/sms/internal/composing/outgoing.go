package composing

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// Outgoing makes messages of drafts, and has them sent.
type Outgoing struct {
	store    *store.Repository
	composer *Composer
	creator  *Creator
}

// NewOutgoing returns an Outgoing.
func NewOutgoing(r *store.Repository, c *Composer, cr *Creator) *Outgoing {
	return &Outgoing{store: r, composer: c, creator: cr}
}

// Send stores a message, and the job that sends it.
func (s *Outgoing) Send(ctx context.Context, d Draft) (row store.Message, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		c, err := s.composer.compose(ctx, d)
		if err != nil {
			return err
		}
		row, err = s.creator.create(ctx, c)

		return err
	})

	return row, err
}

// outcomeOf is what became of a message of a bulk request.
type outcomeOf struct {
	row store.Message
	err error
}

var errUndone = errors.New("sms: refused a message of an atomic request")

// bulk sends several messages: all or none of them, or each by itself.
func (s *Outgoing) bulk(ctx context.Context, drafts []Draft, atomic bool) (outcomes []outcomeOf, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		outcomes = outcomes[:0]
		for _, d := range drafts {
			var o outcomeOf
			o.err = s.store.DB.Savepoint(ctx, func(ctx context.Context) (err error) {
				c, err := s.composer.compose(ctx, d)
				if err != nil {
					return err
				}
				o.row, err = s.creator.create(ctx, c)

				return err
			})
			if _, expected := errors.AsType[*errs.Error](o.err); o.err != nil && !expected {
				return o.err
			}
			outcomes = append(outcomes, o)
			if o.err != nil && atomic {
				return errUndone
			}
		}

		return nil
	})
	if errors.Is(err, errUndone) {
		return outcomes, nil
	}

	return outcomes, err
}
