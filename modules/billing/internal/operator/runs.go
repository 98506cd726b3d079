package operator

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/subscriptions"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Runs does what is due at once, for the operator.
type Runs struct {
	house  *books.House
	runner *subscriptions.Runner
}

// NewRuns returns Runs.
func NewRuns(h *books.House, r *subscriptions.Runner) *Runs { return &Runs{house: h, runner: r} }

// RunRoutes are the operator's operations on what is due.
func RunRoutes(r *web.Router, c *Runs) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/run", ID: "run", Access: web.Write, Callers: web.OfOperator,
		Summary:     "Renew, charge and end the subscriptions that are due",
		Description: "A job does so every 5 minutes. Up to 500 subscriptions are worked on: repeat it until none is left.",
		Errors:      []*errs.Error{store.ErrNoSeller},
	}, c.postRun)
}

type runOutput struct {
	Body struct {
		Done   int `json:"done" doc:"Number of subscriptions that were worked on."`
		Failed int `json:"failed" doc:"Number of subscriptions that failed, and are worked on an hour later. The log says why."`
	}
}

func (c *Runs) postRun(ctx context.Context, _ *struct{}) (*runOutput, error) {
	if _, err := c.house.Seller(ctx); err != nil {
		return nil, err
	}
	n, err := c.runner.Run(ctx)
	out := &runOutput{}
	out.Body.Done, out.Body.Failed = n.Done, n.Failed

	return out, err
}
