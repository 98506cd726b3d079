package esign

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sending"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
	"github.com/dispatchd/dispatchd/platform/web"
)

// crash is a point at which the process dies.
type crash string

const (
	beforeTheCall   crash = "between our commit and the call"
	beforeTheResult crash = "between the provider's answer and our commit"
	lostAnswer      crash = "nowhere, but the answer is lost"
)

func TestHand_NeverMakesTwoEnvelopesWhereverItDies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dies            crash
		complete, hides bool
		made            int
		ends            store.Status
	}{
		{dies: beforeTheCall, complete: true, made: 1, ends: store.Sent},
		{dies: beforeTheCall, made: 0, ends: store.Unknown},
		{dies: beforeTheResult, complete: true, made: 1, ends: store.Sent},
		{dies: beforeTheResult, made: 1, ends: store.Sent},
		{dies: beforeTheResult, hides: true, made: 1, ends: store.Unknown},
		{dies: lostAnswer, complete: true, made: 1, ends: store.Sent},
		{dies: lostAnswer, made: 1, ends: store.Sent},
		{dies: lostAnswer, hides: true, made: 1, ends: store.Unknown},
	} {
		t.Run(string(test.dies), func(t *testing.T) {
			t.Parallel()
			eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
				t.Helper()
				row := p.send(ctx, t)
				p.vendor.complete, p.vendor.hides = test.complete, test.hides
				switch test.dies {
				case lostAnswer:
					p.vendor.loses = true
				case beforeTheCall, beforeTheResult:
					c, err := p.sender.Load(ctx, row.ID)
					require.NoError(t, err)
					goOn, err := p.contents.CheckUnchanged(ctx, c)
					require.NoError(t, err)
					require.True(t, goOn)
					_, goOn, err = p.sender.Begin(ctx, c)
					require.NoError(t, err)
					require.True(t, goOn)
					if test.dies == beforeTheResult {
						_, err = p.contents.Call(ctx, *c)
						require.NoError(t, err)
					}
				}
				row = p.work(ctx, t, row.ID)
				require.Equal(t, test.ends, row.State)
				require.Len(t, p.vendor.made, test.made)
				if test.ends == store.Sent {
					require.Equal(t, "E-"+row.ID.String(), *row.ExternalID)
					require.Empty(t, row.Content.Values, "what was filled in is not kept")
				}
			})
		})
	}
}

func TestHand_LeavesACallAloneThatMayBeGoingOn(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.send(ctx, t)
		c, err := p.sender.Load(ctx, row.ID)
		require.NoError(t, err)
		_, goOn, err := p.sender.Begin(ctx, c)
		require.NoError(t, err)
		require.True(t, goOn)
		require.True(t, jobs.IsLater(p.sender.Send(ctx, envelopes.SendArgs{Envelope: row.ID})), "another run, while the call goes on")
		require.Zero(t, p.vendor.count("find"))
		require.NoError(t, p.sender.Run(ctx, *c))
		require.NoError(t, p.sender.Send(ctx, envelopes.SendArgs{Envelope: row.ID}))
		require.Len(t, p.vendor.made, 1)
	})
}

func TestHand_TellsTheProviderAllThatWasWanted(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		d := envelopes.Draft{Template: p.known(ctx, t).ID, Recipients: two(), Source: "load screen", Days: envelopes.Days{ReminderDelay: 1, ReminderEvery: 2, ExpireAfter: 30, ExpireWarn: 3}}
		row, err := p.drafts.Create(ctx, d, false)
		require.NoError(t, err)
		p.work(ctx, t, row.ID)
		require.Len(t, p.vendor.made, 1)
		e := p.vendor.made[0]
		require.Equal(t, []string{row.ID.String(), "T-1", "Please sign", "Here it is."}, []string{e.Reference, e.TemplateID, e.Subject, e.Message})
		require.Equal(t, map[string]string{"service_envelope_uuid": row.ID.String(), "service_source": "load screen"}, e.Fields)
		require.Equal(t, []int{1, 2, 30, 3}, []int{e.ReminderDelay, e.ReminderEvery, e.ExpireAfter, e.ExpireWarn})
		people, err := p.store.Recipients(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, []provider.Recipient{
			{ExternalID: "1", Kind: provider.Signer, Role: "Shipper", Name: "Ann", Email: "ann@example.org", RoutingOrder: 1, Tabs: []provider.Value{{Label: "subject", Type: "text", Text: "A car"}}},
			{ExternalID: "2", Kind: provider.Signer, Role: "Carrier", Name: "Bob", Email: "bob@example.org", RoutingOrder: 2, ClientID: people[1].ID.String()},
		}, e.Recipients)
	})
}

