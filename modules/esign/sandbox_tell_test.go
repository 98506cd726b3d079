package esign_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
)

func TestSandbox_TellsUsInTheVendorsOrderOverHTTP(t *testing.T) {
	t.Parallel()
	var boxes sync.Map
	eachTheater(t, func(t *testing.T, p theater) {
		t.Helper()
		u, err := p.Create(p.as(t), lading())
		require.NoError(t, err)
		page := p.open(t, u.ID, "1")
		p.submit(t, page, "action", "later")
		p.submit(t, page, "action", "decline", "reason", "Wrong rate")
		found, _ := boxes.Load(p.DB)
		in := found.(*inbound.Inbox) //nolint:forcetypeassert // it was put there
		var events []string
		for _, d := range p.WaitHandled(t, p.Owner, 6) {
			require.Equal(t, "esign.callback", d.Kind)
			require.NotEmpty(t, d.Key, "it is signed with the key of the account")
			_, n, err := in.Find(p.as(t), d.ID)
			require.NoError(t, err)
			said := gjson.ParseBytes(n.Body)
			require.Equal(t, []string{p.id, u.ID, "0"}, []string{said.Get("data.accountId").String(), said.Get("data.envelopeId").String(), said.Get("retryCount").Raw})
			events = append(events, said.Get("event").String())
		}
		require.Equal(t, []string{"envelope-sent", "recipient-sent", "recipient-delivered", "recipient-finish-later", "recipient-declined", "envelope-declined"}, events)
	}, moduletest.With(fx.Invoke(func(db *database.DB, in *inbound.Inbox) { boxes.Store(db, in) })))
}

func TestSandbox_TellsAgainWhatWasNotTakenAndKeepsTheOrder(t *testing.T) {
	t.Parallel()
	eachTheater(t, func(t *testing.T, p theater) {
		t.Helper()
		u, err := p.Create(p.as(t), lading())
		require.NoError(t, err)
		var told []string
		fails := 2
		bring := func() error {
			return p.box.DeliverNotices(p.as(t), sandbox.DeliverJob{Envelope: uuid.MustParse(u.ID)}, func(_ context.Context, n *vendorsandbox.Notice, body []byte) error {
				told = append(told, n.Event+" "+gjson.GetBytes(body, "retryCount").Raw)
				if fails > 0 {
					fails--

					return errors.New("503")
				}

				return nil
			})
		}
		require.True(t, jobs.IsLater(bring()))
		require.True(t, jobs.IsLater(bring()))
		require.NoError(t, bring())
		require.NoError(t, bring(), "there is nothing more to tell")
		require.Equal(t, []string{"envelope-sent 0", "envelope-sent 1", "envelope-sent 2", "recipient-sent 0"}, told)

		p.submit(t, p.open(t, u.ID, "1"), "action", "later")
		told, fails = nil, 10
		for range 9 {
			require.True(t, jobs.IsLater(bring()))
		}
		require.NoError(t, bring())
		require.Equal(t, "recipient-finish-later 0", told[10], "what nobody takes is given up, and the rest is told")
	}, moduletest.Set("roles=api"))
}

func TestSandbox_HasOneAtATimeTellOfAnEnvelope(t *testing.T) {
	t.Parallel()
	eachTheater(t, func(t *testing.T, p theater) {
		t.Helper()
		u, err := p.Create(p.as(t), lading())
		require.NoError(t, err)
		args := sandbox.DeliverJob{Envelope: uuid.MustParse(u.ID)}
		told := 0
		require.NoError(t, p.box.DeliverNotices(p.as(t), args, func(ctx context.Context, _ *vendorsandbox.Notice, _ []byte) error {
			told++
			other := p.box.DeliverNotices(ctx, args, func(context.Context, *vendorsandbox.Notice, []byte) error {
				told += 100

				return nil
			})
			require.True(t, jobs.IsLater(other))

			return nil
		}))
		require.Equal(t, 2, told)
	}, moduletest.Set("roles=api"))
}

func TestSandbox_ForgetsADeletedAccount(t *testing.T) {
	t.Parallel()
	eachTheater(t, func(t *testing.T, p theater) {
		t.Helper()
		u, err := p.Create(p.as(t), lading())
		require.NoError(t, err)
		page := p.open(t, u.ID, "1")
		p.Call(t, p.Owner.Token, http.MethodDelete, accountsBase+"/accounts/"+p.id, nil).OK(t)
		_, err = p.Fetch(p.as(t), u.ID)
		require.ErrorContains(t, err, "ENVELOPE_DOES_NOT_EXIST")
		require.Equal(t, http.StatusNotFound, p.submit(t, page, "action", "sign").Status)
		require.Contains(t, p.look(t, page), "This link is not valid")
	})
}
