package esign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// actArgs are the job that does at the provider what somebody wants of an envelope.
type actArgs struct {
	Action uuid.UUID `json:"action"`
}

// Kind implements jobs.Args.
func (actArgs) Kind() string { return "esign.act" }

// underWay are the states in which the provider waits for recipients.
func underWay(s status) bool {
	return slices.Contains([]status{processing, sent, delivered, correcting, signed}, s)
}

// order stores what somebody wants of an envelope, and the job that does it. There is one at a time.
func (s *envelopes) order(
	ctx context.Context, id uuid.UUID, match web.IfMatch, verb string, fill func(context.Context, envelope, *actionContent) error,
) (row envelope, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldEnvelope(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if err := orderable(row, verb); err != nil {
			return err
		}
		now := s.clock.Now()
		a := action{ID: database.NewID(), EnvelopeID: row.ID, Verb: verb, State: actionWaiting, CreatedBy: principal.UserOf(ctx), CreatedAt: now, UpdatedAt: now}
		if fill != nil {
			if err := fill(ctx, row, &a.Content); err != nil {
				return err
			}
		}
		err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.insert(ctx, &a) })
		if errors.Is(err, database.ErrDuplicate) {
			return errBusy
		}
		if err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, now
		if err := s.saveEnvelope(ctx, &row); err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, actArgs{Action: a.ID})
	})

	return row, err
}

// orderable refuses what cannot be done with an envelope as it is.
func orderable(row envelope, verb string) error {
	if verb == actRefresh {
		if row.ExternalID == nil && row.State != unknown && row.State != sending {
			return errNotThere.WithDetail("current", string(row.State))
		}

		return nil
	}
	if !underWay(row.State) {
		return errEnded.WithDetail("current", string(row.State))
	}
	if row.ExternalID == nil {
		return errNotThere.WithDetail("current", string(row.State))
	}

	return nil
}

// correction is a recipient as somebody wants it instead. Without an id it is a new one.
type correction struct {
	UUID              uuid.UUID
	Kind, Name, Email string
	RoutingOrder      int
}

// correct has recipients changed who have not signed, and new ones added.
func (s *envelopes) correct(ctx context.Context, id uuid.UUID, match web.IfMatch, changes []correction) (envelope, error) {
	return s.order(ctx, id, match, actCorrect, func(ctx context.Context, row envelope, c *actionContent) error {
		all, err := s.recipients(ctx, row.ID)
		if err != nil {
			return err
		}
		c.Changed, err = corrected(all, changes)

		return err
	})
}

// corrected are the recipients that are changed, and new, as the provider is told of them.
func corrected(all []recipient, changes []correction) ([]provider.Recipient, error) {
	wrong, next := errInvalid, 0
	byID := make(map[uuid.UUID]recipient, len(all))
	for _, r := range all {
		byID[r.ID] = r
		if n, err := strconv.Atoi(r.ExternalID); err == nil {
			next = max(next, n)
		}
	}
	var changed []provider.Recipient
	seen := map[uuid.UUID]bool{}
	for i, c := range changes {
		refuse := func(key, text string) { wrong = wrong.WithField(fmt.Sprintf("recipients.%d.%s", i, key), text) }
		row, known := byID[c.UUID]
		switch {
		case c.UUID == uuid.Nil:
			next++
			row = recipient{ID: database.NewID(), ExternalID: strconv.Itoa(next), Kind: orKind(provider.RecipientKind(c.Kind), provider.Signer), RoutingOrder: 1}
		case !known || seen[c.UUID]:
			refuse("uuid", "The envelope has no such recipient, or it is here twice.")

			continue
		case c.Kind != "" && c.Kind != string(row.Kind):
			refuse("kind", "The kind of a recipient cannot be changed: add another one.")
		case slices.Contains([]recipientStatus{recipientSigned, recipientCompleted, recipientDeclined}, row.State):
			refuse("uuid", "The recipient has done what was asked already: it is "+string(row.State)+".")
		}
		seen[c.UUID] = true
		if c.Name != "" {
			row.Name = c.Name
		}
		if c.Email != "" {
			row.Email = c.Email
		}
		if c.RoutingOrder > 0 {
			row.RoutingOrder = int64(c.RoutingOrder)
		}
		checkPerson(row, refuse)
		changed = append(changed, row.outgoing())
	}
	if len(changed) == 0 && len(wrong.Fields) == 0 {
		wrong = wrong.WithField("recipients", "The recipients must be one or more.")
	}
	if len(all)+len(changes) > 2*mostRecipients || next > mostRecipients {
		wrong = wrong.WithField("recipients", fmt.Sprintf("An envelope has at most %d recipients.", mostRecipients))
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}

	return changed, nil
}

