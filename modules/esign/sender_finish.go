package esign

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// finish commits what came of a call.
func (s *sender) finish(ctx context.Context, c call, update provider.Update, called error) error {
	var wait time.Duration
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		wait = 0
		row, err := s.heldEnvelope(ctx, c.envelope.ID)
		if err != nil {
			return err
		}
		refusal, answered := errors.AsType[*provider.Error](called)
		switch {
		case called == nil:
			return s.made(ctx, &row, update)
		case row.State != sending:
			return nil // a notification was faster
		case answered && refusal.Taken == provider.No:
			wait, err = s.refused(ctx, &row, refusal)

			return err
		}
		wait, err = s.doubt(ctx, &row, called)

		return err
	})
	if err == nil && called != nil {
		err = s.noteRefused(ctx, c.account, called)
	}
	if err == nil && wait > 0 {
		return jobs.Later(wait)
	}

	return err
}

// made keeps that the provider has the envelope. What was filled in is dropped: it is in the documents.
func (s *sender) made(ctx context.Context, row *envelope, update provider.Update) error {
	if err := s.heard(ctx, row, update); err != nil {
		return err
	}
	row.Content.Values = nil

	return s.saveContent(ctx, row)
}

// refused keeps that no envelope was made: it is handed over again if that is of use, or fails.
func (s *sender) refused(ctx context.Context, row *envelope, refusal *provider.Error) (time.Duration, error) {
	limited := refusal.Reason == provider.RateLimited
	if !limited && (!refusal.Retryable || row.Attempts >= int64(s.settings.MaxAttempts)) {
		return 0, s.fail(ctx, row, string(refusal.Reason), refusal.Code, refusal.Detail)
	}
	wait := max(refusal.RetryAfter, pause(row.Attempts))
	if limited {
		row.Attempts--
		wait = max(refusal.RetryAfter, 30*time.Second)
	}
	if err := s.step(ctx, row, verbRequeue, string(refusal.Reason)); err != nil {
		return 0, err
	}
	row.Reason, row.Code, row.Detail = string(refusal.Reason), refusal.Code, clipTo(refusal.Detail, 2000)

	return wait, s.saveEnvelope(ctx, row)
}

// pause is how long to wait after that many attempts: 2s, 4s, 8s … 5m at most.
func pause(attempts int64) time.Duration {
	return min(time.Second<<min(max(attempts, 1), 10), 5*time.Minute)
}

// doubt deals with a call of which nobody knows whether the envelope was made. It is never made again by itself: the
// provider is asked, later; in the end a person decides.
func (s *sender) doubt(ctx context.Context, row *envelope, why error) (time.Duration, error) {
	reason, code := reasonOf(why)
	row.Reason, row.Code, row.Detail = string(reason), code, detailOf(why)
	if s.clock.Now().Sub(*row.CalledAt) < s.settings.AskAgainFor {
		return s.patience(), s.saveEnvelope(ctx, row)
	}
	if err := s.step(ctx, row, verbLose, row.Reason); err != nil {
		return 0, err
	}

	return 0, s.saveEnvelope(ctx, row)
}

// detailOf is what a provider says of a failure, or we.
func detailOf(err error) string {
	if refusal, ok := errors.AsType[*provider.Error](err); ok {
		return clipTo(refusal.Detail, 2000)
	}
	if several, ok := errors.AsType[*severalError](err); ok {
		return clipTo(several.Error(), 2000)
	}

	return ""
}

// severalError says that the provider has several envelopes of one reference: a person has to look.
type severalError struct{ ids []string }

// Error implements error.
func (e *severalError) Error() string {
	return "The provider has several envelopes that were made from this one: " + strings.Join(e.ids, ", ") + ". Void all but one, and refresh."
}

var errSilent = errors.New("esign: the provider does not say what became of the envelope")

// ask finds out about a call that ended without an answer.
func (s *sender) ask(ctx context.Context, c call) error {
	found, complete, err := s.find(ctx, c.open, c.envelope)
	refusal, answered := errors.AsType[*provider.Error](err)
	switch {
	case answered && refusal.Reason == provider.RateLimited:
		return jobs.Later(max(refusal.RetryAfter, s.patience()))
	case err != nil:
		return s.finish(ctx, c, provider.Update{}, silence(err))
	case len(found) == 1:
		return s.finish(ctx, c, found[0], nil)
	case len(found) > 1:
		return s.finish(ctx, c, provider.Update{}, several(found))
	case complete:
		return s.finish(ctx, c, provider.Update{}, &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true})
	default:
		return s.finish(ctx, c, provider.Update{}, errSilent)
	}
}

func several(found []provider.Update) error {
	e := &severalError{}
	for _, u := range found {
		e.ids = append(e.ids, u.ID)
	}

	return e
}

// find looks for an envelope at the provider, by our name of it.
func (s *core) find(ctx context.Context, open provider.Account, row envelope) ([]provider.Update, bool, error) {
	calling, cancel := context.WithTimeout(ctx, s.settings.CallTimeout)
	defer cancel()

	return open.Find(calling, row.ID.String(), row.CreatedAt.Add(-time.Hour), value(row.CalledAt)) // clocks differ
}

// silence is an error of asking: that a question was refused says nothing of the envelope.
func silence(err error) error {
	if refusal, ok := errors.AsType[*provider.Error](err); ok {
		quiet := *refusal
		quiet.Taken = provider.Unknown

		return &quiet
	}

	return fmt.Errorf("asking: %w", err)
}
