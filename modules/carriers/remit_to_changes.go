package carriers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errSameChannel = errs.New(errs.Invalid, "carriers.same_channel", "The given data was invalid.").
			WithField("via", "The way must not be the one that the request came by: whoever sent it would answer.")
	errSecondPerson = errs.New(errs.Forbidden, "carriers.second_person", "Another user than the one who proposed the change must verify it.")
	errNotPending   = errs.New(errs.Conflict, "carriers.remit_to_not_pending", "The change is no longer pending. Propose a new one.")
)

// remits propose changes of how carriers are paid.
type remits struct {
	settings settings
	payables *remit.Payables
	accounts *accounts.Accounts
	roster   *roster
	applier  *applier
}

func newRemits(s settings, p *remit.Payables, a *accounts.Accounts, r *roster, apply *applier) *remits {
	return &remits{s, p, a, r, apply}
}

// propose proposes a change for a carrier, which replaces a pending one. It joins the caller's transaction. Errors:
// errRemitTo with the fields of the proposal, carriers.carrier_not_found, and those of areas that refuse it.
func (r *remits) propose(ctx context.Context, carrier uuid.UUID, p remit.Proposal) (made remit.Change, err error) {
	if err := p.Check(); err != nil {
		return made, err
	}
	err = r.roster.inTx(ctx, func(ctx context.Context) error {
		if err := r.roster.holdStanding(ctx, carrier); err != nil {
			return err
		}
		all, err := r.payables.Of(ctx, carrier)
		if err != nil {
			return err
		}
		now := all[carrier]
		if e := now.Effective; e != nil && e.Kind == remit.Factor && (p.Kind != remit.Factor || p.Payee != e.Payee) && p.Release == nil {
			return remit.ErrInvalid.WithField("release_uuid", "The letter of release of "+e.Payee+" is required.")
		}
		if now.Pending != nil {
			if err := r.payables.End(ctx, now.Pending.ID); err != nil {
				return err
			}
		}
		if made, err = r.payables.Propose(ctx, p.Row(carrier), r.settings.RemitHold); err != nil {
			return err
		}
		if err := r.accounts.Keep(ctx, made.ID, secret.Hide(p.AccountNumber)); err != nil {
			return err
		}

		return r.applier.announce(ctx, made)
	})

	return made, err
}

// verification is how a change was confirmed.
type verification struct {
	Via     string `json:"via" enum:"phone,email,letter,in_person" doc:"How the carrier was reached. It must differ from the way in which the request came in."`
	Channel string `json:"channel,omitempty" maxLength:"320" doc:"The phone or e-mail. It must be on the regulator's record or, if that has none, one of the carrier's own." example:"+12025550143"`
	With    string `json:"with" minLength:"1" maxLength:"200" doc:"Who at the carrier confirmed it." example:"Bo Chen, owner"`
	Note    string `json:"note,omitempty" maxLength:"2000"`
}

// verifier keeps that changes of how carriers are paid were confirmed.
type verifier struct {
	settings      settings
	payables      *remit.Payables
	confirmations *confirmations
	roster        *roster
	applier       *applier
}

func newVerifier(s settings, p *remit.Payables, c *confirmations, r *roster, apply *applier) *verifier {
	return &verifier{s, p, c, r, apply}
}

// verify stores that a change was confirmed, and applies it if its hold is over.
func (s *verifier) verify(ctx context.Context, id uuid.UUID, match web.IfMatch, v verification) (row remit.Change, err error) {
	err = s.roster.inTx(ctx, func(ctx context.Context) error {
		row, err = s.payables.Verified(ctx, id, match, func(ctx context.Context, c *remit.Change) error { return s.confirm(ctx, c, v) })
		if err != nil || s.payables.Held(row) > 0 {
			return err
		}
		row, err = s.applier.apply(ctx, row)

		return err
	})

	return row, err
}

// confirm refuses a confirmation that proves nothing, and keeps any other with the change.
func (s *verifier) confirm(ctx context.Context, c *remit.Change, v verification) error {
	by := principal.UserOf(ctx)
	switch {
	case c.State != remit.Pending:
		return errNotPending.WithDetail("state", c.State)
	case v.Via == c.RequestedVia:
		return errSameChannel
	case s.settings.RemitSecondPerson && (by == nil || c.CreatedBy != nil && *by == *c.CreatedBy):
		return errSecondPerson
	}
	if err := s.confirmations.checkChannel(ctx, c.Carrier, &v); err != nil {
		return err
	}
	c.VerifiedBy, c.VerifiedVia, c.Channel, c.VerifiedWith, c.VerifiedNote = by, v.Via, v.Channel, v.With, v.Note

	return nil
}
