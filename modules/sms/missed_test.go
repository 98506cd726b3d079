package sms

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/incoming"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
)

func TestFetchAccount_ReceivesWhatCameWhileTheServiceWasAway(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		account, other, third := p.from.AccountID, "+12025550131", "+12025550132"
		fetch := func() {
			t.Helper()
			require.NoError(t, p.fetcher.FetchAccount(ctx, incoming.FetchAccount{Account: account}))
		}
		begun := p.at.Now()
		at := func(minutes int) time.Time { return begun.Add(time.Duration(minutes) * time.Minute) }
		missed := func(id, from, body string, minutes int) provider.Inbound {
			return provider.Inbound{ID: id, From: from, To: p.from.Number, Body: body, At: at(minutes)}
		}
		brought := func(in provider.Inbound) {
			t.Helper()
			in.At = time.Time{} // as a notification that is not late
			_, err := p.receiver.Receive(ctx, account, in)
			require.NoError(t, err)
		}
		optedOut := func(number string) bool {
			t.Helper()
			is, err := p.store.OptedOut(ctx, number)
			require.NoError(t, err)

			return is
		}
		p.at.Advance(time.Hour)
		brought(missed("known", other, "Hello", 60))
		p.at.Advance(time.Hour)
		brought(missed("stop", third, "STOP", 120))
		p.at.Advance(time.Hour)
		p.vendor.missed = []provider.Inbound{
			missed("late", other, "STOP", 50), missed("first", other, "Where are you?", 40), missed("known", other, "Hello", 60),
			missed("start", third, "START", 45), missed("before", other, "Too old", -60),
		}
		fetch()
		require.True(t, optedOut(other))
		require.True(t, optedOut(third), "STOP came after the START that was missed")
		for id, there := range map[string]bool{"late": true, "first": true, "start": true, "before": false} {
			_, err := p.store.MessageByProviderID(ctx, account, id)
			require.Equal(t, there, err == nil, id)
		}
		first, err := p.store.MessageByProviderID(ctx, account, "first")
		require.NoError(t, err)
		last, err := p.store.MessageByProviderID(ctx, account, "late")
		require.NoError(t, err)
		require.Equal(t, first.ThreadID, last.ThreadID)
		talk, err := p.store.Thread(ctx, first.ThreadID)
		require.NoError(t, err)
		require.Equal(t, last.ID, talk.LastID, "nothing late is answered, and the newest comes last")
		require.Equal(t, int64(3), talk.Unread)

		p.at.Advance(30 * time.Hour)
		fetch()
		require.Equal(t, []time.Time{begun, at(120)}, p.vendor.missedSince, "an hour before it was asked last")
		talk, err = p.store.Thread(ctx, first.ThreadID)
		require.NoError(t, err)
		require.Equal(t, int64(3), talk.Unread, "what is known is left alone")
		p.at.Advance(100 * time.Hour)
		fetch()
		require.Equal(t, p.at.Now().Add(-72*time.Hour), p.vendor.missedSince[2])
	})
}
