package feature_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func setAreas(t *testing.T, a *moduletest.App, company uuid.UUID, areas map[string]bool) feature.Plan {
	t.Helper()
	p, err := a.Features.Apply(t.Context(), company, feature.Change{Areas: areas, Cascade: true})
	require.NoError(t, err)

	return p
}

func TestOperation_OfAnAreaOutsideTheSetIs403UntilItIsBack(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, _ *parts) {
		other := a.NewCompany(t)
		status := func(c moduletest.Company) moduletest.Response {
			return a.Call(t, c.Token, http.MethodGet, statusPath, nil)
		}
		status(a.Owner).OK(t)
		setAreas(t, a, a.Owner.ID, map[string]bool{"guard": false})
		refused := status(a.Owner)
		require.Equal(t, http.StatusForbidden, refused.Status)
		require.Equal(t, "web.area_off", refused.Get("code").String())
		require.Equal(t, "The company does not use the area guard.", refused.Get("message").String())
		require.Equal(t, "guard", refused.Get("details.area").String())
		status(other).OK(t)
		require.Equal(t, http.StatusUnauthorized, a.Call(t, "", http.MethodGet, statusPath, nil).Status, "a stranger learns nothing")
		setAreas(t, a, a.Owner.ID, map[string]bool{"guard": true})
		status(a.Owner).OK(t)
	})
}

func TestOperation_DocumentsTheRefusal(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, _ *parts) {
		document, err := a.API.OpenAPI()
		require.NoError(t, err)
		require.Contains(t, string(document), "web.area_off")
	})
}

func TestHookAndSubscription_AreSilentOutsideTheSet(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		other := a.NewCompany(t)
		require.ErrorIs(t, p.shop.buy(of(t, a.Owner.ID), 1000), errDear)
		require.NoError(t, p.shop.buy(of(t, a.Owner.ID), 1))
		requireNext(t, p.guard.heard, 1)

		setAreas(t, a, a.Owner.ID, map[string]bool{"guard": false})
		require.NoError(t, p.shop.buy(of(t, a.Owner.ID), 1000), "nobody vetoes")
		require.Equal(t, 1, query(t, a, "SELECT count(*) FROM river_job WHERE kind = 'events.deliver'"), "no job is made")
		require.ErrorIs(t, p.shop.buy(of(t, other.ID), 1000), errDear)
		require.NoError(t, p.shop.buy(of(t, other.ID), 2))
		requireNext(t, p.guard.heard, 2)
		require.Equal(t, 3, query(t, a, "SELECT count(*) FROM events_log"), "the event is logged all the same")

		setAreas(t, a, a.Owner.ID, map[string]bool{"guard": true})
		require.ErrorIs(t, p.shop.buy(of(t, a.Owner.ID), 1000), errDear)
		require.NoError(t, p.shop.buy(of(t, a.Owner.ID), 3))
		requireNext(t, p.guard.heard, 3)
	})
}

func TestDelivery_ToAnAreaThatWentOffMeanwhileEndsQuietly(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		p, worker := newParts(), newParts()
		a := boot(t, url, p, "roles=api")
		require.NoError(t, p.shop.buy(of(t, a.Owner.ID), 1))
		require.Equal(t, 1, query(t, a, "SELECT count(*) FROM river_job WHERE kind = 'events.deliver'"))
		setAreas(t, a, a.Owner.ID, map[string]bool{"guard": false})
		boot(t, url, worker, "roles=worker")
		require.Eventually(t, func() bool {
			return query(t, a, "SELECT count(*) FROM river_job WHERE kind = 'events.deliver' AND state = 'completed'") == 1
		}, patience, 10*time.Millisecond)
		require.Empty(t, worker.guard.heard)
	})
}

func TestJob_OfAnAreaOutsideTheSetWaitsUntilItIsBack(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		other := a.NewCompany(t)
		setAreas(t, a, a.Owner.ID, map[string]bool{"guard": false})
		require.NoError(t, p.shop.count(of(t, a.Owner.ID), 1))
		require.NoError(t, p.shop.count(of(t, other.ID), 2))
		require.NoError(t, p.shop.count(t.Context(), 3), "a job of no company")
		require.ElementsMatch(t, []int{2, 3}, []int{next(t, p.guard.done), next(t, p.guard.done)})
		require.Eventually(t, func() bool {
			return query(t, a, "SELECT count(*) FROM river_job WHERE kind = 'guard.count' AND state <> 'completed' AND metadata ->> 'snoozes' IS NOT NULL") == 1
		}, patience, 10*time.Millisecond)
		require.Zero(t, query(t, a, "SELECT count(*) FROM river_job WHERE kind = 'guard.count' AND attempt > 1"), "no attempt is counted")

		setAreas(t, a, a.Owner.ID, map[string]bool{"guard": true})
		requireNext(t, p.guard.done, 1)
	})
}

func next(t *testing.T, from <-chan int) int {
	t.Helper()
	select {
	case n := <-from:
		return n
	case <-time.After(patience):
		require.Fail(t, "nothing came")

		return 0
	}
}

