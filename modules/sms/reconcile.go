package sms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// askBatch is how many messages of an account are asked about in one run.
const askBatch = 100

// askingAll is the job that finds the accounts with messages of which nothing was heard for long.
type askingAll struct{}

// Kind implements jobs.Args.
func (askingAll) Kind() string { return "sms.ask_status" }

// askAll gives each account a job of its own, so that a slow provider holds up nobody else's.
func (s *sender) askAll(ctx context.Context, _ askingAll) error {
	if s.settings.AskStatusAfter == 0 {
		return nil
	}
	from, to := s.unheardOf()
	accounts, err := s.unheardAccounts(ctx, from, to)
	if err != nil {
		return err
	}
	for _, k := range accounts {
		ctx := principal.AsCompany(ctx, k.CompanyID)
		if err := s.db.InTx(ctx, func(ctx context.Context) error {
			return s.queue.Enqueue(ctx, asking{Account: k.ID}, jobs.Unique(), jobs.Background())
		}); err != nil {
			return err
		}
	}

	return nil
}

// unheardOf is since when a message was made that is asked about, and until when it was heard of last.
func (s *sender) unheardOf() (made, heard time.Time) {
	now := s.clock.Now()

	return now.Add(-s.settings.AskStatusFor), now.Add(-s.settings.AskStatusAfter)
}

// asking is the job that asks a provider about messages of an account.
type asking struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (asking) Kind() string { return "sms.ask_status_of_account" }

// askAccount asks about those that were heard of the longest time ago. A provider that cannot be asked, or does not
// answer, is left alone until the next run.
func (s *sender) askAccount(ctx context.Context, args asking) error {
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
	made, heard := s.unheardOf()
	rows, err := s.unheard(ctx, from.ID, made, heard, askBatch)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if goOn, err := s.askAbout(ctx, from, open, row); err != nil || !goOn {
			return err
		}
	}

	return nil
}

// askAbout asks about one message, and reports whether the provider can be asked about others.
func (s *sender) askAbout(ctx context.Context, from account, open line, row message) (goOn bool, err error) {
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	update, err := open.Fetch(calling, *row.ProviderID)
	refusal, answered := errors.AsType[*provider.Error](err)
	switch {
	case err == nil:
		if update.ID == "" {
			update.ID = *row.ProviderID
		}
		err = s.applyStatus(ctx, from.ID, update)
	case answered && refusal.Reason == provider.NotFound:
		// It knows nothing of it, by now. What it said before counts.
		err = s.db.InTx(ctx, func(ctx context.Context) error { return s.touchMessage(ctx, row.ID, s.clock.Now()) })
	case answered && refusal.Reason == provider.Auth:
		_, err = s.noteHealth(ctx, from, err)

		return false, err
	default:
		return false, nil
	}

	return true, err
}

// unheardAccounts returns the accounts of all companies that have messages to ask about.
func (r *repository) unheardAccounts(ctx context.Context, made, heard time.Time) ([]database.Place, error) {
	return database.All[database.Place](r.db.Conn(database.AcrossCompanies(ctx, "providers are asked for all companies")).Model(&message{}).
		Distinct("company_id", "account_id AS id").
		Where("state IN ('sending', 'sent') AND heard_at < ? AND created_at > ? AND provider_id IS NOT NULL", heard, made))
}

func (r *repository) unheard(ctx context.Context, account uuid.UUID, made, heard time.Time, most int) ([]message, error) {
	return database.All[message](r.db.Conn(ctx).
		Where("account_id = ? AND state IN ('sending', 'sent') AND heard_at < ? AND created_at > ? AND provider_id IS NOT NULL", account, heard, made).
		Order("heard_at").Limit(most))
}

// touchMessage notes that a message was asked about.
func (r *repository) touchMessage(ctx context.Context, id uuid.UUID, now time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&message{}).Where("id = ?", id).Update("heard_at", now).Error)
}