// act does the job. It commits that it is about to call before it calls: what must not be done twice is not done again
// where nobody knows whether the provider did it.
func (s *sender) act(ctx context.Context, args actArgs) error {
	a, row, wait, err := s.beginAction(ctx, args.Action)
	if err != nil || wait > 0 {
		return orLater(err, wait)
	}
	if a == nil {
		return nil
	}
	from, err := s.accounts.One(ctx, row.AccountID)
	if err != nil {
		return err
	}
	open, err := s.vendors.dial(ctx, from)
	var update *provider.Update
	if err == nil {
		update, err = s.perform(ctx, open, row, *a)
	}
	wait, failed := s.finishAction(ctx, a.ID, update, err)
	if failed == nil && err != nil {
		failed = s.noteRefused(ctx, from, err)
	}

	return orLater(failed, wait)
}

func orLater(err error, wait time.Duration) error {
	if err == nil && wait > 0 {
		return jobs.Later(wait)
	}

	return err
}

// beginAction commits that the provider is being asked; nil if there is nothing to do.
func (s *sender) beginAction(ctx context.Context, id uuid.UUID) (a *action, row envelope, wait time.Duration, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		a, wait = nil, 0
		found, err := s.heldAction(ctx, id)
		if errors.Is(err, errEnvelope) || err == nil && found.State != actionWaiting {
			return nil
		}
		if err != nil {
			return err
		}
		if row, err = s.envelope(ctx, found.EnvelopeID); err != nil {
			return err
		}
		now := s.clock.Now()
		if found.CalledAt != nil {
			if free := found.CalledAt.Add(s.patience()); free.After(now) {
				wait = free.Sub(now)

				return nil
			}
			if !repeatable(found.Verb) {
				found.State, found.Reason, found.UpdatedAt = actionUnknown, string(provider.ProviderDown), now

				return s.saveAction(ctx, &found)
			}
		}
		found.CalledAt, found.UpdatedAt = &now, now
		a = &found

		return s.saveAction(ctx, &found)
	})

	return a, row, wait, err
}

// repeatable reports whether an action does the same once and twice. Reminders and corrections send e-mails.
func repeatable(verb string) bool { return verb == actVoid || verb == actRefresh }

// perform asks the provider, and returns what is known of the envelope then; nil for nothing new.
func (s *sender) perform(ctx context.Context, open provider.Account, row envelope, a action) (*provider.Update, error) {
	if row.ExternalID == nil {
		return s.lookFor(ctx, open, row)
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.CallTimeout)
	defer cancel()
	id := *row.ExternalID
	switch a.Verb {
	case actVoid:
		if err := open.Void(calling, id, a.Content.Reason); err != nil {
			return nil, err
		}

		return &provider.Update{ID: id, Reference: row.ID.String(), Status: string(voided), At: s.clock.Now(), Reason: a.Content.Reason}, nil
	case actResend:
		return nil, open.Resend(calling, id)
	case actCorrect:
		return nil, open.Correct(calling, id, a.Content.Changed)
	default:
		update, err := open.Fetch(calling, id)

		return &update, err
	}
}

