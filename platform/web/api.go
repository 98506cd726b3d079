// Package web serves the API: typed operations, declared once with Huma, on one shared Fiber app.
//
// An area declares its operations in its manifest, and they get the area's prefix, tag and scopes:
//
//	web.Routes(recordRoutes)
//
//	func recordRoutes(r *web.Router, s *service) {
//		web.Register(r, web.Operation{
//			Method: http.MethodGet, Path: "/records/{uuid}", ID: "read_record",
//			Summary: "Read a record", Access: web.Read, Errors: []*errs.Error{errNotFound},
//		}, s.read)
//	}
//
// From the declaration come the route, the checks of the request, the scope that it needs and the
// OpenAPI document of exactly what this deployment serves. Everything that is the same for all
// operations happens here and nowhere else: who is calling, limits and deadlines, media types, the
// error body, Prefer, ETag and If-None-Match.
package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/idempotency"
	"github.com/dispatchd/dispatchd/platform/memory"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web/coding"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
	"github.com/dispatchd/dispatchd/platform/web/overload"
)

// Authenticator says who shows a token.
type Authenticator interface {
	// Authenticate returns whose token bearer is; bearer is "" if the request shows none. It fails
	// with an errs.Unauthenticated that says why, in words and with a code that clients may see.
	Authenticate(ctx context.Context, bearer string) (principal.Principal, error)
}

// About is what the service says of itself at "/".
type About struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Areas   []AboutArea `json:"areas"`
}

// AboutArea is an enabled area.
type AboutArea struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// capacity is what all requests share, and are refused without.
type capacity struct {
	rates  overload.Rates
	slots  *overload.Slots
	memory *memory.Pool
}

// API is the registry of all operations, and the server of them. Areas are mounted one after the
// other before Start; after that it may be used from several goroutines.
type API struct {
	settings Settings
	auth     Authenticator
	gate     Gate
	about    About
	log      *slog.Logger
	// proxies are the trusted ones.
	proxies []netip.Prefix
	// headers are those of every answer, by configuration.
	headers [][2]string
	room    capacity
	// calendar is that of requests, nil for none.
	calendar *calendar.Calendar
	keeper   *idempotency.Keeper
	codings  coding.Pool

	app    *fiber.App
	routes *routeTable

	seen observation

	// endpoints are in the order of their declarations; those of ids and places are the same.
	endpoints   []*endpoint
	ids, places map[string]*endpoint
	// verbs are the operations that Act knows.
	verbs  map[verbKey]*endpoint
	inputs map[reflect.Type]knownInput
	// mounted are the areas that have operations; waiting are those under the paths of areas that have none yet.
	mounted  map[string]bool
	waiting  map[string][]func() error
	largest  int64       // body that an operation takes, in bytes
	declared []ScopeInfo // by DeclareScope
	unserved []string    // operations that the settings leave out
	checks   []ReadyCheck
	// bodyChecks are those of CheckBodies, by area.
	bodyChecks map[string][]bodyCheck
	documents  func() (documents, error)

	build   sync.Once
	running atomic.Pointer[life]
}

// New returns an API that serves nothing yet.
func New(s Settings, auth Authenticator, about About, log *slog.Logger) *API {
	a := &API{
		settings: s, auth: auth, about: about, log: log, proxies: parseNetworks(s.TrustedProxies),
		ids: map[string]*endpoint{}, places: map[string]*endpoint{}, verbs: map[verbKey]*endpoint{}, inputs: map[reflect.Type]knownInput{},
		mounted: map[string]bool{}, waiting: map[string][]func() error{}, bodyChecks: map[string][]bodyCheck{},
	}
	a.headers = s.fixedHeaders()
	a.room = capacity{overload.NewRates(s.RateLimit), overload.NewSlots(s.Overload), memory.NewPool(int64(s.Overload.MaxMemory), s.Overload.CompanyPercent)}
	a.app = fiber.New(a.fiberConfig())
	a.app.Use(a.serve)
	if cors := s.CORS.cors(); cors != nil {
		a.app.Use(cors)
	}
	a.routes = &routeTable{app: a.app}
	jsonbody.SetWords()
	a.documents = sync.OnceValues(a.newDocuments)

	return a
}

// UseCalendar has the contexts of requests carry a calendar. It is called before Start.
func (a *API) UseCalendar(c *calendar.Calendar) { a.calendar = c }

// Mount enters the operations that register declares, under the prefix of an area. It reports all
// operations that are not fit to be served. Areas use Routes.
func (a *API) Mount(area string, register func(*Router)) error {
	waiting := a.waiting[area]
	a.waiting[area] = nil
	a.mounted[area] = true

	err := a.mount(Router{area: area, prefix: area, under: area}, register)
	for _, mount := range waiting {
		err = errors.Join(err, mount())
	}

	return err
}

// MountUnder is Mount for operations whose paths are those of another area: they are there if that has any.
func (a *API) MountUnder(area, under string, register func(*Router)) error {
	mount := func() error { return a.mount(Router{area: area, prefix: area, under: under}, register) }
	if a.mounted[under] {
		return mount()
	}
	a.waiting[under] = append(a.waiting[under], mount)

	return nil
}

// mount is Mount with the names that the operations have.
func (a *API) mount(names Router, register func(*Router)) error {
	r := &names
	r.api = a
	register(r)

	return errors.Join(r.problems...)
}

// Operations lists what is served, ordered by path and method.
func (a *API) Operations() []OperationInfo {
	all := make([]OperationInfo, len(a.endpoints))
	for i, e := range a.endpoints {
		all[i] = e.info
	}
	slices.SortFunc(all, func(x, y OperationInfo) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), strings.Compare(x.Method, y.Method))
	})

	return all
}

// OpenAPI returns the OpenAPI 3.1 document of what is served, as JSON. It is made when it is first
// asked for, after all areas are mounted.
func (a *API) OpenAPI() ([]byte, error) {
	all, err := a.documents()
	if err != nil {
		return nil, err
	}

	return all[""].text()
}
