package remit

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// Settings guard changes of how carriers are paid.
type Settings struct {
	// Hold is how long a change is held before it becomes effective, verified or not.
	Hold time.Duration
	// SecondPerson says that another user than the one who proposed a change must verify it.
	SecondPerson bool
}

// Proposer proposes changes of how carriers are paid.
type Proposer struct {
	settings Settings
	payables *Payables
	accounts *accounts.Accounts
	roster   *store.Roster
	applier  *Applier
}

// NewProposer returns a Proposer.
func NewProposer(s Settings, p *Payables, a *accounts.Accounts, r *store.Roster, apply *Applier) *Proposer {
	return &Proposer{s, p, a, r, apply}
}

// Propose proposes a change for a carrier, which replaces a pending one. It joins the caller's transaction. Errors:
// ErrInvalid with the fields of the proposal, carriers.carrier_not_found, and those of areas that refuse it.
func (r *Proposer) Propose(ctx context.Context, carrier uuid.UUID, p Proposal) (made Change, err error) {
	if err := p.Check(); err != nil {
		return made, err
	}
	err = r.roster.InTx(ctx, func(ctx context.Context) error {
		if err := r.roster.HoldStanding(ctx, carrier); err != nil {
			return err
		}
		all, err := r.payables.Of(ctx, carrier)
		if err != nil {
			return err
		}
		now := all[carrier]
		if err := p.checkRelease(now.Effective); err != nil {
			return err
		}
		if now.Pending != nil {
			if err := r.payables.End(ctx, now.Pending.ID); err != nil {
				return err
			}
		}
		if made, err = r.payables.Propose(ctx, p.Row(carrier), r.settings.Hold); err != nil {
			return err
		}
		if err := r.accounts.Keep(ctx, made.ID, secret.Hide(p.AccountNumber)); err != nil {
			return err
		}

		return r.applier.announce(ctx, made)
	})

	return made, err
}
