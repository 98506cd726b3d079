package sms

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/composing"
	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
)

func TestPurge_ShowsOverHTTPThatATextIsGoneAndAllElse(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		p.settings.KeepBodies = 24 * time.Hour
		row, err := p.outgoing.Send(ctx, composing.Draft{To: "+12025550130", Body: "Gate Zoo-47", FromUUID: p.from.ID, Media: nil})
		require.NoError(t, err)
		row = p.work(ctx, t, row.ID)
		require.NoError(t, p.reports.ApplyStatus(ctx, p.from.AccountID, provider.Update{ID: *row.ProviderID, Status: provider.Delivered}))
		require.Equal(t, int64(1), p.http(http.MethodGet, "/messages?q=Zoo-47").OK(t).Get("data.#").Int())
		p.at.Advance(25 * time.Hour)
		require.NoError(t, p.sweeper.PurgeAll(ctx, delivery.Purge{}))

		read := p.http(http.MethodGet, "/messages/"+row.ID.String()).OK(t)
		require.Empty(t, read.Get("body").String())
		require.NotEmpty(t, read.Get("body_purged_at").String())
		require.Equal(t, "+12025550130", read.Get("to").String())
		require.Equal(t, "delivered", read.Get("state").String())
		require.Equal(t, int64(1), read.Get("attempts.#").Int())
		listed := p.http(http.MethodGet, "/messages?filter[thread_uuid]="+row.ThreadID.String()).OK(t)
		require.Empty(t, listed.Get("data.0.body").String())
		require.Zero(t, p.http(http.MethodGet, "/messages?q=Zoo-47").OK(t).Get("data.#").Int())
		require.Equal(t, int64(1), p.http(http.MethodGet, "/threads").OK(t).Get("data.#").Int())
		for _, path := range []string{"/messages/" + row.ID.String(), "/messages", "/threads", "/messages/" + row.ID.String() + "/transitions"} {
			require.NotContains(t, string(p.http(http.MethodGet, path).OK(t).Body), "Zoo-47", path)
		}
	})
}

// TestSandbox_ABrokenConnectionEndsInDoubtThatAPersonResolves is the number that ends in 08.
func TestSandbox_ABrokenConnectionEndsInDoubtThatAPersonResolves(t *testing.T) {
	t.Parallel()
	eachPlant(t, provider.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		account, err := p.accounts.Create(ctx, "Sandbox", "sandbox", nil)
		require.NoError(t, err)
		from := p.from
		from.ID, from.AccountID, from.Number = database.NewID(), account.ID, "+12025550161"
		require.NoError(t, p.db.InTx(ctx, func(ctx context.Context) error { return p.store.Insert(ctx, &from) }))
		lost := func() string {
			row, err := p.outgoing.Send(ctx, composing.Draft{To: "+12025550108", Body: "Hi", FromUUID: from.ID})
			require.NoError(t, err)
			require.Equal(t, store.Sending, p.message1(ctx, t, row.ID))
			require.Equal(t, "sending", p.http(http.MethodGet, "/messages/"+row.ID.String()).OK(t).Get("state").String())
			row = p.work(ctx, t, row.ID)
			require.Equal(t, store.Unknown, row.State)
			require.Equal(t, int64(1), row.Attempts, "the provider was asked, and got it once")

			return "/messages/" + row.ID.String()
		}
		path := lost()
		read := p.http(http.MethodGet, path).OK(t)
		require.Equal(t, "unknown", read.Get("state").String())
		require.Contains(t, read.Get("explanation").String(), "may have been sent")
		require.Equal(t, "unknown", read.Get("attempts.0.outcome").String())
		p.http(http.MethodPost, path+"/cancel").Refused(t, http.StatusConflict, "state.not_allowed")
		gone := p.http(http.MethodPost, path+"/give_up").OK(t)
		require.Equal(t, "failed", gone.Get("state").String())
		p.http(http.MethodPost, path+"/resend").Refused(t, http.StatusConflict, "state.not_allowed")

		path = lost()
		require.Equal(t, "queued", p.http(http.MethodPost, path+"/resend").OK(t).Get("state").String())
		p.http(http.MethodPost, path+"/resend").Refused(t, http.StatusConflict, "state.not_allowed")
	})
}
