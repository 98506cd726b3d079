package web

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
)

// bodyCheck refuses bodies.
type bodyCheck struct {
	refusal *errs.Error
	wrong   func(body []byte) bool
}

// CheckBodies is the manifest line of an area that refuses request bodies before anything else reads them, by their bytes: such as those
// with card numbers. Nothing of a refused body is logged, audited or stored for an Idempotency-Key; wrong must not keep it. Uploads, and
// notifications of vendors (Raw), are not checked.
func CheckBodies(refusal *errs.Error, wrong func(body []byte) bool) fx.Option {
	return module.Contribute("check_bodies", refusal.Code, nil, func(at module.At) fx.Option {
		return module.Register(at, func(api, _ *API) error {
			api.bodyChecks[at.Area] = append(api.bodyChecks[at.Area], bodyCheck{refusal: refusal, wrong: wrong})

			return nil
		})
	})
}

// checkBody refuses a body that the area of the operation does not take. One that cannot be read whole is left to who reads it.
func checkBody(e *endpoint, c *call) error {
	checks := e.api.bodyChecks[e.info.Area]
	if len(checks) == 0 || !e.takesBody || e.taken || e.uploads || !c.whole && !e.readWhole(c) {
		return nil
	}
	for _, check := range checks {
		if check.wrong(c.body) {
			return check.refusal
		}
	}

	return nil
}
