package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// readyTime is how long a check may take.
const readyTime = 2 * time.Second

var errNotReady = errs.New(errs.Unavailable, "web.not_ready", "The service is not ready to serve requests.")

// ReadyCheck is something without which the service cannot serve requests.
type ReadyCheck struct {
	// Name is shown at /readyz.
	Name string
	// Check returns why the service is not ready; the error is logged and not shown. Its context
	// ends after two seconds.
	Check func(ctx context.Context) error
}

// AddReadyCheck adds to what /readyz asks. It is called before Start.
func (a *API) AddReadyCheck(checks ...ReadyCheck) { a.checks = append(a.checks, checks...) }

// healthz answers as soon as the service serves at all.
func (a *API) healthz(c *fiber.Ctx) error { return c.JSON(map[string]string{"status": "ok"}) }

// readyz answers whether requests should be sent here.
func (a *API) readyz(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), readyTime)
	defer cancel()
	failed := a.runChecks(ctx)
	if s := a.running.Load(); s != nil && s.server.Stopping() {
		failed = append(failed, "stopping")
	}
	if len(failed) > 0 {
		a.send(c, newHTTPError(ctx, errNotReady.WithDetail("failed", failed)))

		return nil
	}

	return c.Status(http.StatusOK).JSON(map[string]string{"status": "ready"})
}

// runChecks runs the checks side by side and returns the names of those that failed.
func (a *API) runChecks(ctx context.Context) []string {
	results := make([]chan error, len(a.checks))
	for i, check := range a.checks {
		results[i] = make(chan error, 1)
		go func() { results[i] <- check.Check(ctx) }()
	}
	var failed []string
	for i, result := range results {
		var err error
		select {
		case err = <-result:
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			a.log.LogAttrs(ctx, slog.LevelWarn, "not ready",
				slog.String("check", a.checks[i].Name), slog.Any("error", err))
			failed = append(failed, a.checks[i].Name)
		}
	}

	return failed
}
