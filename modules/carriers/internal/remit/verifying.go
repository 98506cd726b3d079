package remit

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/proof"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errSameChannel = errs.New(errs.Invalid, "carriers.same_channel", "The given data was invalid.").
			WithField("via", "The way must not be the one that the request came by: whoever sent it would answer.")
	errSecondPerson = errs.New(errs.Forbidden, "carriers.second_person", "Another user than the one who proposed the change must verify it.")
	errNotPending   = errs.New(errs.Conflict, "carriers.remit_to_not_pending", "The change is no longer pending. Propose a new one.")
)

// verification is how a change was confirmed.
type verification struct {
	Via     string `json:"via" enum:"phone,email,letter,in_person" doc:"How the carrier was reached. It must differ from the way in which the request came in."`
	Channel string `json:"channel,omitempty" maxLength:"320" doc:"The phone or e-mail. It must be on the regulator's record or, if that has none, one of the carrier's own." example:"+12025550143"`
	With    string `json:"with" minLength:"1" maxLength:"200" doc:"Who at the carrier confirmed it." example:"Bo Chen, owner"`
	Note    string `json:"note,omitempty" maxLength:"2000"`
}

// Verifier keeps that changes of how carriers are paid were confirmed.
type Verifier struct {
	settings      Settings
	payables      *Payables
	confirmations *proof.Confirmations
	roster        *store.Roster
	applier       *Applier
}

// NewVerifier returns a Verifier.
func NewVerifier(s Settings, p *Payables, c *proof.Confirmations, r *store.Roster, apply *Applier) *Verifier {
	return &Verifier{s, p, c, r, apply}
}

// verify stores that a change was confirmed, and applies it if its hold is over.
func (s *Verifier) verify(ctx context.Context, id uuid.UUID, match web.IfMatch, v verification) (row Change, err error) {
	err = s.roster.InTx(ctx, func(ctx context.Context) error {
		row, err = s.payables.Verified(ctx, id, match, func(ctx context.Context, c *Change) error { return s.confirm(ctx, c, v) })
		if err != nil || s.payables.Held(row) > 0 {
			return err
		}
		row, err = s.applier.apply(ctx, row)

		return err
	})

	return row, err
}

// confirm refuses a confirmation that proves nothing, and keeps any other with the change.
func (s *Verifier) confirm(ctx context.Context, c *Change, v verification) error {
	by := principal.UserOf(ctx)
	if err := v.check(c, by, s.settings); err != nil {
		return err
	}
	channel, err := s.confirmations.Channel(ctx, c.Carrier, v.Via, v.Channel)
	if err != nil {
		return err
	}
	c.VerifiedBy, c.VerifiedVia, c.Channel, c.VerifiedWith, c.VerifiedNote = by, v.Via, channel, v.With, v.Note

	return nil
}

// check refuses a verification of a change by a user, nil for a service token, that proves nothing.
func (v verification) check(c *Change, by *uuid.UUID, s Settings) error {
	switch {
	case c.State != Pending:
		return errNotPending.WithDetail("state", c.State)
	case v.Via == c.RequestedVia:
		return errSameChannel
	case s.SecondPerson && (by == nil || c.CreatedBy != nil && *by == *c.CreatedBy):
		return errSecondPerson
	default:
		return nil
	}
}
