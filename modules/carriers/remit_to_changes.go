package carriers

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errSameChannel = errs.New(errs.Invalid, "carriers.same_channel", "The given data was invalid.").
			WithField("via", "The way must not be the one that the request came by: whoever sent it would answer.")
	errSecondPerson = errs.New(errs.Forbidden, "carriers.second_person", "Another user than the one who proposed the change must verify it.")
	errNotPending   = errs.New(errs.Conflict, "carriers.remit_to_not_pending", "The change is no longer pending. Propose a new one.")
)

// remits proposes, verifies and applies changes of how carriers are paid.
type remits struct {
	settings settings
	judge    *judge
	changes  *resource.Resource[remitChange]
	accounts *accounts
	hooks    *hook.Bus
	queue    *jobs.Queue
	db       *database.DB
	clock    clock.Clock
}

func newRemits(s settings, j *judge, changes *resource.Resource[remitChange], a *accounts, hooks *hook.Bus) *remits {
	return &remits{s, j, changes, a, hooks, j.queue, j.db, j.clock}
}

// propose proposes a change for a carrier, which replaces a pending one. It joins the caller's transaction. Errors:
// errRemitTo with the fields of the proposal, carriers.carrier_not_found, and those of areas that refuse it.
func (r *remits) propose(ctx context.Context, carrier uuid.UUID, p remitProposal) (made remitChange, err error) {
	if err := p.check(); err != nil {
		return made, err
	}
	err = r.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.judge.holdStanding(ctx, carrier); err != nil {
			return err
		}
		now, err := r.of(ctx, carrier)
		if err != nil {
			return err
		}
		if e := now.effective; e != nil && e.Kind == paysFactor && (p.Kind != paysFactor || p.Payee != e.Payee) && p.Release == nil {
			return errRemitTo.WithField("release_uuid", "The letter of release of "+e.Payee+" is required.")
		}
		if now.pending != nil {
			if err := r.end(ctx, now.pending.ID); err != nil {
				return err
			}
		}
		row := p.row(carrier)
		row.HoldUntil = clock.Stamp(r.clock.Now().Add(r.settings.RemitHold))
		if made, err = r.changes.Create(ctx, row); err != nil {
			return err
		}
		if err := r.accounts.keep(ctx, made.ID, secret.Hide(p.AccountNumber)); err != nil {
			return err
		}
		if err := hook.Run(ctx, r.hooks, &carriersapi.ChangingRemitTo{Carrier: carrier.String(), Change: made.ID.String()}); err != nil {
			return err
		}

		return r.queue.Enqueue(ctx, applyRemitTo{made.ID}, jobs.At(made.HoldUntil), jobs.Unique())
	})

	return made, err
}

// remitTo has the effective and the pending remit-to of a carrier; each may be nil.
type remitTo struct{ effective, pending *remitChange }

// of returns the remit-to of a carrier.
func (r *remits) of(ctx context.Context, carrier uuid.UUID) (remitTo, error) {
	all, err := r.judge.remitTos(ctx, carrier)

	return all[carrier], err
}

// remitTos returns the remit-tos of carriers.
func (j *judge) remitTos(ctx context.Context, carriers ...uuid.UUID) (map[uuid.UUID]remitTo, error) {
	rows, err := j.remits.Where(ctx, "carrier_id IN ? AND state IN ?", carriers, []remitState{remitEffective, remitPending})
	all := map[uuid.UUID]remitTo{}
	for i := range rows {
		of := all[rows[i].Carrier]
		if rows[i].State == remitEffective {
			of.effective = &rows[i]
		} else {
			of.pending = &rows[i]
		}
		all[rows[i].Carrier] = of
	}

	return all, err
}

// facts adds redirections of payments to the facts about a carrier. The first remit-to redirects nothing.
func (t remitTo) facts(own *verdict.Own) {
	if t.effective != nil && t.effective.Replaces != nil {
		own.RemitToChanged = t.effective.EffectiveOn
	}
	own.RemitToPending = t.pending != nil && t.effective != nil
}

// end ends a change that another one replaces, as the service.
func (r *remits) end(ctx context.Context, id uuid.UUID) error {
	_, err := r.changes.Change(asService(ctx), id, web.IfMatch{}, remitReplace, func(ctx context.Context, c *remitChange) error {
		c.EndedAt = new(r.clock.Now())

		return r.changes.Step(ctx, c, state.Move{Verb: string(remitReplace), Reason: "Another change replaces it."})
	})

	return err
}

// asService returns a context in which the service acts instead of the caller.
func asService(ctx context.Context) context.Context {
	return principal.AsCompany(ctx, principal.CompanyOf(ctx))
}

// verification is how a change was confirmed.
type verification struct {
	Via     string `json:"via" enum:"phone,email,letter,in_person" doc:"How the carrier was reached. It must differ from the way in which the request came in."`
	Channel string `json:"channel,omitempty" maxLength:"320" doc:"The phone or e-mail. It must be on the regulator's record or, if that has none, one of the carrier's own." example:"+12025550143"`
	With    string `json:"with" minLength:"1" maxLength:"200" doc:"Who at the carrier confirmed it." example:"Bo Chen, owner"`
	Note    string `json:"note,omitempty" maxLength:"2000"`
}

