package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
)

// Routes is the manifest line of operations: register declares them on the area's Router, for
// their handlers it gets a T, a type of the area.
func Routes[T any](register func(*Router, T)) fx.Option {
	return module.Contribute("routes", module.FuncName(register), nil, func(at module.At) fx.Option {
		return module.Register(at, func(api *API, from T) error {
			if at.Prefix != at.Area {
				return api.mount(Router{area: at.Area, prefix: at.Prefix, under: at.Prefix}, func(r *Router) { register(r, from) })
			}

			return api.Mount(at.Area, func(r *Router) { register(r, from) })
		})
	})
}

// RoutesUnder is Routes for operations whose paths are another area's: "/collections/api/v1/…". They are there if that area
// has operations. They are refused to companies that do not use the area of the manifest, and its scopes are what they ask
// for.
func RoutesUnder[T any](area string, register func(*Router, T)) fx.Option {
	return module.Contribute("routes", module.FuncName(register), nil, func(at module.At) fx.Option {
		return module.Register(at, func(api *API, from T) error {
			return api.MountUnder(at.Area, area, func(r *Router) { register(r, from) })
		})
	})
}

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

// Router is an area's part of the API. Operations are declared on it with Register.
type Router struct {
	api      *API
	area     string
	prefix   string // of the ids, scopes and schemas of its operations
	under    string // the area whose paths they are
	problems []error
}

// root is what all paths begin with.
func (r *Router) root() string { return "/" + r.under + "/api/v1" }

// addProblem notes what is wrong with an operation, each thing by itself.
func (r *Router) addProblem(op Operation, err error) {
	problems := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		problems = joined.Unwrap()
	}
	name := cmp.Or(op.ID, strings.TrimSpace(op.Method+" "+op.Path))
	for _, problem := range problems {
		r.problems = append(r.problems, fmt.Errorf("operation %q: %w", name, problem))
	}
}

// routeTable collects routes. Fiber takes the first route that matches, so
// they go to it in an order of their own: "/records/count" before "/records/{uuid}", whichever was
// declared first.
type routeTable struct {
	app    *fiber.App
	routes []route
}

type route struct {
	method, path string
	segments     []string // of the path
	handler      fiber.Handler
}

// add adds a route. Every GET answers HEAD.
func (t *routeTable) add(method, path string, handler fiber.Handler) {
	r := route{method, path, strings.Split(path, "/"), handler}
	t.routes = append(t.routes, r)
	if method == fiber.MethodGet {
		r.method = fiber.MethodHead
		t.routes = append(t.routes, r)
	}
}

// install hands the routes to Fiber.
func (t *routeTable) install() {
	slices.SortStableFunc(t.routes, func(x, y route) int {
		return slices.CompareFunc(x.segments, y.segments, compareSegments)
	})
	for _, r := range t.routes {
		t.app.Add(r.method, r.path, r.handler)
	}
}

// compareSegments orders fixed parts of a path before parameters.
func compareSegments(x, y string) int {
	if px, py := strings.HasPrefix(x, ":"), strings.HasPrefix(y, ":"); px != py {
		if px {
			return 1
		}

		return -1
	}

	return strings.Compare(x, y)
}

// serves reports whether an operation is one of those that are served, and notes that there is one.
func (a *API) serves(id string) bool {
	if len(a.settings.Operations) == 0 {
		return true
	}
	if slices.Contains(a.settings.Operations, id) {
		return true
	}
	a.unserved = append(a.unserved, id)

	return false
}

// checkOnly refuses settings that name an operation which no enabled area has.
func (a *API) checkOnly() error {
	for _, id := range a.settings.Operations {
		if a.ids[id] == nil {
			known := slices.Clone(a.unserved)
			slices.Sort(known)

			return fmt.Errorf("web.operations: the enabled areas have no operation %q; besides the listed ones they have %v", id, known)
		}
	}

	return nil
}
