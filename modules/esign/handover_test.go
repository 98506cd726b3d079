package esign

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
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
		ends            status
	}{
		{dies: beforeTheCall, complete: true, made: 1, ends: sent},
		{dies: beforeTheCall, made: 0, ends: unknown},
		{dies: beforeTheResult, complete: true, made: 1, ends: sent},
		{dies: beforeTheResult, made: 1, ends: sent},
		{dies: beforeTheResult, hides: true, made: 1, ends: unknown},
		{dies: lostAnswer, complete: true, made: 1, ends: sent},
		{dies: lostAnswer, made: 1, ends: sent},
		{dies: lostAnswer, hides: true, made: 1, ends: unknown},
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
					c, err := p.sender.gather(ctx, row.ID)
					require.NoError(t, err)
					goOn, err := p.sender.recheck(ctx, c)
					require.NoError(t, err)
					require.True(t, goOn)
					_, goOn, err = p.sender.begin(ctx, c)
					require.NoError(t, err)
					require.True(t, goOn)
					if test.dies == beforeTheResult {
						_, err = p.sender.call(ctx, *c)
						require.NoError(t, err)
					}
				}
				row = p.work(ctx, t, row.ID)
				require.Equal(t, test.ends, row.State)
				require.Len(t, p.vendor.made, test.made)
				if test.ends == sent {
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
		c, err := p.sender.gather(ctx, row.ID)
		require.NoError(t, err)
		_, goOn, err := p.sender.begin(ctx, c)
		require.NoError(t, err)
		require.True(t, goOn)
		require.True(t, jobs.IsLater(p.sender.hand(ctx, sendArgs{Envelope: row.ID})), "another run, while the call goes on")
		require.Zero(t, p.vendor.count("find"))
		u, err := p.sender.call(ctx, *c)
		require.NoError(t, err)
		require.NoError(t, p.sender.finish(ctx, *c, u, nil))
		require.NoError(t, p.sender.hand(ctx, sendArgs{Envelope: row.ID}))
		require.Len(t, p.vendor.made, 1)
	})
}

func TestHand_TellsTheProviderAllThatWasWanted(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		d := draftOf{Template: p.known(ctx, t).ID, Recipients: two(), Source: "load screen", Days: days{1, 2, 30, 3}}
		row, err := p.envelopes.create(ctx, d, false)
		require.NoError(t, err)
		p.work(ctx, t, row.ID)
		require.Len(t, p.vendor.made, 1)
		e := p.vendor.made[0]
		require.Equal(t, []string{row.ID.String(), "T-1", "Please sign", "Here it is."}, []string{e.Reference, e.TemplateID, e.Subject, e.Message})
		require.Equal(t, map[string]string{"service_envelope_uuid": row.ID.String(), "service_source": "load screen"}, e.Fields)
		require.Equal(t, []int{1, 2, 30, 3}, []int{e.ReminderDelay, e.ReminderEvery, e.ExpireAfter, e.ExpireWarn})
		people, err := p.recipients(ctx, row.ID)
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
		ends  status
		made  int
	}{
		"rate limited, longer than it is tried": {40, refusal(provider.RateLimited, true), sent, 1},
		"down for a while":                      {3, refusal(provider.ProviderDown, true), sent, 1},
		"down for good":                         {1000, refusal(provider.ProviderDown, true), failed, 0},
		"consent has expired":                   {1000, refusal(provider.ConsentRequired, false), failed, 0},
		"refused":                               {1000, refusal(provider.Invalid, false), failed, 0},
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
				if test.ends != failed {
					return
				}
				require.Equal(t, []string{string(test.err.Reason), "CODE", "As it says."}, []string{row.Reason, row.Code, row.Detail})
				require.Contains(t, explain(row), test.err.Reason.Explain())
				require.Contains(t, p.events(), "esign.envelope.failed")
				from, err := p.accounts.One(ctx, p.account.ID)
				require.NoError(t, err)
				require.Equal(t, test.err.Reason == provider.ConsentRequired, from.Health == vendoraccount.Failing)

				// Once the cause is gone, it is sent again.
				p.vendor.fails = nil
				_, err = p.envelopes.move(ctx, state.Move{Verb: verbSend, UUID: row.ID}, web.IfMatch{})
				require.NoError(t, err)
				require.Equal(t, sent, p.work(ctx, t, row.ID).State)
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
		require.True(t, jobs.IsLater(p.sender.hand(ctx, sendArgs{Envelope: row.ID})))
		row = p.now(ctx, t, row.ID)
		require.Equal(t, queued, row.State)
		require.Equal(t, []string{"rate_limited", "HOURLY"}, []string{row.Reason, row.Code})
		require.Contains(t, explain(row), "no more calls for the moment")
		p.vendor.fails = nil
		row = p.work(ctx, t, row.ID)
		require.Equal(t, sent, row.State)
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
		"a tab that is used is gone": {func(p *provider.Template) { p.Roles[0].Tabs = p.Roles[0].Tabs[1:] }, reasonTemplateChanged, `no tab "subject" of "Shipper" any more`},
		"a tab takes less":           {func(p *provider.Template) { p.Roles[0].Tabs[0].MaxSize = 3 }, reasonTemplateChanged, "at most 3 characters"},
		"a tab is of another type":   {func(p *provider.Template) { p.Roles[0].Tabs[0].Type = "checkbox" }, reasonTemplateChanged, "of the type checkbox now"},
		"a role is gone":             {func(p *provider.Template) { p.Roles = p.Roles[:1] }, reasonTemplateChanged, `no role "Carrier" any more`},
		"there is another signer": {func(p *provider.Template) {
			p.Roles = append(p.Roles, provider.Role{Name: "Third", Kind: provider.Signer})
		}, reasonTemplateChanged, `"Third"`},
		"a tab that nobody can fill": {func(p *provider.Template) { p.Roles[0].Tabs[1].Required, p.Roles[0].Tabs[1].Locked = true, true }, reasonTemplateChanged, `"note"`},
		"a tab that is not used is new": {func(p *provider.Template) {
			p.Roles[1].Tabs = append(p.Roles[1].Tabs, provider.Tab{Label: "x", Type: "text", Fillable: true})
		}, "", ""},
		"the template is gone": {func(p *provider.Template) { p.ID = "T-2" }, reasonTemplateGone, "does not have the template"},
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
					require.Equal(t, sent, row.State)

					return
				}
				require.Equal(t, failed, row.State)
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
		_, err := p.accounts.Disable(ctx, p.account.ID, web.IfMatch{}, true)
		require.NoError(t, err)
		row = p.work(ctx, t, row.ID)
		require.Equal(t, []string{"failed", reasonDisabled}, []string{string(row.State), row.Reason})
		_, err = p.envelopes.move(ctx, state.Move{Verb: verbSend, UUID: row.ID}, web.IfMatch{})
		require.ErrorIs(t, err, errDisabled)
	})
}

