package registry

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// RouterTest says whether the area answers.
type RouterTest struct {
	registry *Registry
	db       *database.DB
}

// NewRouterTest returns a RouterTest.
func NewRouterTest(r *Registry, db *database.DB) *RouterTest { return &RouterTest{r, db} }

// Routes registers the operation that checks that the area answers.
func Routes(r *web.Router, t *RouterTest) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carriers/router/test", ID: "test_router", Access: web.Read,
		Summary:     "Check that the area answers",
		Description: "`ok` is false if the database does not answer or the regulator's data are missing or cannot be refreshed; `regulator.why` says which.",
		Errors:      []*errs.Error{database.ErrUnavailable},
	}, t.read)
}

type testOutput struct{ Body areaHealth }

// areaHealth is the health of the area.
type areaHealth struct {
	OK        bool                `json:"ok"`
	Area      string              `json:"area" example:"carriers"`
	Version   string              `json:"version" doc:"Version of the service."`
	Regulator regulatorapi.Health `json:"regulator"`
	Database  string              `json:"database" enum:"sqlite,postgres"`
}

// SchemaName implements web.SchemaNamer.
func (areaHealth) SchemaName() string { return "CarrierRouterTest" }

func (t *RouterTest) read(ctx context.Context, _ *struct{}) (*testOutput, error) {
	used, err := t.registry.Used(ctx)
	if err != nil {
		return nil, err
	}
	health, err := used.Status(ctx)
	if err != nil {
		return nil, err
	}

	return &testOutput{Body: areaHealth{
		OK: health.OK, Area: carriersapi.Area, Version: app.Version(), Regulator: health, Database: string(t.db.Dialect()),
	}}, nil
}
