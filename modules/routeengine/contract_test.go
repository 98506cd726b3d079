package routeengine_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/web"
)

// planner is another area that uses the contract.
type planner struct {
	places routeengineapi.Places
	routes routeengineapi.Routes
}

type planOutput struct {
	Body struct {
		Place routeengineapi.Place `json:"place"`
		Route routeengineapi.Route `json:"route"`
	}
}

func (p *planner) plan(ctx context.Context, in *struct {
	To string `query:"to"`
},
) (*planOutput, error) {
	out := &planOutput{}
	var err error
	if out.Body.Place, err = p.places.Place(ctx, in.To); err != nil {
		return nil, err
	}
	out.Body.Route, err = p.routes.Route(ctx, routeengineapi.Stop{ZIP: "75201"}, routeengineapi.Stop{ZIP: in.To})

	return out, err
}

func TestContract_AnswersPlacesAndRoutes(t *testing.T) {
	t.Parallel()
	planning := module.New("planning", "Planning",
		fx.Provide(func(p routeengineapi.Places, r routeengineapi.Routes) *planner { return &planner{places: p, routes: r} }, fx.Private),
		web.Routes(func(r *web.Router, p *planner) {
			web.Register(r, web.Operation{
				Method: http.MethodGet, Path: "/plan", ID: "plan", Summary: "Plan", Access: web.Read,
				Errors: []*errs.Error{routeengineapi.ErrUnknownPlace, routeengineapi.ErrNoRoad},
			}, p.plan)
		})).Needs(routeengineapi.Area)
	moduletest.BootEach(t, append(modules(), planning), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		plan := func(to string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodGet, "/planning/api/v1/plan?to="+to, nil)
		}
		got := plan("33101").OK(t)
		require.Equal(t, "America/New_York", got.Get("place.TimeZone").String())
		require.Greater(t, got.Get("route.Miles").Float(), 1110.0)
		require.False(t, got.Get("route.Measured").Bool())
		plan("96801").Refused(t, http.StatusUnprocessableEntity, "route_engine.no_road")
		plan("00001").Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
		plan("09012").Refused(t, http.StatusUnprocessableEntity, "route_engine.unknown_place")
	})
}
