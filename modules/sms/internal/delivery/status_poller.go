package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// AskBatch is how many messages of an account are asked about in one run.
const AskBatch = 100

// PollAll is the job that finds the accounts with messages that have no recent report.
type PollAll struct{}

// Kind implements jobs.Args.
func (PollAll) Kind() string { return "sms.ask_status" }

// PollSchedule finds the accounts whose providers are asked.
type PollSchedule struct {
	store    *store.Repository
	queue    *jobs.Queue
	clock    clock.Clock
	settings *settings.Settings
}

// NewPollSchedule returns a PollSchedule.
func NewPollSchedule(r *store.Repository, queue *jobs.Queue, c clock.Clock, s *settings.Settings) *PollSchedule {
	return &PollSchedule{store: r, queue: queue, clock: c, settings: s}
}

// PollAll gives each account a job of its own, so that a slow provider holds up nobody else's.
func (s *PollSchedule) PollAll(ctx context.Context, _ PollAll) error {
	if s.settings.AskStatusAfter == 0 {
		return nil
	}
	from, to := unreported(s.clock.Now(), s.settings)
	accounts, err := s.store.UnreportedAccounts(ctx, from, to)
	if err != nil {
		return err
	}
	for _, k := range accounts {
		ctx := principal.AsCompany(ctx, k.CompanyID)
		if err := s.store.DB.InTx(ctx, func(ctx context.Context) error {
			return s.queue.Enqueue(ctx, PollAccount{Account: k.ID}, jobs.Unique(), jobs.Background())
		}); err != nil {
			return err
		}
	}

	return nil
}

// unreported is since when a message was made that is asked about, and until when it was heard of last.
func unreported(now time.Time, s *settings.Settings) (made, heard time.Time) {
	return now.Add(-s.AskStatusFor), now.Add(-s.AskStatusAfter)
}

// StatusPoller asks providers about messages without a recent report.
type StatusPoller struct {
	store    *store.Repository
	vendors  *vendors.Service
	reports  *Reports
	clock    clock.Clock
	settings *settings.Settings
}

// NewStatusPoller returns a StatusPoller.
func NewStatusPoller(r *store.Repository, v *vendors.Service, reports *Reports, c clock.Clock, s *settings.Settings) *StatusPoller {
	return &StatusPoller{store: r, vendors: v, reports: reports, clock: c, settings: s}
}

// PollAccount is the job that asks a provider about messages of an account.
type PollAccount struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (PollAccount) Kind() string { return "sms.ask_status_of_account" }

// PollAccount asks about those that were heard of the longest time ago. A provider that cannot be asked, or does not
// answer, is left alone until the next run.
func (s *StatusPoller) PollAccount(ctx context.Context, args PollAccount) error {
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
	made, heard := unreported(s.clock.Now(), s.settings)
	rows, err := s.store.UnreportedMessages(ctx, from.ID, made, heard, AskBatch)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if goOn, err := s.pollMessage(ctx, from, open, row); err != nil || !goOn {
			return err
		}
	}

	return nil
}

// pollMessage asks about one message, and reports whether the provider can be asked about others.
func (s *StatusPoller) pollMessage(ctx context.Context, from store.Account, open vendors.Line, row store.Message) (goOn bool, err error) {
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	update, err := open.Fetch(calling, *row.ProviderID)
	refusal, answered := errors.AsType[*provider.Error](err)
	switch {
	case err == nil:
		if update.ID == "" {
			update.ID = *row.ProviderID
		}
		err = s.reports.ApplyStatus(ctx, from.ID, update)
	case answered && refusal.Reason == provider.NotFound:
		// It knows nothing of it, by now. What it said before counts.
		err = s.store.DB.InTx(ctx, func(ctx context.Context) error { return s.store.MarkAsked(ctx, row.ID, s.clock.Now()) })
	case answered && refusal.Reason == provider.Auth:
		_, err = s.vendors.NoteHealth(ctx, from, err)

		return false, err
	default:
		return false, nil
	}

	return true, err
}
