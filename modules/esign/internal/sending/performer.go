package sending

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/reports"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// Perform does the job. It commits that it is about to call before it calls: what must not be done twice is not done again
// where nobody knows whether the provider did it.
func (s *Performer) Perform(ctx context.Context, args envelopes.ActArgs) error {
	a, row, wait, err := s.BeginAction(ctx, args.Action)
	if err != nil || wait > 0 {
		return handover.RetryAfter(wait, err)
	}
	if a == nil {
		return nil
	}
	from, err := s.vendors.Accounts.One(ctx, row.AccountID)
	if err != nil {
		return err
	}
	open, err := s.vendors.Open(ctx, from)
	var update *provider.Update
	if err == nil {
		update, err = s.callProvider(ctx, open, row, *a)
	}
	wait, failed := s.finishAction(ctx, a.ID, update, err)
	if failed == nil && err != nil {
		failed = s.vendors.NoteAuthFailure(ctx, from, err)
	}

	return handover.RetryAfter(wait, failed)
}

// BeginAction commits that the provider is being asked; nil if there is nothing to do.
func (s *Performer) BeginAction(ctx context.Context, id uuid.UUID) (a *store.Action, row store.Envelope, wait time.Duration, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		a, wait = nil, 0
		found, err := s.store.HeldAction(ctx, id)
		if errors.Is(err, store.ErrEnvelope) || err == nil && found.State != store.ActionWaiting {
			return nil
		}
		if err != nil {
			return err
		}
		if row, err = s.store.Envelope(ctx, found.EnvelopeID); err != nil {
			return err
		}
		now := s.clock.Now()
		if found.CalledAt != nil {
			if wait = s.policy(found.Verb).InFlight(*found.CalledAt, now); wait > 0 {
				return nil
			}
			if !isRepeatable(found.Verb) {
				found.State, found.Reason, found.UpdatedAt = store.ActionUnknown, string(provider.ProviderDown), now

				return s.store.SaveAction(ctx, &found)
			}
		}
		found.CalledAt, found.UpdatedAt = &now, now
		a = &found

		return s.store.SaveAction(ctx, &found)
	})

	return a, row, wait, err
}

// isRepeatable reports whether an action does the same once and twice. Reminders and corrections send e-mails.
func isRepeatable(verb string) bool { return verb == store.ActVoid || verb == store.ActRefresh }

// callProvider asks the provider, and returns what is known of the envelope then; nil for nothing new.
func (s *Performer) callProvider(ctx context.Context, open provider.Account, row store.Envelope, a store.Action) (*provider.Update, error) {
	if row.ExternalID == nil {
		return s.findMade(ctx, open, row)
	}
	calling, cancel := s.vendors.CallContext(ctx)
	defer cancel()
	id := *row.ExternalID
	switch a.Verb {
	case store.ActVoid:
		if err := open.Void(calling, id, a.Content.Reason); err != nil {
			return nil, err
		}

		return &provider.Update{ID: id, Reference: row.ID.String(), Status: string(store.Voided), At: s.clock.Now(), Reason: a.Content.Reason}, nil
	case store.ActResend:
		return nil, open.Resend(calling, id)
	case store.ActCorrect:
		return nil, open.Correct(calling, id, a.Content.Changed)
	default:
		update, err := open.Fetch(calling, id)

		return &update, err
	}
}

// findMade asks whether an envelope was made whose call had no answer.
func (s *Performer) findMade(ctx context.Context, open provider.Account, row store.Envelope) (*provider.Update, error) {
	found, _, err := findEnvelope(ctx, s.vendors, open, row)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 1:
		return &found[0], nil
	case len(found) > 1:
		return nil, &provider.Error{Reason: provider.Conflict, Taken: provider.No, Detail: severalFound(found)}
	default:
		return nil, &provider.Error{Reason: provider.NotFound, Taken: provider.No, Detail: "The provider has no envelope that was made from this one."}
	}
}

