package overview

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Board serves the numbers of the areas.
type Board struct {
	numbers  *dashboard.Board
	features *feature.Sets
}

// NewBoard returns the board of a deployment.
func NewBoard(numbers *dashboard.Board, features *feature.Sets) *Board {
	return &Board{numbers: numbers, features: features}
}

// DashboardRoutes are the operations on the dashboard.
func DashboardRoutes(r *web.Router, b *Board) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/dashboard", ID: "read_dashboard", Access: web.Read,
		Summary:     "Read the company's dashboard",
		Description: "Each area that the company uses contributes its numbers; those that the token may not read are left out.",
		Errors:      []*errs.Error{identity.ErrCompanyNotFound},
	}, b.get)
}

type dashboardOutput struct{ Body dashboardBody }

// dashboardBody is the numbers of the areas.
type dashboardBody struct {
	Counts []countBody `json:"counts" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (dashboardBody) SchemaName() string { return "Dashboard" }

type countBody struct {
	Area  string `json:"area"`
	Name  string `json:"name" doc:"Unique in its area."`
	Title string `json:"title"`
	Value *int64 `json:"value" doc:"Null if it could not be counted in time."`
}

// SchemaName is the name of the count in the OpenAPI document.
func (countBody) SchemaName() string { return "DashboardCount" }

func (b *Board) get(ctx context.Context, _ *struct{}) (*dashboardOutput, error) {
	who, _ := principal.From(ctx)
	var failed error
	numbers := b.numbers.Read(ctx, func(area string) bool {
		if failed != nil || !who.Allows(area+":read") {
			return false
		}
		uses, err := b.features.Allows(ctx, who.Company, area)
		failed = err

		return uses
	})
	if failed != nil {
		return nil, failed
	}
	out := &dashboardOutput{}
	for _, n := range numbers {
		out.Body.Counts = append(out.Body.Counts, countBody(n))
	}

	return out, nil
}
