package esign

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// changesEvery is how often providers are asked what has changed.
	changesEvery = 24 * time.Hour
	// changesPause is how long a provider is left alone that takes no more calls, and does not say for how long.
	changesPause = time.Minute
	// changesTime is how long one page may take, with all that is done with it.
	changesTime = 5 * time.Minute
)

// askingChanges is the job that has every account's provider asked what has changed.
type askingChanges struct{}

// Kind implements jobs.Args.
func (askingChanges) Kind() string { return "esign.ask_changes" }

// askChanges gives each account a job of its own, so that a slow provider holds up nobody else's.
func (s *core) askChanges(ctx context.Context, _ askingChanges) error {
	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, changesOf{Account: account}, jobs.Unique(), jobs.Background())
	})
}

// changesOf is the job that asks for a page of what has changed in an account. The first one has no Since.
type changesOf struct {
	Account uuid.UUID `json:"account"`
	Since   time.Time `json:"since,omitzero"`
	From    string    `json:"from,omitempty"`
	// Begun is when the first page was asked for: up to then all is known after the last one.
	Begun time.Time `json:"begun,omitzero"`
}

// Kind implements jobs.Args.
func (changesOf) Kind() string { return "esign.ask_changes_of_account" }

// askPage asks for a page, applies it, and has the next one asked for. No retry schedule of a vendor's notifications can
// be relied on: what they missed comes this way.
func (s *core) askPage(ctx context.Context, args changesOf) error {
	row, err := s.accounts.One(ctx, args.Account)
	if errors.Is(err, errAccount) || err == nil && row.DisabledAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if args.Since.IsZero() {
		args.Begun, args.Since = s.clock.Now(), row.CreatedAt
		if row.ReconciledTo != nil {
			args.Since = *row.ReconciledTo
		}
		args.Since = args.Since.Add(-s.settings.ReconcileOverlap)
	}
	open, err := s.vendors.dial(ctx, row)
	if err != nil {
		return jobs.Permanent(err)
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.CallTimeout)
	defer cancel()
	page, next, err := open.Changes(calling, args.Since, args.From)
	if err != nil {
		return again(err)
	}
	at := s.clock.Now()
	for _, u := range page {
		if _, err := s.apply(ctx, row.ID, asked(u, at)); err != nil {
			return err
		}
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		if next == "" || next == args.From {
			return s.saveReconciled(ctx, row.ID, args.Begun)
		}
		args.From = next

		return s.queue.Enqueue(ctx, args, jobs.Background())
	})
}

// again says what becomes of a job whose provider was asked in vain.
func again(err error) error {
	refusal, ok := errors.AsType[*provider.Error](err)
	switch {
	case !ok:
		return err
	case refusal.Reason == provider.NotSupported:
		return nil
	case refusal.Retryable:
		return jobs.Later(max(refusal.RetryAfter, changesPause))
	default:
		return jobs.Permanent(err)
	}
}