func TestHand_WaitsOrFailsByWhatTheProviderSays(t *testing.T) {
	t.Parallel()
	refusal := func(reason provider.Reason, retryable bool) *provider.Error {
		return &provider.Error{Reason: reason, Taken: provider.No, Retryable: retryable, Code: "CODE", Detail: "As it says."}
	}
	for name, test := range map[string]struct {
		times int
		err   *provider.Error
		ends  store.Status
		made  int
	}{
		"rate limited, longer than it is tried": {40, refusal(provider.RateLimited, true), store.Sent, 1},
		"down for a while":                      {3, refusal(provider.ProviderDown, true), store.Sent, 1},
		"down for good":                         {1000, refusal(provider.ProviderDown, true), store.Failed, 0},
		"consent has expired":                   {1000, refusal(provider.ConsentRequired, false), store.Failed, 0},
		"refused":                               {1000, refusal(provider.Invalid, false), store.Failed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
				t.Helper()
				row := p.send(ctx, t)
				left := test.times
				p.vendor.fails = func(call string) error {
					if left--; call == "create" && left >= 0 {
						return test.err
					}

					return nil
				}
				row = p.work(ctx, t, row.ID)
				require.Equal(t, test.ends, row.State)
				require.Len(t, p.vendor.made, test.made)
				if test.ends != store.Failed {
					return
				}
				require.Equal(t, []string{string(test.err.Reason), "CODE", "As it says."}, []string{row.Reason, row.Code, row.Detail})
				require.Contains(t, explain(row), test.err.Reason.Explain())
				require.Contains(t, p.events(), "esign.envelope.failed")
				from, err := p.vendors.Accounts.One(ctx, p.account.ID)
				require.NoError(t, err)
				require.Equal(t, test.err.Reason == provider.ConsentRequired, from.Health == vendoraccount.Failing)

				// Once the cause is gone, it is sent again.
				p.vendor.fails = nil
				_, err = p.envelopes.Move(ctx, state.Move{Verb: store.VerbSend, UUID: row.ID}, web.IfMatch{})
				require.NoError(t, err)
				require.Equal(t, store.Sent, p.work(ctx, t, row.ID).State)
			})
		})
	}
}

func TestHand_SaysWhyAnEnvelopeWaits(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.send(ctx, t)
		p.vendor.fails = func(string) error {
			return &provider.Error{Reason: provider.RateLimited, Taken: provider.No, Retryable: true, RetryAfter: time.Hour, Code: "HOURLY"}
		}
		require.True(t, jobs.IsLater(p.sender.Send(ctx, envelopes.SendArgs{Envelope: row.ID})))
		row = p.now(ctx, t, row.ID)
		require.Equal(t, store.Queued, row.State)
		require.Equal(t, []string{"rate_limited", "HOURLY"}, []string{row.Reason, row.Code})
		require.Contains(t, explain(row), "no more calls for the moment")
		p.vendor.fails = nil
		row = p.work(ctx, t, row.ID)
		require.Equal(t, store.Sent, row.State)
		require.Empty(t, row.Reason)
	})
}

func TestHand_FailsWhenTheTemplateWasChangedAfterItWasFilledIn(t *testing.T) {
	t.Parallel()
	changes := map[string]struct {
		change func(p *provider.Template)
		reason string
		says   string
	}{
		"a tab that is used is gone": {func(p *provider.Template) { p.Roles[0].Tabs = p.Roles[0].Tabs[1:] }, store.ReasonTemplateChanged, `no tab "subject" of "Shipper" any more`},
		"a tab takes less":           {func(p *provider.Template) { p.Roles[0].Tabs[0].MaxSize = 3 }, store.ReasonTemplateChanged, "at most 3 characters"},
		"a tab is of another type":   {func(p *provider.Template) { p.Roles[0].Tabs[0].Type = "checkbox" }, store.ReasonTemplateChanged, "of the type checkbox now"},
		"a role is gone":             {func(p *provider.Template) { p.Roles = p.Roles[:1] }, store.ReasonTemplateChanged, `no role "Carrier" any more`},
		"there is another signer": {func(p *provider.Template) {
			p.Roles = append(p.Roles, provider.Role{Name: "Third", Kind: provider.Signer})
		}, store.ReasonTemplateChanged, `"Third"`},
		"a tab that nobody can fill": {func(p *provider.Template) { p.Roles[0].Tabs[1].Required, p.Roles[0].Tabs[1].Locked = true, true }, store.ReasonTemplateChanged, `"note"`},
		"a tab that is not used is new": {func(p *provider.Template) {
			p.Roles[1].Tabs = append(p.Roles[1].Tabs, provider.Tab{Label: "x", Type: "text", Fillable: true})
		}, "", ""},
		"the template is gone": {func(p *provider.Template) { p.ID = "T-2" }, store.ReasonTemplateGone, "no longer has the template"},
	}
	for name, test := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
				t.Helper()
				row := p.send(ctx, t)
				test.change(&p.vendor.templates[0])
				row = p.work(ctx, t, row.ID)
				require.Equal(t, test.reason, row.Reason)
				if test.reason == "" {
					require.Equal(t, store.Sent, row.State)

					return
				}
				require.Equal(t, store.Failed, row.State)
				require.Contains(t, explain(row), test.says)
				require.Zero(t, p.vendor.count("create"), "nothing was asked of the provider")
			})
		})
	}
}