// verify stores that a change was confirmed, and applies it if its hold is over.
func (r *remits) verify(ctx context.Context, id uuid.UUID, match web.IfMatch, v verification) (row remitChange, err error) {
	err = r.db.InTx(ctx, func(ctx context.Context) error {
		row, err = r.changes.Change(ctx, id, match, remitVerify, func(ctx context.Context, c *remitChange) error {
			by := principal.UserOf(ctx)
			switch {
			case c.State != remitPending:
				return errNotPending.WithDetail("state", c.State)
			case v.Via == c.RequestedVia:
				return errSameChannel
			case r.settings.RemitSecondPerson && (by == nil || c.CreatedBy != nil && *by == *c.CreatedBy):
				return errSecondPerson
			}
			if err := r.checkChannel(ctx, c.Carrier, &v); err != nil {
				return err
			}
			c.VerifiedAt, c.VerifiedBy = new(r.clock.Now()), by
			c.VerifiedVia, c.Channel, c.VerifiedWith, c.VerifiedNote = v.Via, v.Channel, v.With, v.Note

			return nil
		})
		if err != nil || r.clock.Now().Before(row.HoldUntil) {
			return err
		}
		row, err = r.apply(ctx, row)

		return err
	})

	return row, err
}

// checkChannel normalizes the channel of a verification, and rejects one that is not on the regulator's record.
func (r *remits) checkChannel(ctx context.Context, id uuid.UUID, v *verification) error {
	if v.Via != "phone" && v.Via != "email" {
		return nil
	}
	c, err := r.judge.carriers.Find(ctx, id)
	if err != nil {
		return err
	}
	f, err := r.judge.facts(ctx, &c)
	if err != nil {
		return err
	}
	own := c.own()
	known, others := []string{f.Identity.Phone, f.Identity.CellPhone}, own.Phones
	if v.Via == "email" {
		known, others = []string{f.Identity.Email}, own.Emails
	}
	if !slices.ContainsFunc(known, func(text string) bool { return text != "" }) {
		known = others
	}
	v.Channel = normalChannel(v.Channel)
	if v.Channel == "" || !slices.Contains(known, v.Channel) {
		return errNotOnRecord
	}

	return nil
}

// applyRemitTo is the job that applies a change whose hold is over.
type applyRemitTo struct {
	Change uuid.UUID `json:"change"`
}

// Kind implements jobs.Args.
func (applyRemitTo) Kind() string { return "carriers.apply_remit_to" }

// retryVetoed is when to retry a change that an area vetoed, for example during a pay run.
const retryVetoed = time.Hour

func (r *remits) applyHeld(ctx context.Context, args applyRemitTo) error {
	err := r.db.InTx(ctx, func(ctx context.Context) error {
		row, err := r.changes.Find(ctx, args.Change)
		if err != nil || row.State != remitPending || row.VerifiedAt == nil {
			return err // verifying it applies it
		}
		if left := row.HoldUntil.Sub(r.clock.Now()); left > 0 {
			return jobs.Later(left)
		}
		_, err = r.apply(ctx, row)

		return err
	})
	switch refused, is := errors.AsType[*errs.Error](err); {
	case is && refused.Kind == errs.NotFound:
		return nil
	case is && refused.Kind == errs.Conflict:
		return jobs.Later(retryVetoed)
	default:
		return err
	}
}

// apply makes a change effective, in place of the previous one.
func (r *remits) apply(ctx context.Context, row remitChange) (remitChange, error) {
	if err := r.judge.carriers.Hold(ctx, row.Carrier); err != nil {
		return row, err
	}
	if err := hook.Run(ctx, r.hooks, &carriersapi.ChangingRemitTo{Carrier: row.Carrier.String(), Change: row.ID.String(), Effective: true}); err != nil {
		return row, err
	}
	before, err := r.of(ctx, row.Carrier)
	if err != nil {
		return row, err
	}
	if before.effective != nil {
		if err := r.end(ctx, before.effective.ID); err != nil {
			return row, err
		}
	}
	today, err := r.changes.Today(ctx)
	if err != nil {
		return row, err
	}

	return r.changes.Change(asService(ctx), row.ID, web.IfMatch{}, remitApply, func(ctx context.Context, c *remitChange) error {
		c.EffectiveAt, c.EffectiveOn = new(r.clock.Now()), today
		if before.effective != nil {
			c.Replaces = &before.effective.ID
		}

		return r.changes.Step(ctx, c, state.Move{Verb: string(remitApply), Reason: "It was verified, and its hold is over."})
	})
}

// afterRemitTo has the verdicts of carriers checked again whose remit-to changes, and stores when a change was cancelled.
func (j *judge) afterRemitTo(ctx context.Context, all []*resource.Change[remitChange]) error {
	var ids []uuid.UUID
	for _, c := range all {
		if c.Verb == remitCancel {
			c.After.EndedAt = new(j.clock.Now())
		}
		ids = append(ids, c.After.Carrier)
	}

	return j.enqueue(ctx, distinct(ids))
}

// distinct sorts ids and removes duplicates.
func distinct(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })

	return slices.Compact(ids)
}
