package state_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errNoTrip = errs.New(errs.NotFound, "voyages.trip_not_found", "There is no such trip.")

// trip is a thing with a life.
type trip struct {
	database.Tenant `json:"-"`

	ID    uuid.UUID `gorm:"primaryKey" json:"uuid"`
	State status    `json:"state"`
	Stops int       `json:"stops"`
}

func (trip) TableName() string { return "voyages_trips" }

// service is an area with trips.
type service struct {
	db  *database.DB
	log *state.Log
}

func newService(db *database.DB, log *state.Log) *service { return &service{db: db, log: log} }

func clockOf() clock.Clock { return clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) }

func area() []module.Module {
	tables := fstest.MapFS{"00001_create_trips.sql": {Data: []byte(`-- +goose Up
CREATE TABLE voyages_trips (company_id uuid NOT NULL, id uuid NOT NULL, state text NOT NULL, stops integer NOT NULL, PRIMARY KEY (company_id, id));
-- +goose Down
DROP TABLE voyages_trips;
`)}}

	return []module.Module{module.New("voyages", "Voyages",
		fx.Provide(newService, fx.Private),
		state.Life(lifecycle()),
		web.Routes(tripRoutes),
		migrate.Files(tables),
	)}
}

type newTrip struct {
	Body struct {
		Stops int `json:"stops"`
	}
}

func tripRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/trips", ID: "create_trip", Summary: "Create a trip", Access: web.Write,
		Errors: []*errs.Error{errNoTrip},
	}, func(ctx context.Context, in *newTrip) (*web.Resource[trip], error) {
		row := trip{ID: database.NewID(), State: lifecycle().Initial, Stops: in.Body.Stops}
		err := s.db.InTx(ctx, func(ctx context.Context) error { return s.db.Conn(ctx).Create(&row).Error })

		return web.NewResource(row, 1, "/voyages/api/v1/trips/"+row.ID.String()), err
	})
	state.Declare(r, lifecycle(), state.Handlers[status, trip]{
		Path: "/trips/{uuid}", Current: s.current, Log: s.log, Apply: s.apply, Errors: []*errs.Error{errNoTrip},
	})
}

func (s *service) find(ctx context.Context, id uuid.UUID) (trip, error) {
	var row trip
	err := database.Translate(s.db.Conn(ctx).Where("id = ?", id).Take(&row).Error)
	if errors.Is(err, database.ErrNotFound) {
		err = errNoTrip
	}

	return row, err
}

func (s *service) current(ctx context.Context, id uuid.UUID) (status, any, error) {
	row, err := s.find(ctx, id)

	return row.State, row, err
}

func (s *service) apply(ctx context.Context, move state.Move, _ web.IfMatch) (*web.Resource[trip], error) {
	var row trip
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = s.find(ctx, move.UUID); err != nil {
			return err
		}
		move.Thing = row
		if row.State, err = lifecycle().Apply(ctx, s.log, row.State, move); err != nil {
			return err
		}

		return s.db.Conn(ctx).Model(&trip{}).Where("id = ?", row.ID).Updates(map[string]any{"state": row.State}).Error
	})

	return web.NewResource(row, 1, "/voyages/api/v1/trips/"+row.ID.String()), err
}