func TestPlan_IsADryRunThatNamesWhatFallsSilent(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, p *parts) {
		other := a.NewCompany(t)
		require.NoError(t, p.shop.count(of(t, a.Owner.ID), 1))
		require.NoError(t, p.shop.count(of(t, other.ID), 2))
		require.NoError(t, p.shop.buy(of(t, a.Owner.ID), 1))
		change := feature.Change{Areas: map[string]bool{"guard": false}}
		plan, err := a.Features.Plan(t.Context(), a.Owner.ID, change)
		require.NoError(t, err)
		require.True(t, plan.Refused)
		require.Equal(t, []string{"guard", "patrol"}, plan.Off)
		require.Equal(t, map[string][]string{"guard": {"patrol"}}, plan.NeededBy)
		require.Equal(t, feature.Silent{
			Area: "guard", Operations: 1, Hooks: 1, Subscriptions: 1, Schedules: 1, WaitingJobs: 1, WaitingEvents: 1,
			HeardBy: []string{"shop"}, DataKept: true,
		}, plan.Silent[0])
		require.Equal(t, feature.Silent{Area: "patrol", HeardBy: []string{}, DataKept: true}, plan.Silent[1])

		_, err = a.Features.Apply(t.Context(), a.Owner.ID, change)
		var conflict *errs.Error
		require.ErrorAs(t, err, &conflict)
		require.Equal(t, "feature.needed_by", conflict.Code)
		require.Equal(t, map[string]any{"needed_by": map[string][]string{"guard": {"patrol"}}}, conflict.Details)
		require.Zero(t, query(t, a, "SELECT count(*) FROM features_areas"), "neither wrote anything")
	}, "roles=api")
}

func TestApply_WritesTheAuditTrailOfTheCompanyInTheOperatorsName(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, _ *parts) {
		operator := principal.Principal{Kind: principal.Operator, Token: uuid.New(), Scopes: []string{"*"}}
		ctx := principal.With(t.Context(), operator)
		change := feature.Change{Areas: map[string]bool{"guard": false}, Cascade: true}
		done, err := a.Features.Apply(ctx, a.Owner.ID, change)
		require.NoError(t, err)
		require.Equal(t, []string{"guard", "patrol"}, done.Off)
		again, err := a.Features.Apply(ctx, a.Owner.ID, change)
		require.NoError(t, err)
		require.Empty(t, again.Off)

		var entry struct {
			Action, ActorKind, Changes string
			TokenID                    uuid.UUID
		}
		found := a.DB.Raw(of(t, a.Owner.ID), "a test").Raw(
			"SELECT action, actor_kind, changes, token_id FROM audit_entries WHERE company_id = ? AND item_id = ?", a.Owner.ID, a.Owner.ID).Scan(&entry)
		require.NoError(t, found.Error)
		require.EqualValues(t, 1, found.RowsAffected, "what is so already is not changed again")
		require.Equal(t, "features.changed", entry.Action)
		require.Equal(t, "operator", entry.ActorKind)
		require.Equal(t, operator.Token, entry.TokenID)
		require.JSONEq(t, `{"guard":{"before":true,"after":false},"patrol":{"before":true,"after":false}}`, entry.Changes)
	}, "roles=api")
}

func TestOf_ShowsTheCompanyItsOwnSetAndNobodyElsesOne(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, _ *parts) {
		setAreas(t, a, a.Owner.ID, map[string]bool{"patrol": false})
		uses, err := a.Features.Of(of(t, a.Owner.ID), a.Owner.ID)
		require.NoError(t, err)
		on := map[string]bool{}
		for _, use := range uses {
			on[use.Area] = use.On
			require.Equal(t, use.Area == "base", use.Essential)
			require.Equal(t, use.Area == "patrol", use.ChangedAt != nil)
		}
		require.Equal(t, map[string]bool{"base": true, "guard": true, "patrol": false, "shop": true}, on)

		stranger := of(t, a.NewCompany(t).ID)
		_, err = a.Features.Of(stranger, a.Owner.ID)
		require.Equal(t, errs.NotFound, errs.KindOf(err))
		_, err = a.Features.Apply(stranger, a.Owner.ID, feature.Change{Areas: map[string]bool{"guard": true}})
		require.Equal(t, errs.NotFound, errs.KindOf(err))
	}, "roles=api")
}

func TestAllows_IsWhatTheDefaultSaysUntilSomebodyDecides(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, _ *parts) {
		allows := func(area string) bool {
			allowed, err := a.Features.Allows(t.Context(), a.Owner.ID, area)
			require.NoError(t, err)

			return allowed
		}
		require.True(t, allows("base"), "essential")
		require.False(t, allows("guard"))
		setAreas(t, a, a.Owner.ID, map[string]bool{"guard": true})
		require.True(t, allows("guard"))
		require.False(t, allows("tolls"), "off in the deployment")
		require.False(t, allows("keepers"), "unknown")
	}, "roles=api", "features.default=false")
}

func TestAllows_InATransactionThatIsUndoneKeepsNothing(t *testing.T) {
	t.Parallel()
	bootEach(t, func(t *testing.T, a *moduletest.App, _ *parts) {
		err := a.DB.InTx(t.Context(), func(ctx context.Context) error {
			turnIn := feature.Change{Areas: map[string]bool{"guard": false}, Cascade: true}
			if _, err := a.Features.Apply(ctx, a.Owner.ID, turnIn); err != nil {
				return err
			}
			allowed, err := a.Features.Allows(ctx, a.Owner.ID, "guard")
			require.NoError(t, err)
			require.False(t, allowed, "the transaction sees what it wrote")

			return context.Canceled
		})
		require.ErrorIs(t, err, context.Canceled)
		allowed, err := a.Features.Allows(t.Context(), a.Owner.ID, "guard")
		require.NoError(t, err)
		require.True(t, allowed)
	}, "roles=api")
}
