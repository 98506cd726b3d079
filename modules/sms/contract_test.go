package sms_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// contract is what other areas have of this one.
type contract struct {
	as      func(company moduletest.Company) context.Context
	sender  smsapi.Sender
	optOuts smsapi.OptOuts
}

// eachContract tests the contract as another area uses it: the company has a default number.
func eachContract(t *testing.T, test func(t *testing.T, d desk, c contract)) {
	t.Helper()
	var made sync.Map
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := open(t, a)
		d.put(t, "/numbers/company/default", map[string]any{"number_uuid": d.number}).OK(t)
		found, _ := made.Load(a.DB)
		c := found.(contract)
		c.as = func(company moduletest.Company) context.Context {
			return principal.AsCompany(t.Context(), company.ID)
		}
		test(t, d, c)
	}, moduletest.With(fx.Invoke(func(db *database.DB, s smsapi.Sender, o smsapi.OptOuts) {
		made.Store(db, contract{sender: s, optOuts: o})
	})))
}

func TestContract_SendsWithTheCallersTransactionOrNotAtAll(t *testing.T) {
	t.Parallel()
	eachContract(t, func(t *testing.T, d desk, c contract) {
		t.Helper()
		ctx := c.as(d.Owner)
		boom := errors.New("boom")
		require.ErrorIs(t, d.DB.InTx(ctx, func(ctx context.Context) error {
			_, err := c.sender.Send(ctx, smsapi.Outgoing{To: "+12025550130", Body: "Never"})
			require.NoError(t, err)

			return boom
		}), boom)
		require.Zero(t, d.get(t, "/messages").OK(t).Get("data.#").Int())
		require.Empty(t, d.EventNames(t, d.Owner))

		about := ""
		require.NoError(t, d.DB.InTx(ctx, func(ctx context.Context) (err error) {
			about, err = c.sender.Send(ctx, smsapi.Outgoing{To: "202 555 0130", Body: "Near", IgnoreQuietHours: true})

			return err
		}))
		d.until(t, "/messages/"+about, "state", "delivered")
		read := d.get(t, "/messages/"+about).OK(t)
		require.Equal(t, "+12025550130", read.Get("to").String())
		require.False(t, read.Get("created_by_uuid").Exists() && read.Get("created_by_uuid").String() != "", "nobody in person")

		template := d.post(t, "/templates", `{"name": "About", "body": "{{ what }}: {{ item.to }}"}`).OK(t).Get("uuid").String()
		later := clock.System{}.Now().Add(time.Hour)
		id, err := c.sender.Send(ctx, smsapi.Outgoing{
			To: "+12025550131", Template: template, Variables: map[string]any{"what": "Copy"}, From: d.number, SendAt: later,
			OwnerType: smsapi.Item, OwnerUUID: about, Media: []string{"https://example.com/a.png"},
		})
		require.NoError(t, err)
		read = d.get(t, "/messages/"+id).OK(t)
		require.Equal(t, "Copy: +12025550130", read.Get("body").String())
		require.Equal(t, "scheduled", read.Get("state").String())
		require.Equal(t, about, read.Get("owner_uuid").String())
		require.Equal(t, "https://example.com/a.png", read.Get("media.0").String())
	})
}

func TestContract_RefusesInTheWordsOfTheArea(t *testing.T) {
	t.Parallel()
	eachContract(t, func(t *testing.T, d desk, c contract) {
		t.Helper()
		ctx := c.as(d.Owner)
		const nowhere = "0190d0c0-0000-7000-8000-0000000000ff"
		tests := map[string]struct {
			m    smsapi.Outgoing
			code string
		}{
			"no number":           {smsapi.Outgoing{To: "nobody", Body: "Hi"}, "sms.not_a_number"},
			"no text":             {smsapi.Outgoing{To: "+12025550130"}, "sms.invalid"},
			"no id":               {smsapi.Outgoing{To: "+12025550130", Body: "Hi", From: "mine"}, "sms.invalid"},
			"an unknown number":   {smsapi.Outgoing{To: "+12025550130", Body: "Hi", From: nowhere}, "sms.number_not_found"},
			"an unknown template": {smsapi.Outgoing{To: "+12025550130", Template: nowhere}, "sms.template_not_found"},
			"an unknown item":     {smsapi.Outgoing{To: "+12025550130", Body: "Hi", OwnerType: smsapi.Item, OwnerUUID: nowhere}, "sms.invalid"},
			"half an item":        {smsapi.Outgoing{To: "+12025550130", Body: "Hi", OwnerType: smsapi.Item}, "sms.invalid"},
		}
		for name, test := range tests {
			_, err := c.sender.Send(ctx, test.m)
			refusal, ok := errors.AsType[*errs.Error](err)
			require.True(t, ok, name)
			require.Equal(t, test.code, refusal.Code, name)
		}
		require.Zero(t, d.get(t, "/messages").OK(t).Get("data.#").Int())
	})
}

func TestContract_KnowsWhoHasOptedOutOfTheCallersCompanyAlone(t *testing.T) {
	t.Parallel()
	eachContract(t, func(t *testing.T, d desk, c contract) {
		t.Helper()
		ctx := c.as(d.Owner)
		d.post(t, "/opt_outs", `{"number": "+12025550130"}`).OK(t)
		other := c.as(d.NewCompany(t))
		for number, want := range map[string]bool{"(202) 555-0130": true, "+12025550131": false} {
			out, err := c.optOuts.OptedOut(ctx, number)
			require.NoError(t, err)
			require.Equal(t, want, out, number)
			out, err = c.optOuts.OptedOut(other, number)
			require.NoError(t, err)
			require.False(t, out, number)
		}
		_, err := c.optOuts.OptedOut(ctx, "nobody")
		require.Error(t, err)
		_, err = c.sender.Send(ctx, smsapi.Outgoing{To: "+12025550130", Body: "Hi"})
		refusal, ok := errors.AsType[*errs.Error](err)
		require.True(t, ok)
		require.Equal(t, "sms.opted_out", refusal.Code)
	})
}