func TestHand_FailsOfADisabledAccount(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.send(ctx, t)
		_, err := p.vendors.Accounts.Disable(ctx, p.account.ID, web.IfMatch{}, true)
		require.NoError(t, err)
		row = p.work(ctx, t, row.ID)
		require.Equal(t, []string{"failed", store.ReasonDisabled}, []string{string(row.State), row.Reason})
		_, err = p.envelopes.Move(ctx, state.Move{Verb: store.VerbSend, UUID: row.ID}, web.IfMatch{})
		require.ErrorIs(t, err, store.ErrDisabled)
	})
}

func TestUnknown_IsForAPersonWhoRefreshesSendsAgainOrGivesUp(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		lose := func() store.Envelope {
			row := p.send(ctx, t)
			p.vendor.loses, p.vendor.hides = true, true
			row = p.work(ctx, t, row.ID)
			require.Equal(t, store.Unknown, row.State)
			require.Contains(t, explain(row), "may have been sent")
			p.vendor.loses = false

			return row
		}
		n, err := p.store.CountUnknown(ctx)
		require.NoError(t, err)
		require.Zero(t, n)

		asked := lose()
		p.order(ctx, t, asked.ID, store.ActRefresh)
		require.Equal(t, store.ActionFailed, p.act(ctx, t, asked.ID).State, "the provider does not show it")
		p.vendor.hides = false
		p.order(ctx, t, asked.ID, store.ActRefresh)
		require.Equal(t, store.ActionDone, p.act(ctx, t, asked.ID).State)
		require.Equal(t, store.Sent, p.now(ctx, t, asked.ID).State)

		given := lose()
		_, err = p.envelopes.Move(ctx, state.Move{Verb: store.VerbGiveUp, UUID: given.ID}, web.IfMatch{})
		require.NoError(t, err)
		require.Equal(t, store.Failed, p.now(ctx, t, given.ID).State)

		again := lose()
		before := len(p.vendor.made)
		_, err = p.envelopes.Move(ctx, state.Move{Verb: store.VerbSendAgain, UUID: again.ID}, web.IfMatch{})
		require.NoError(t, err)
		require.Equal(t, store.Sent, p.work(ctx, t, again.ID).State)
		require.Len(t, p.vendor.made, before+1)
		require.Equal(t, p.vendor.made[before-1], p.vendor.made[before], "by the same reference, with the same values")
	})
}

func TestSweep_GivesAJobToWhatHasNone(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		jobs := func(kind string) (n int) {
			require.NoError(t, p.store.DB.SQL().QueryRowContext(ctx, "SELECT count(*) FROM river_job WHERE kind = '"+kind+"'").Scan(&n))

			return n
		}
		done := p.sent(ctx, t)
		p.order(ctx, t, done.ID, store.ActResend)
		p.send(ctx, t)
		require.Equal(t, []int{2, 1}, []int{jobs("esign.send"), jobs("esign.act")})
		require.NoError(t, p.sweeper.SweepAll(ctx, sending.Sweep{}))
		require.Equal(t, []int{2, 1}, []int{jobs("esign.send"), jobs("esign.act")}, "they have just got jobs")
		_, err := p.store.DB.SQL().ExecContext(ctx, "DELETE FROM river_job")
		require.NoError(t, err)
		p.at.Advance(2 * sending.SweepAfter)
		require.NoError(t, p.sweeper.SweepAll(ctx, sending.Sweep{}))
		require.NoError(t, p.sweeper.SweepAll(ctx, sending.Sweep{}))
		require.Equal(t, []int{1, 1}, []int{jobs("esign.send"), jobs("esign.act")}, "one each, however often")
	})
}

// order has something done at the provider.
func (p *plant) order(ctx context.Context, t *testing.T, id uuid.UUID, verb string) {
	t.Helper()
	_, err := p.orders.Place(ctx, id, web.IfMatch{}, verb, nil)
	require.NoError(t, err)
}

// act does the last thing that was ordered, for hours.
func (p *plant) act(ctx context.Context, t *testing.T, envelope uuid.UUID) store.Action {
	t.Helper()
	for range 300 {
		all, err := p.store.Actions(ctx, envelope)
		require.NoError(t, err)
		if err := p.performer.Perform(ctx, envelopes.ActArgs{Action: all[0].ID}); err == nil {
			break
		}
		p.at.Advance(time.Minute)
	}
	all, err := p.store.Actions(ctx, envelope)
	require.NoError(t, err)

	return all[0]
}
