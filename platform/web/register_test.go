package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

func noop(context.Context, *struct{}) (*struct{}, error) { return nil, nil }

func sound() web.Operation {
	return web.Operation{
		Method: http.MethodGet, Path: "/others", ID: "list_others", Summary: "List", Access: web.Read,
		Errors: []*errs.Error{errNoThing},
	}
}

func TestMount_NamesEveryOperationThatIsNotFit(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*web.Operation){
		"":                                func(*web.Operation) {},
		"it has no access: set Access to": func(o *web.Operation) { o.Access = "" },
		"its access \":a b\" is not the name of a scope":                 func(o *web.Operation) { o.Access = web.Scope("a b") },
		"it documents no errors":                                         func(o *web.Operation) { o.Errors = nil },
		"an error in Errors has no code":                                 func(o *web.Operation) { o.Errors = []*errs.Error{{}} },
		"its method is get":                                              func(o *web.Operation) { o.Method = "get" },
		"its path does not start with a slash":                           func(o *web.Operation) { o.Path = "others" },
		"lower case letters, digits and underscores":                     func(o *web.Operation) { o.ID = "ListOthers" },
		"it has no summary":                                              func(o *web.Operation) { o.Summary = "" },
		"its id things_list_things is used by GET /things/api/v1/things": func(o *web.Operation) { o.ID = "list-things" },
		`GET /things/api/v1/things/{id} is served by operation "things_read_thing"`: func(o *web.Operation) {
			o.Path = "/things/{id}"
		},
		"RequestSchema is for an input with RawJSON": func(o *web.Operation) { o.RequestSchema = anyObject },
	} {
		op := sound()
		change(&op)
		err := build(t).Mount("things", func(r *web.Router) { web.Register(r, op, noop) })

		if want == "" {
			require.NoError(t, err)

			continue
		}
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, `operation "`+op.ID+`"`)
	}
}

func TestMount_ReportsAllProblems(t *testing.T) {
	t.Parallel()
	err := build(t).Mount("things", func(r *web.Router) {
		web.Register(r, web.Operation{ID: "first"}, noop)
		web.Register(r, web.Operation{ID: "second"}, noop)
	})

	require.ErrorContains(t, err, `operation "first": its method`)
	require.ErrorContains(t, err, `operation "first": it has no summary`)
	require.ErrorContains(t, err, `operation "second"`)
}

func TestMount_ReportsWhatCannotBeBound(t *testing.T) {
	t.Parallel()
	err := build(t).Mount("things", func(r *web.Router) {
		web.Register(r, sound(), func(context.Context, *struct {
			Page *int `query:"page"`
		},
		) (*struct{}, error) {
			return nil, nil
		})
	})
	require.ErrorContains(t, err, `operation "list_others": its input has a pointer for page of the query, which are not supported`)

	err = build(t).Mount("things", func(r *web.Router) {
		web.Register(r, sound(), func(context.Context, *struct{ oneThing }) (*struct{}, error) { return nil, nil })
	})
	require.ErrorContains(t, err, "its input embeds web_test.oneThing, which is ignored")

	err = build(t).Mount("things", func(r *web.Router) {
		op := sound()
		op.Path = "/others/{uuid}"
		web.Register(r, op, noop)
	})
	require.ErrorContains(t, err, `its input has no field for {uuid} of the path: tag one path:"uuid"`)

	err = build(t).Mount("things", func(r *web.Router) {
		web.Register(r, sound(), func(context.Context, *struct{ web.RawJSON }) (*struct{}, error) { return nil, nil })
	})
	require.ErrorContains(t, err, "a GET has no body")

	err = build(t).Mount("things", func(r *web.Router) {
		op := sound()
		op.Method = http.MethodPost
		web.Register(r, op, func(context.Context, *struct{ web.RawJSON }) (*struct{}, error) { return nil, nil })
	})
	require.ErrorContains(t, err, "describe the body in RequestSchema")
}

func TestOpenAPI_NamesTheOperationOfATypeWhoseNameIsAnothers(t *testing.T) {
	t.Parallel()
	s := build(t)
	require.NoError(t, s.Mount("things", func(r *web.Router) {
		web.Register(r, sound(), func(context.Context, *struct{}) (*struct{ Body message }, error) { return nil, nil })
		op := sound()
		op.ID, op.Path = "list_more", "/more"
		web.Register(r, op, func(context.Context, *struct{}) (*struct{ Body otherMessage }, error) { return nil, nil })
	}))
	_, err := s.OpenAPI()
	require.ErrorContains(t, err, `operation "things_list_more": duplicate name: Message`)
}