func TestUnknown_IsForAPersonWhoRefreshesSendsAgainOrGivesUp(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		lose := func() envelope {
			row := p.send(ctx, t)
			p.vendor.loses, p.vendor.hides = true, true
			row = p.work(ctx, t, row.ID)
			require.Equal(t, unknown, row.State)
			require.Contains(t, explain(row), "may have been sent")
			p.vendor.loses = false

			return row
		}
		n, err := p.countUnknown(ctx)
		require.NoError(t, err)
		require.Zero(t, n)

		asked := lose()
		p.order(ctx, t, asked.ID, actRefresh)
		require.Equal(t, actionFailed, p.act(ctx, t, asked.ID).State, "the provider does not show it")
		p.vendor.hides = false
		p.order(ctx, t, asked.ID, actRefresh)
		require.Equal(t, actionDone, p.act(ctx, t, asked.ID).State)
		require.Equal(t, sent, p.now(ctx, t, asked.ID).State)

		given := lose()
		_, err = p.envelopes.move(ctx, state.Move{Verb: verbGiveUp, UUID: given.ID}, web.IfMatch{})
		require.NoError(t, err)
		require.Equal(t, failed, p.now(ctx, t, given.ID).State)

		again := lose()
		before := len(p.vendor.made)
		_, err = p.envelopes.move(ctx, state.Move{Verb: verbSendAgain, UUID: again.ID}, web.IfMatch{})
		require.NoError(t, err)
		require.Equal(t, sent, p.work(ctx, t, again.ID).State)
		require.Len(t, p.vendor.made, before+1)
		require.Equal(t, p.vendor.made[before-1], p.vendor.made[before], "by the same reference, with the same values")
	})
}

func TestSweep_GivesAJobToWhatHasNone(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		jobs := func(kind string) (n int) {
			require.NoError(t, p.db.SQL().QueryRowContext(ctx, "SELECT count(*) FROM river_job WHERE kind = '"+kind+"'").Scan(&n))

			return n
		}
		done := p.sent(ctx, t)
		p.order(ctx, t, done.ID, actResend)
		p.send(ctx, t)
		require.Equal(t, []int{2, 1}, []int{jobs("esign.send"), jobs("esign.act")})
		require.NoError(t, p.sender.sweepAll(ctx, sweep{}))
		require.Equal(t, []int{2, 1}, []int{jobs("esign.send"), jobs("esign.act")}, "they have just got jobs")
		_, err := p.db.SQL().ExecContext(ctx, "DELETE FROM river_job")
		require.NoError(t, err)
		p.at.Advance(2 * sweepAfter)
		require.NoError(t, p.sender.sweepAll(ctx, sweep{}))
		require.NoError(t, p.sender.sweepAll(ctx, sweep{}))
		require.Equal(t, []int{1, 1}, []int{jobs("esign.send"), jobs("esign.act")}, "one each, however often")
	})
}

// order has something done at the provider.
func (p *plant) order(ctx context.Context, t *testing.T, id uuid.UUID, verb string) {
	t.Helper()
	_, err := p.envelopes.order(ctx, id, web.IfMatch{}, verb, nil)
	require.NoError(t, err)
}

// act does the last thing that was ordered, for hours.
func (p *plant) act(ctx context.Context, t *testing.T, envelope uuid.UUID) action {
	t.Helper()
	for range 300 {
		all, err := p.actions(ctx, envelope)
		require.NoError(t, err)
		if err := p.sender.act(ctx, actArgs{Action: all[0].ID}); err == nil {
			break
		}
		p.at.Advance(time.Minute)
	}
	all, err := p.actions(ctx, envelope)
	require.NoError(t, err)

	return all[0]
}