func TestDeclare_ServesTheTable(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, area(), func(t *testing.T, a *moduletest.App) {
		owner, writer := a.Owner.Token, a.Token(t, a.Owner, "voyages:write", "voyages:read")
		other := a.NewCompany(t).Token
		made := a.Call(t, owner, http.MethodPost, "/voyages/api/v1/trips", map[string]any{"stops": 0}).OK(t)
		path := made.Header.Get("Location")

		refused := a.Call(t, owner, http.MethodPost, path+"/deliver", nil).Refused(t, http.StatusConflict, "state.not_allowed")
		require.Equal(t, "draft", refused.Get("details.current").String(), string(refused.Body))
		require.JSONEq(t, `["cancel"]`, refused.Get("details.allowed").Raw)
		a.Call(t, owner, http.MethodPost, path+"/post", nil).Refused(t, http.StatusConflict, "voyages.no_stops")
		a.Call(t, writer, http.MethodPost, path+"/cancel", nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.Call(t, other, http.MethodPost, path+"/cancel", nil).Refused(t, http.StatusNotFound, "voyages.trip_not_found")
		a.Call(t, other, http.MethodGet, path+"/transitions", nil).Refused(t, http.StatusNotFound, "voyages.trip_not_found")

		path = a.Call(t, owner, http.MethodPost, "/voyages/api/v1/trips", map[string]any{"stops": 2}).OK(t).Header.Get("Location")
		list := a.Call(t, owner, http.MethodGet, path+"/transitions", nil).OK(t)
		require.JSONEq(t, `{"current":"draft","data":[{"verb":"post","to":"posted"},{"verb":"cancel","to":"cancelled"}]}`, string(list.Body))
		moved := a.Call(t, owner, http.MethodPost, path+"/post", map[string]any{"reason": "ready", "party": "shipper"}).OK(t)
		require.Equal(t, "posted", moved.Get("state").String())
		a.Call(t, writer, http.MethodPost, path+"/start", nil).Refused(t, http.StatusForbidden, "state.not_yours")
		list = a.Call(t, owner, http.MethodGet, path+"/transitions", nil).OK(t)
		require.True(t, list.Get(`data.#(verb=="withdraw").reason_required`).Bool(), string(list.Body))
		for _, body := range []any{nil, map[string]any{"reason": " "}} {
			unreasoned := a.Call(t, owner, http.MethodPost, path+"/withdraw", body).Refused(t, http.StatusUnprocessableEntity, "state.reason_required")
			require.Equal(t, "The reason is required.", unreasoned.Get("errors.reason.0").String())
		}

		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		history, err := state.NewLog(a.DB, clockOf(), a.Audit).History(ctx, "voyages.trip", uuid.MustParse(moved.Get("uuid").String()))
		require.NoError(t, err)
		require.Len(t, history, 1)
		got := history[0]
		require.Equal(t, "draft posted post user shipper ready", got.From+" "+got.To+" "+got.Verb+" "+got.ActorKind+" "+got.Party+" "+got.Reason)
		require.NotEqual(t, uuid.Nil, got.Actor)

		require.Equal(t, int64(3), a.Sealed(t, a.Owner), "two trips and one transition")
	})
}

func TestApply_LetsOneOfTwoConcurrentVerbsWin(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, area(), func(t *testing.T, a *moduletest.App) {
		owner := a.Owner.Token
		path := a.Call(t, owner, http.MethodPost, "/voyages/api/v1/trips", map[string]any{"stops": 2}).OK(t).Header.Get("Location")
		var group sync.WaitGroup
		codes := make([]int, 8)
		for i := range codes {
			group.Go(func() {
				verb := []string{"/post", "/cancel"}[i%2]
				codes[i] = a.Call(t, owner, http.MethodPost, path+verb, nil).Status
			})
		}
		group.Wait()
		var won int
		for _, code := range codes {
			if code == http.StatusOK {
				won++

				continue
			}
			require.Equal(t, http.StatusConflict, code)
		}
		require.Positive(t, won)
		require.LessOrEqual(t, won, 2, "post, and perhaps cancel after it")
		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		id := uuid.MustParse(path[len(path)-36:])
		history, err := state.NewLog(a.DB, clockOf(), a.Audit).History(ctx, "voyages.trip", id)
		require.NoError(t, err)
		require.Len(t, history, won)
		last := "draft"
		for _, h := range history {
			require.Equal(t, last, h.From)
			last = h.To
		}
	})
}

func TestApply_RefusesAnObservationOfAStateThatHasNoRank(t *testing.T) {
	t.Parallel()
	_, moved, err := lifecycle().Observe(t.Context(), nil, draft, "lost", state.Move{})
	require.False(t, moved)
	require.ErrorIs(t, err, state.ErrUnknownState)
	next, moved, err := lifecycle().Observe(t.Context(), nil, cancelled, delivered, state.Move{})
	require.NoError(t, err)
	require.False(t, moved, "what is over is over")
	require.Equal(t, cancelled, next)
}

func TestPut_LogsWhatTheTableDoesNotHave(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, area(), func(t *testing.T, a *moduletest.App) {
		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		log, m, id := state.NewLog(a.DB, clockOf(), a.Audit), lifecycle(), uuid.New()
		step := func(fn func(ctx context.Context) error) error { return a.DB.InTx(ctx, fn) }
		apply := func(current status, verb string) error {
			return step(func(ctx context.Context) error {
				_, err := m.Apply(ctx, log, current, state.Move{UUID: id, Verb: verb, Thing: trip{Stops: 1}})

				return err
			})
		}
		require.NoError(t, apply(draft, "post"))
		require.ErrorIs(t, apply(draft, "post"), state.ErrMoved, "the caller has read an old state")
		require.NoError(t, step(func(ctx context.Context) error {
			return m.Put(ctx, log, posted, draft, state.Move{UUID: id, Verb: "correct", Reason: "by hand"})
		}))
		require.NoError(t, apply(draft, "post"))
		require.ErrorIs(t, m.Put(ctx, log, posted, "lost", state.Move{UUID: id}), state.ErrUnknownState)
	})
}