// lookFor asks about an envelope of which nobody knows whether it was made.
func (s *sender) lookFor(ctx context.Context, open provider.Account, row envelope) (*provider.Update, error) {
	found, _, err := s.find(ctx, open, row)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 1:
		return &found[0], nil
	case len(found) > 1:
		return nil, &provider.Error{Reason: provider.Conflict, Taken: provider.No, Detail: several(found).Error()}
	default:
		return nil, &provider.Error{Reason: provider.NotFound, Taken: provider.No, Detail: "The provider has no envelope that was made from this one."}
	}
}

// finishAction commits what came of an action.
func (s *sender) finishAction(ctx context.Context, id uuid.UUID, update *provider.Update, called error) (wait time.Duration, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		wait = 0
		a, err := s.heldAction(ctx, id)
		if err != nil || a.State != actionWaiting {
			return err
		}
		row, err := s.heldEnvelope(ctx, a.EnvelopeID)
		if err != nil {
			return err
		}
		a.UpdatedAt = s.clock.Now()
		if called == nil {
			err = s.performed(ctx, &a, &row, update)
		} else {
			wait = s.notPerformed(ctx, &a, called)
		}
		if err != nil {
			return err
		}

		return s.saveAction(ctx, &a)
	})

	return wait, err
}

// performed keeps what the provider has done.
func (s *sender) performed(ctx context.Context, a *action, row *envelope, update *provider.Update) error {
	a.State, a.Reason, a.Code, a.Detail = actionDone, "", "", ""
	if a.Verb == actCorrect {
		return s.keepCorrected(ctx, *row, a.Content.Changed)
	}
	if update == nil {
		return nil
	}

	return s.heard(ctx, row, *update)
}

// keepCorrected has our recipients be as the provider's.
func (s *sender) keepCorrected(ctx context.Context, row envelope, changed []provider.Recipient) error {
	all, err := s.recipients(ctx, row.ID)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	for _, c := range changed {
		i := slices.IndexFunc(all, func(r recipient) bool { return r.ExternalID == c.ExternalID })
		if i >= 0 {
			r := all[i]
			r.Name, r.Email, r.RoutingOrder, r.UpdatedAt = c.Name, c.Email, int64(c.RoutingOrder), now
			if err := s.renameRecipient(ctx, &r); err != nil {
				return err
			}

			continue
		}
		r := recipient{
			ID: database.NewID(), ExternalID: c.ExternalID, Kind: c.Kind, Name: c.Name, Email: c.Email, RoutingOrder: int64(c.RoutingOrder),
			State: recipientCreated, CreatedAt: now, UpdatedAt: now,
		}
		if err := s.insertRecipients(ctx, row.ID, []recipient{r}); err != nil {
			return err
		}
	}

	return nil
}

// notPerformed keeps why an action came to nothing, and says when it is tried again.
func (s *sender) notPerformed(ctx context.Context, a *action, called error) time.Duration {
	refusal, answered := errors.AsType[*provider.Error](called)
	reason, code := reasonOf(called)
	a.Reason, a.Code, a.Detail = string(reason), code, detailOf(called)
	attempt, _ := jobs.Current(ctx)
	old := s.clock.Now().Sub(a.CreatedAt) >= s.settings.AskAgainFor || attempt.Last
	refused := answered && (refusal.Taken == provider.No || reason != provider.ProviderDown && reason != provider.UnknownReason)
	switch {
	case answered && reason == provider.RateLimited && !old:
		a.CalledAt = nil

		return max(refusal.RetryAfter, 30*time.Second)
	case refused && refusal.Retryable && !old:
		a.CalledAt = nil

		return max(refusal.RetryAfter, 10*time.Second)
	case refused:
		a.State = actionFailed
	case repeatable(a.Verb) && !old:
		return s.patience()
	default:
		a.State = actionUnknown
	}

	return 0
}
