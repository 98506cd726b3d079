package sms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	missedEvery = 15 * time.Minute
	// missedOverlap is how far before the last time providers are asked again: their lists lag behind.
	missedOverlap = time.Hour
)

// fetchingAll is the job that has the messages fetched that came while this service was away, or that a provider could not
// bring. It runs at every start as well.
type fetchingAll struct{}

// Kind implements jobs.Args.
func (fetchingAll) Kind() string { return "sms.fetch_missed" }

func (s *receiver) fetchAll(ctx context.Context, _ fetchingAll) error {
	if s.settings.FetchMissedFor == 0 {
		return nil
	}

	return s.accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.queue.Enqueue(ctx, fetching{Account: account}, jobs.Unique(), jobs.Attempts(1))
	}, s.vendors.simulated()...)
}

// fetching is the job that fetches the messages of an account.
type fetching struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (fetching) Kind() string { return "sms.fetch_missed_of_account" }

// fetchAccount asks for the messages to each of the account's numbers since it was asked last. What it has gotten is kept
// also where a later number fails; then the next run asks for the same time again.
func (s *receiver) fetchAccount(ctx context.Context, args fetching) error {
	from, err := s.accounts.One(ctx, args.Account)
	if errors.Is(err, errAccount) {
		return nil
	}
	if err != nil || from.DisabledAt != nil {
		return err
	}
	open, err := s.vendors.dial(ctx, from)
	if err != nil {
		return err
	}
	lines, err := s.activeNumbers(ctx, from.ID)
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
			_, noted := s.noteHealth(ctx, from, err)

			return errors.Join(fmt.Errorf("number %s: %w", to.ID, err), noted)
		}
	}

	return s.db.InTx(ctx, func(ctx context.Context) error { return s.noteFetched(ctx, from.ID, begun) })
}

// fetchNumber receives what came to a number, the oldest first, but nothing from before it was known here.
func (s *receiver) fetchNumber(ctx context.Context, from account, open line, to number, since time.Time) error {
	if to.CreatedAt.After(since) {
		since = to.CreatedAt.Truncate(time.Second)
	}
	calling, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	missed, err := open.Received(calling, provider.Missed{To: to.Number, Since: since, Known: func(ctx context.Context, id string) (bool, error) {
		_, err := s.messageOf(ctx, from.ID, id)
		if errors.Is(err, errBadMessageID) {
			return false, nil
		}

		return err == nil, err
	}})
	if err != nil {
		return err
	}
	slices.SortStableFunc(missed, func(a, b provider.Inbound) int { return a.At.Compare(b.At) })
	for _, in := range missed {
		if _, err := s.receive(ctx, from.ID, in); err != nil && !errors.Is(err, errNumber) {
			return err
		}
	}

	return nil
}

// activeNumbers returns the numbers of an account that get messages.
func (r *repository) activeNumbers(ctx context.Context, account uuid.UUID) ([]number, error) {
	return database.All[number](r.db.Conn(ctx).Where("account_id = ? AND state = ?", account, numberActive).Order("id"))
}

func (r *repository) noteFetched(ctx context.Context, id uuid.UUID, at time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&account{}).Where("id = ?", id).Update("fetched_at", at).Error)
}

// laterConsent reports whether somebody has opted out or in after a time.
func (r *repository) laterConsent(ctx context.Context, number string, at time.Time) (bool, error) {
	n, err := database.Count(r.db.Conn(ctx).Model(&consent{}).Where("number = ? AND created_at > ?", number, at))

	return n > 0, err
}
