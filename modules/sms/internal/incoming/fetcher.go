package incoming

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// FetchEvery is how often missed messages are fetched.
	FetchEvery = 15 * time.Minute
	// missedOverlap is how far before the last time providers are asked again: their lists lag behind.
	missedOverlap = time.Hour
)

// FetchAll is the job that has the messages fetched that came while this service was away, or that a provider could not
// bring. It runs at every start as well.
type FetchAll struct{}

// Kind implements jobs.Args.
func (FetchAll) Kind() string { return "sms.fetch_missed" }

// Fetcher asks providers for messages from outside that they could not bring.
type Fetcher struct {
	store    *store.Repository
	vendors  *vendors.Service
	receiver *Receiver
	clock    clock.Clock
	settings *settings.Settings
}

// NewFetcher returns a Fetcher.
func NewFetcher(r *store.Repository, v *vendors.Service, receiver *Receiver, c clock.Clock, s *settings.Settings) *Fetcher {
	return &Fetcher{store: r, vendors: v, receiver: receiver, clock: c, settings: s}
}

// FetchSchedule has the messages of all accounts fetched.
type FetchSchedule struct {
	vendors  *vendors.Service
	queue    *jobs.Queue
	settings *settings.Settings
}

// NewFetchSchedule returns a FetchSchedule.
func NewFetchSchedule(v *vendors.Service, queue *jobs.Queue, s *settings.Settings) *FetchSchedule {
	return &FetchSchedule{vendors: v, queue: queue, settings: s}
}

// FetchAll enqueues a job for each account in use.
func (s *FetchSchedule) FetchAll(ctx context.Context, _ FetchAll) error {
	if s.settings.FetchMissedFor == 0 {
		return nil
	}

	return s.vendors.Accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, FetchAccount{Account: account}, jobs.Unique(), jobs.Attempts(1))
	}, s.vendors.Simulated()...)
}

// FetchAccount is the job that fetches the messages of an account.
type FetchAccount struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (FetchAccount) Kind() string { return "sms.fetch_missed_of_account" }

// FetchAccount asks for the messages to each of the account's numbers since it was asked last. What it has gotten is kept
// also where a later number fails; then the next run asks for the same time again.
func (s *Fetcher) FetchAccount(ctx context.Context, args FetchAccount) error {
	from, err := s.vendors.Accounts.One(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) {
		return nil
	}
	if err != nil || from.DisabledAt != nil {
		return err
	}
	open, err := s.vendors.Open(ctx, from)
	if err != nil {
		return err
	}
	lines, err := s.store.ActiveNumbers(ctx, from.ID)
	if err != nil {
		return err
	}
	begun := s.clock.Now()
	since := begun.Add(-s.settings.FetchMissedFor)
	if asked := from.FetchedAt; asked != nil && asked.Add(-missedOverlap).After(since) {
		since = asked.Add(-missedOverlap)
	}
	for _, to := range lines {
		if err := s.fetchNumber(ctx, from, open, to, since); err != nil {
			_, noted := s.vendors.NoteHealth(ctx, from, err)

			return errors.Join(fmt.Errorf("number %s: %w", to.ID, err), noted)
		}
	}

	return s.store.DB.InTx(ctx, func(ctx context.Context) error { return s.store.NoteFetched(ctx, from.ID, begun) })
}

// fetchNumber receives what came to a number, the oldest first, but nothing from before it was known here.
func (s *Fetcher) fetchNumber(ctx context.Context, from store.Account, open vendors.Line, to store.Number, since time.Time) error {
	if to.CreatedAt.After(since) {
		since = to.CreatedAt.Truncate(time.Second)
	}
	calling, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	missed, err := open.FetchInbound(calling, provider.Missed{To: to.Number, Since: since, Known: func(ctx context.Context, id string) (bool, error) {
		_, err := s.store.MessageByProviderID(ctx, from.ID, id)
		if errors.Is(err, store.ErrBadMessageID) {
			return false, nil
		}

		return err == nil, err
	}})
	if err != nil {
		return err
	}
	slices.SortStableFunc(missed, func(a, b provider.Inbound) int { return a.At.Compare(b.At) })
	for _, in := range missed {
		if _, err := s.receiver.Receive(ctx, from.ID, in); err != nil && !errors.Is(err, store.ErrNumber) {
			return err
		}
	}

	return nil
}
