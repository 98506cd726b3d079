package moduletest

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

// rung says that somebody rang.
type rung struct {
	Bell string `json:"bell"`
}

// EventName implements events.Event.
func (rung) EventName() string { return "bells.bell.rung" }

var errTorn = errs.New(errs.Conflict, "bells.torn", "The rope is torn.")

// bells publish, and then fail in two of three cases.
type bells struct {
	db  *database.DB
	bus *events.Bus
}

func newBells(db *database.DB, bus *events.Bus) *bells { return &bells{db: db, bus: bus} }

type ringInput struct {
	Body struct {
		Bell string `json:"bell"`
	}
}

func (b *bells) ring(ctx context.Context, in *ringInput) (*struct{}, error) {
	return nil, b.db.InTx(ctx, func(ctx context.Context) error {
		if err := b.bus.Publish(ctx, rung{Bell: in.Body.Bell}); err != nil {
			return err
		}
		switch in.Body.Bell {
		case "torn":
			return errTorn
		case "cracked":
			return errors.New("a crack of three inches")
		default:
			return nil
		}
	})
}

func bellRoutes(r *web.Router, b *bells) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/ring", ID: "ring", Summary: "Ring", Access: web.Write, Errors: []*errs.Error{errTorn},
	}, b.ring)
}

func bellModules() []module.Module {
	return []module.Module{module.New("bells", "Bells",
		fx.Provide(newBells, fx.Private), web.Routes(bellRoutes), events.Publishes(rung{}))}
}

func TestEvents_AreThoseOfTheCompanyThatWereCommitted(t *testing.T) {
	t.Parallel()
	BootEach(t, bellModules(), func(t *testing.T, a *App) {
		t.Helper()
		ring := func(token, bell string) Response {
			return a.Call(t, token, http.MethodPost, "/bells/api/v1/ring", map[string]string{"bell": bell})
		}
		other := a.NewCompany(t)
		ring(a.Owner.Token, "first").OK(t)
		ring(a.Owner.Token, "torn").Refused(t, http.StatusConflict, "bells.torn")
		ring(other.Token, "theirs").OK(t)
		ring(a.Owner.Token, "second").OK(t)

		raised := a.Events(t, a.Owner)
		require.Equal(t, []string{"bells.bell.rung", "bells.bell.rung"}, a.EventNames(t, a.Owner))
		require.Equal(t, "first", raised[0].Get("bell").String())
		require.Equal(t, "second", raised[1].Get("bell").String())
		require.Len(t, a.Events(t, other), 1)
		require.Equal(t, []string{"bells_ring", "bells_ring"}, a.Audited(t, a.Owner))
	})
}

func TestResponse_TellsWhyTheServiceFailed(t *testing.T) {
	t.Parallel()
	BootEach(t, bellModules(), func(t *testing.T, a *App) {
		t.Helper()
		failed := a.Call(t, a.Owner.Token, http.MethodPost, "/bells/api/v1/ring", `{"bell": "cracked"}`)

		require.Equal(t, http.StatusInternalServerError, failed.Status)
		require.Contains(t, failed.reason(), "a crack of three inches")
		require.NotContains(t, string(failed.Body), "crack")
		require.Empty(t, a.Events(t, a.Owner))
	})
}
