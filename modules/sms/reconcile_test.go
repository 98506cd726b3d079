package sms

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/composing"
	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// Fetch implements provider.Messages.
func (a vendorAccount) Fetch(_ context.Context, id string) (provider.Update, error) {
	v := a.vendor
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = append(v.asked, id)
	if v.tells == nil {
		return provider.Update{}, &provider.Error{Reason: provider.NotSupported, Taken: provider.No}
	}

	return v.tells(id)
}

// runJobs does both jobs.
func (p *plant) runJobs(ctx context.Context, t *testing.T) []string {
	t.Helper()
	p.vendor.asked = nil
	require.NoError(t, p.polls.PollAll(ctx, delivery.PollAll{}))
	require.NoError(t, p.statusPoller.PollAccount(ctx, delivery.PollAccount{Account: p.from.AccountID}))

	return p.vendor.asked
}

func TestAskStatus_EndsWhatNothingWasHeardOf(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		p.vendor.tells = func(id string) (provider.Update, error) {
			return provider.Update{ID: id, Status: provider.Delivered, Raw: "delivered", Cost: provider.Cost{Amount: "0.0079", Currency: "USD"}}, nil
		}
		row := p.work(ctx, t, p.send(ctx, t).ID)
		require.Equal(t, store.Sending, row.State)
		require.Empty(t, p.runJobs(ctx, t), "not yet")
		p.at.Advance(2 * time.Hour)
		require.Equal(t, []string{*row.ProviderID}, p.runJobs(ctx, t))
		require.Equal(t, 1, p.queued(ctx, t, delivery.PollAccount{}.Kind()), "one job of the account, however often it is looked for")
		row, err := p.store.Message(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, store.Delivered, row.State)
		require.Equal(t, "0.0079", row.Cost)
		p.at.Advance(2 * time.Hour)
		require.Empty(t, p.runJobs(ctx, t), "it has ended")
		require.Len(t, p.vendor.taken, 1)
	})
}

func TestAskStatus_IsBoundedAndLeavesAProviderAloneThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		made := time.Duration(0)
		require.NoError(t, p.db.InTx(ctx, func(ctx context.Context) error {
			for range delivery.AskBatch + 20 {
				if err := p.storeAccepted(ctx, p.at.Now().Add(made)); err != nil {
					return err
				}
				made += time.Second
			}

			return nil
		}))
		p.at.Advance(2 * time.Hour)
		require.Len(t, p.runJobs(ctx, t), 1, "it cannot be asked")
		p.vendor.tells = func(string) (provider.Update, error) { return provider.Update{}, errors.New("time-out") }
		require.Len(t, p.runJobs(ctx, t), 1, "it does not answer")
		p.vendor.tells = func(string) (provider.Update, error) {
			return provider.Update{}, &provider.Error{Reason: provider.NotFound, Taken: provider.No}
		}
		require.Len(t, p.runJobs(ctx, t), delivery.AskBatch)
		require.Len(t, p.runJobs(ctx, t), 20, "the others, not the same again")
		require.Empty(t, p.runJobs(ctx, t))
		p.vendor.tells = func(string) (provider.Update, error) {
			return provider.Update{}, &provider.Error{Reason: provider.Auth, Taken: provider.No}
		}
		p.at.Advance(2 * time.Hour)
		require.Len(t, p.runJobs(ctx, t), 1)
		account, err := p.vendors.Accounts.One(ctx, p.from.AccountID)
		require.NoError(t, err)
		require.Equal(t, vendoraccount.Failing, account.Health)
		_, err = p.vendors.Accounts.Disable(ctx, account.ID, anyVersion(), true)
		require.NoError(t, err)
		require.Empty(t, p.runJobs(ctx, t), "a disabled account is not called")
		_, err = p.vendors.Accounts.Disable(ctx, account.ID, anyVersion(), false)
		require.NoError(t, err)
		p.at.Advance(24 * time.Hour)
		require.Empty(t, p.runJobs(ctx, t), "nobody will ever tell")
	})
}

