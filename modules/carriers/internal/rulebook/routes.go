package rulebook

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes registers the operation that lists the rules that are in force.
func Routes(r *web.Router, b *Book) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/rules/effective", ID: "list_effective_rules", Access: web.Read, Summary: "List the rules by which carriers are judged",
		Description: "The default rules, those that you have replaced, and your own; and the facts that conditions may read.",
		Errors:      []*errs.Error{database.ErrUnavailable},
	}, b.effective)
}

type effectiveOutput struct {
	Body struct {
		Rules []verdict.Rule `json:"rules" nullable:"false"`
		Facts []verdict.Fact `json:"facts" nullable:"false"`
	}
}

func (b *Book) effective(ctx context.Context, _ *struct{}) (*effectiveOutput, error) {
	own, err := b.Own(ctx)
	out := &effectiveOutput{}
	out.Body.Rules, out.Body.Facts = Effective(own), verdict.Facts()

	return out, err
}