// finishAction commits what came of an action.
func (s *Performer) finishAction(ctx context.Context, id uuid.UUID, update *provider.Update, called error) (wait time.Duration, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		wait = 0
		a, err := s.store.HeldAction(ctx, id)
		if err != nil || a.State != store.ActionWaiting {
			return err
		}
		row, err := s.store.HeldEnvelope(ctx, a.EnvelopeID)
		if err != nil {
			return err
		}
		a.UpdatedAt = s.clock.Now()
		if called == nil {
			err = s.recordDone(ctx, &a, &row, update)
		} else {
			wait = s.recordFailure(ctx, &a, called)
		}
		if err != nil {
			return err
		}

		return s.store.SaveAction(ctx, &a)
	})

	return wait, err
}

// recordDone keeps what the provider has done.
func (s *Performer) recordDone(ctx context.Context, a *store.Action, row *store.Envelope, update *provider.Update) error {
	a.State, a.Reason, a.Code, a.Detail = store.ActionDone, "", "", ""
	if a.Verb == store.ActCorrect {
		return s.applyCorrections(ctx, *row, a.Content.Changed)
	}
	if update == nil {
		return nil
	}

	return s.reports.ApplyAnswer(ctx, row, *update)
}

// applyCorrections has our recipients be as the provider's.
func (s *Performer) applyCorrections(ctx context.Context, row store.Envelope, changed []provider.Recipient) error {
	all, err := s.store.Recipients(ctx, row.ID)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	for _, c := range changed {
		i := slices.IndexFunc(all, func(r store.Recipient) bool { return r.ExternalID == c.ExternalID })
		if i >= 0 {
			r := all[i]
			r.Name, r.Email, r.RoutingOrder, r.UpdatedAt = c.Name, c.Email, int64(c.RoutingOrder), now
			if err := s.store.RenameRecipient(ctx, &r); err != nil {
				return err
			}

			continue
		}
		r := store.Recipient{
			ID: database.NewID(), ExternalID: c.ExternalID, Kind: c.Kind, Name: c.Name, Email: c.Email, RoutingOrder: int64(c.RoutingOrder),
			State: store.RecipientCreated, CreatedAt: now, UpdatedAt: now,
		}
		if err := s.store.InsertRecipients(ctx, row.ID, []store.Recipient{r}); err != nil {
			return err
		}
	}

	return nil
}

// retryPause is the wait between two attempts of an action, for as long as it is retried.
const retryPause = 10 * time.Second

// policy bounds for how long an action is retried, and its outcome asked for: only what does the same once and twice is asked for
// again.
func (s *Performer) policy(verb string) handover.Policy {
	p := handover.Policy{Timeout: s.vendors.Timeout(), RetryFor: s.settings.AskAgainFor, RetryPause: retryPause, LimitPause: limitPause}
	if isRepeatable(verb) {
		p.AskFor = s.settings.AskAgainFor
	}

	return p
}

// recordFailure keeps why an action came to nothing, and says when it is tried again.
func (s *Performer) recordFailure(ctx context.Context, a *store.Action, called error) time.Duration {
	r := handover.CallResult[provider.Reason](struct{}{}, called)
	why := *r.Err
	if why.Reason != provider.ProviderDown && why.Reason != provider.UnknownReason {
		why.Taken = provider.No // a refusal that names its reason has changed nothing
	}
	r.Err = &why
	a.Reason, a.Code, a.Detail = string(why.Reason), why.Code, store.Clip(why.Detail, 2000)
	age := s.clock.Now().Sub(a.CreatedAt)
	if attempt, _ := jobs.Current(ctx); attempt.Last {
		age = max(age, s.settings.AskAgainFor)
	}
	step, wait := r.Next(s.policy(a.Verb), 0, age)
	switch step {
	case handover.Retry:
		a.CalledAt = nil
	case handover.Refuse:
		a.State = store.ActionFailed
	case handover.GiveUp:
		a.State = store.ActionUnknown
	case handover.Accept, handover.Ask:
	}

	return wait
}

// Performer does at providers what is ordered.
type Performer struct {
	db       *database.DB
	store    *store.Repository
	vendors  *accounts.Vendors
	reports  *reports.Service
	clock    clock.Clock
	settings settings.Settings
}

// NewPerformer returns a Performer.
func NewPerformer(r *store.Repository, v *accounts.Vendors, reportService *reports.Service, c clock.Clock, s settings.Settings) *Performer {
	return &Performer{db: r.DB, store: r, vendors: v, reports: reportService, clock: c, settings: s}
}