// storeAccepted stores a message that the vendor has taken.
func (p *plant) storeAccepted(ctx context.Context, at time.Time) error {
	id := database.NewID()
	known := sandbox.ID(id.String())
	row := store.Message{
		ID: id, ThreadID: id, AccountID: p.from.AccountID, NumberID: p.from.ID, Direction: store.Outbound, Sender: p.from.Number,
		Recipient: "+12025550130", Body: "Hi", Media: []string{}, Encoding: "GSM-7", Segments: 1, State: store.Sending, ProviderID: &known,
		HeardAt: &at, DueAt: at, Version: 1, CreatedAt: at, UpdatedAt: at,
	}
	t, err := p.store.AddMessageToThread(ctx, &row)
	row.ThreadID = t.ID

	return store.OrElse(err, p.store.Insert(ctx, &row))
}

// queued counts the jobs of a kind that wait.
func (p *plant) queued(ctx context.Context, t *testing.T, kind string) int {
	t.Helper()
	var n int
	require.NoError(t, p.db.Raw(ctx, "test").Raw("SELECT count(*) FROM river_job WHERE kind = ? AND state = 'available'", kind).Scan(&n).Error)

	return n
}

func TestHand_FailsWhereTheAccountIsDisabledMeanwhile(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.send(ctx, t)
		disable := func(disabled bool) {
			_, err := p.vendors.Accounts.Disable(ctx, p.from.AccountID, anyVersion(), disabled)
			require.NoError(t, err)
		}
		disable(true)
		row = p.work(ctx, t, row.ID)
		require.Equal(t, store.Failed, row.State)
		require.Equal(t, delivery.ReasonDisabled, row.Reason)
		require.Empty(t, p.vendor.taken)

		// While the provider is being called it is too late: what it took counts.
		disable(false)
		row = p.send(ctx, t)
		c, _, err := p.beginner.Begin(ctx, row.ID)
		require.NoError(t, err)
		disable(true)
		require.NoError(t, p.sender.Deliver(ctx, *c))
		row, err = p.store.Message(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, store.Sending, row.State)
		require.Len(t, p.vendor.taken, 1)
		require.NoError(t, p.reports.ApplyStatus(ctx, p.from.AccountID, provider.Update{ID: *row.ProviderID, Status: provider.Delivered}))
		row, err = p.store.Message(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, store.Delivered, row.State, "and what it tells later")
	})
}

func TestCancel_RacingTheJobEndsCanceledOrTakenAndNeverBoth(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		for range 20 {
			row, err := p.outgoing.Send(ctx, composing.Draft{To: "+12025550130", Body: "Hi", FromUUID: p.from.ID, SendAt: p.at.Now().Add(time.Minute)})
			require.NoError(t, err)
			require.Equal(t, store.Scheduled, row.State)
			require.Equal(t, store.Scheduled, p.message1(ctx, t, row.ID), "it is too early")
			p.at.Advance(time.Minute)
			before := len(p.vendor.taken)
			canceled := make(chan error, 1)
			go func() { canceled <- p.cancel(ctx, row.ID) }()
			p.message1(ctx, t, row.ID)
			refused := <-canceled
			row, err = p.store.Message(ctx, row.ID)
			require.NoError(t, err)
			if refused == nil {
				require.Equal(t, store.Status("canceled"), row.State)
				require.Len(t, p.vendor.taken, before)
			} else {
				require.Equal(t, store.Sending, row.State)
				require.Len(t, p.vendor.taken, before+1)
			}
			require.NoError(t, p.sender.Send(ctx, delivery.SendMessage{Message: row.ID}))
		}
	})
}

// cancel cancels a message as a user does.
func (p *plant) cancel(ctx context.Context, id uuid.UUID) error {
	who, _ := principal.From(ctx)
	who.Kind, who.User, who.Scopes = principal.User, uuid.New(), []string{"*"}
	_, err := p.messages.Move(principal.With(ctx, who), state.Move{Verb: store.VerbCancel, UUID: id}, anyVersion())

	return err
}