// undescribed is a type whose schema cannot be made.
type undescribed struct {
	Count int `json:"count" minimum:"few"`
}

func TestRegister_DescribesTheTypesOfAnOperationWhenItIsFirstCalled(t *testing.T) {
	t.Parallel()
	s := build(t)
	require.NoError(t, s.Mount("more", func(r *web.Router) {
		op := sound()
		op.Method = http.MethodPost
		web.Register(r, op, func(context.Context, *struct{ Body undescribed }) (*struct{}, error) { return nil, nil })
	}))
	require.NoError(t, s.Start(t.Context()))
	for range 2 {
		s.call(t, http.MethodPost, "/more/api/v1/others", `{"count":1}`).refused(t, http.StatusInternalServerError)
	}
	require.Contains(t, s.log.String(), "more_list_others")
	_, err := s.OpenAPI()
	require.ErrorContains(t, err, `operation "more_list_others"`)
	s.call(t, http.MethodGet, things, "").ok(t)
	require.NoError(t, s.Stop(t.Context()))
}

func TestRegister_ServesFirstCallsThatComeTogether(t *testing.T) {
	t.Parallel()
	s := start(t)
	paths := []string{things, things + "/count", things + "/" + uuid.Max.String()}
	var answers []<-chan int
	for range 4 {
		for _, path := range paths {
			answers = append(answers, s.callInBackground(t, path))
		}
	}
	_, err := s.OpenAPI()
	require.NoError(t, err)
	for _, answer := range answers {
		require.Equal(t, http.StatusUnauthorized, <-answer)
	}
	for _, path := range paths {
		s.call(t, http.MethodGet, path, "").ok(t)
	}
}

type message struct {
	Text string `json:"text"`
}

func (message) SchemaName() string { return "Message" }

type otherMessage struct {
	Title string `json:"title"`
}

func (*otherMessage) SchemaName() string { return "Message" }

func TestRoutes_ServesAnAreasOperationsFromItsManifest(t *testing.T) {
	t.Parallel()
	manifest := module.New("things", "Things", fx.Provide(newArea, fx.Private), web.Routes(areaRoutes))
	broken := module.New("broken", "Broken", fx.Provide(newArea, fx.Private), web.Routes(brokenRoutes))

	require.Equal(t, "routes", manifest.Contributions()[0].Kind)
	require.Equal(t, "areaRoutes", manifest.Contributions()[0].Name)

	var api *web.API
	provide := fx.Provide(func() *web.API {
		return web.New(web.Defaults(), tokens{}, web.About{}, slog.New(slog.DiscardHandler))
	})
	app := fx.New(provide, manifest.Options(), fx.Invoke(module.Fill), fx.Populate(&api), fx.NopLogger)
	require.NoError(t, app.Err())
	require.Len(t, api.Operations(), 8)

	app = fx.New(provide, broken.Options(), fx.Invoke(module.Fill), fx.NopLogger)
	require.ErrorContains(t, app.Err(), `area "broken": operation "first"`)
}

func areaRoutes(r *web.Router, s *area) { s.mount(r) }

func brokenRoutes(r *web.Router, _ *area) { web.Register(r, web.Operation{ID: "first"}, noop) }

func TestOperations_AreListedInOrder(t *testing.T) {
	t.Parallel()
	s := build(t)
	var list []string
	for _, o := range s.Operations() {
		list = append(list, o.Method+" "+o.Path+" "+o.ID+" "+string(o.Access))
		require.Equal(t, "things", o.Area)
		require.NotEmpty(t, o.Summary)
		require.NotEmpty(t, o.Errors)
	}

	require.Equal(t, []string{
		"GET /things/api/v1/fail/{how} things_fail public",
		"POST /things/api/v1/raw things_create_raw things:write",
		"GET /things/api/v1/things things_list_things things:read",
		"POST /things/api/v1/things things_create_thing things:write",
		"GET /things/api/v1/things/count things_count_things things:count",
		"DELETE /things/api/v1/things/{uuid} things_remove_thing things:write",
		"GET /things/api/v1/things/{uuid} things_read_thing things:read",
		"PATCH /things/api/v1/things/{uuid} things_change_thing things:write",
	}, list)
}
