package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errNoThing = errs.New(errs.NotFound, "things.not_found", "It does not exist.")
	errTaken   = errs.New(errs.Conflict, "things.taken", "The thing is taken.")
	errRush    = errs.New(errs.TooMany, "things.rush", "Too many things.").WithRetryAfter(1500 * time.Millisecond)
	errAway    = errs.New(errs.Unavailable, "things.away", "The things are away.")
	errBad     = errs.New(errs.Invalid, "things.invalid", "The given data was invalid.")
)

// plainly sends requests that ask for no content coding by themselves.
var plainly = &http.Transport{DisableCompression: true}

// tokens is an Authenticator: the token says what its bearer may do.
type tokens struct{}

var errToken = errs.New(errs.Unauthenticated, "tokens.unknown", "This token is not known.")

func (tokens) Authenticate(_ context.Context, bearer string) (principal.Principal, error) {
	switch bearer {
	case "":
		return principal.Principal{}, errs.New(errs.Unauthenticated, "tokens.missing", "The request shows no token.")
	case "all":
		return principal.Principal{Kind: principal.User, Company: uuid.Max, Token: uuid.Max, Scopes: []string{"*"}}, nil
	case "reader":
		return principal.Principal{Kind: principal.User, Company: uuid.Max, Scopes: []string{"things:read"}}, nil
	case "operator":
		return principal.Principal{Kind: principal.Operator, Scopes: []string{"*"}}, nil
	case "away":
		return principal.Principal{}, errAway
	default:
		return principal.Principal{}, errToken
	}
}

type stop struct {
	City string `json:"city" minLength:"2"`
}

type newThing struct {
	Name  string     `json:"name" minLength:"1" maxLength:"10"`
	Year  int8       `json:"year,omitempty"`
	Owner *uuid.UUID `json:"owner,omitempty"`
	Stops []stop     `json:"stops,omitempty"`
	VIN   field.VIN  `json:"vin,omitempty"`
	Kind  string     `json:"kind,omitempty" enum:"car,boat"`
}

type thing struct {
	UUID uuid.UUID `json:"uuid"`
	Name string    `json:"name"`
	Tags []string  `json:"tags"`
}

type findThings struct {
	PerPage int               `query:"per_page" minimum:"1" maximum:"200" default:"50"`
	Tags    []string          `query:"tag,explode"`
	Filter  map[string]string `query:"filter,deepObject"`
}

type listOutput struct {
	Body struct {
		Data []thing `json:"data"`
	}
}

type oneThing struct {
	UUID uuid.UUID `path:"uuid"`
}

type changeThing struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	Body struct {
		Name string `json:"name,omitempty"`
	}
}

type rawThing struct {
	web.RawJSON
}

func anyObject() *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

type failing struct {
	How string `path:"how"`
}

// area is a small area for the tests. Its handlers are fixed but for what the tests put in.
type area struct {
	got   chan []byte
	enter chan context.Context
	leave chan struct{}
}

func newArea() *area {
	return &area{got: make(chan []byte, 1), enter: make(chan context.Context, 8), leave: make(chan struct{})}
}

func (s *area) create(_ context.Context, in *struct{ Body newThing }) (*web.Resource[thing], error) {
	return answer(in.Body.Name, 1), nil
}

func answer(name string, version int64) *web.Resource[thing] {
	return web.NewResource(thing{UUID: uuid.Max, Name: name}, version, "/things/api/v1/things/"+uuid.Max.String())
}

func (s *area) read(_ context.Context, in *oneThing) (*web.Resource[thing], error) {
	if in.UUID != uuid.Max {
		return nil, errNoThing
	}

	return answer("seven", 7), nil
}

func (s *area) change(_ context.Context, in *changeThing) (*web.Resource[thing], error) {
	if err := in.Check(7); err != nil {
		return nil, err
	}

	return answer(in.Body.Name, 8), nil
}

func (s *area) remove(context.Context, *oneThing) (*struct{}, error) { return nil, nil }

func (s *area) list(_ context.Context, in *findThings) (*listOutput, error) {
	out := &listOutput{}
	for _, tag := range in.Tags {
		out.Body.Data = append(out.Body.Data, thing{Name: tag})
	}

	return out, nil
}

func (s *area) count(context.Context, *struct{}) (*struct{ Body int }, error) {
	return &struct{ Body int }{Body: 3}, nil
}

func (s *area) raw(_ context.Context, in *rawThing) (*struct{ Body map[string]any }, error) {
	var envelope struct {
		ModuleUUID uuid.UUID       `json:"module_uuid"`
		Payload    json.RawMessage `json:"payload"`
	}
	if err := in.Decode(&envelope); err != nil {
		return nil, err
	}
	select {
	case s.got <- in.RawBody:
	default:
	}

	return &struct{ Body map[string]any }{Body: map[string]any{"module": envelope.ModuleUUID}}, nil
}

func (s *area) fail(ctx context.Context, in *failing) (*struct{ Body string }, error) {
	switch in.How {
	case "taken":
		return nil, errTaken.WithDetail("state", "sold")
	case "rush":
		return nil, errRush
	case "away":
		return nil, errAway.WithCause(errors.New("secret address"))
	case "field":
		return nil, errBad.WithField("payload.vin", "The vin must be 17 characters.")
	case "invalid":
		return nil, errBad
	case "defect":
		return nil, errors.New("secret of the database")
	case "address":
		return &struct{ Body string }{Body: web.ClientIP(ctx)}, nil
	case "panic":
		panic("secret of the panic")
	case "nothing":
		return nil, nil
	case "late":
		<-ctx.Done()

		return nil, errors.New("driver: canceling statement")
	case "wait":
		s.enter <- ctx
		select {
		case <-s.leave:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}

	return &struct{ Body string }{Body: in.How}, nil
}

func (s *area) mount(r *web.Router) {
	own := []*errs.Error{errNoThing, errTaken}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/things", ID: "create_thing", Summary: "Create a thing", Access: web.Write, Errors: own,
	}, s.create)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/things/{uuid}", ID: "read_thing", Summary: "Read a thing", Access: web.Read, Errors: own,
	}, s.read)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/things/{uuid}", ID: "change-thing", Summary: "Change a thing", Access: web.Write, Errors: own,
	}, s.change)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/things/{uuid}", ID: "remove_thing", Summary: "Remove a thing", Access: web.Write, Errors: own,
	}, s.remove)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/things", ID: "list_things", Summary: "List things", Access: web.Read, Errors: own,
	}, s.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/things/count", ID: "count_things", Summary: "Count things", Access: web.Scope("count"), Errors: own,
	}, s.count)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/raw", ID: "create_raw", Summary: "Create", Access: web.Write, Errors: own, MaxBody: 64 << 10,
		RequestSchema: anyObject,
	}, s.raw)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/fail/{how}", ID: "fail", Summary: "Fail", Access: web.Public, Errors: own,
	}, s.fail)
}

// log collects what is logged.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.text.String()
}

// service is an API that serves the area of the tests.
type service struct {
	*web.API

	area *area
	log  *log
}

// start serves the area on a free port until the test ends. Options change the settings.
func start(t *testing.T, options ...func(*web.Settings)) *service {
	t.Helper()
	s := build(t, options...)
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })

	return s
}

func build(t *testing.T, options ...func(*web.Settings)) *service {
	t.Helper()
	settings := web.Defaults()
	settings.Address = "127.0.0.1:0"
	for _, option := range options {
		option(&settings)
	}
	require.NoError(t, settings.Validate())
	l := &log{}
	about := web.About{Name: "dispatchd", Version: "1.2.3", Areas: []web.AboutArea{{ID: "things", Title: "Things of all kinds"}}}
	s := &service{area: newArea(), log: l}
	s.API = web.New(settings, tokens{}, about, slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})))
	require.NoError(t, s.Mount("things", s.area.mount))

	return s
}

// reply is an answer, read to its end.
type reply struct {
	*http.Response

	body string
}

// call sends a request as the token that may do everything. Headers are "Name: value"; an empty
// value takes a header away.
func (s *service) call(t *testing.T, method, path, body string, headers ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Address()+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer all")
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Del(strings.TrimSuffix(name, ":"))
		if value != "" {
			request.Header.Add(name, value)
		}
	}

	return do(t, request)
}

func do(t *testing.T, request *http.Request) reply {
	t.Helper()
	response, err := plainly.RoundTrip(request)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	return reply{Response: response, body: string(text)}
}

// problem is the error body.
type problem struct {
	Message   string              `json:"message"`
	Code      string              `json:"code"`
	Errors    map[string][]string `json:"errors"`
	Details   map[string]any      `json:"details"`
	RequestID string              `json:"request_id"`
	Exception string              `json:"exception"`
	File      string              `json:"file"`
	Line      int                 `json:"line"`
	Trace     []struct {
		File, Function, Class, Type string
		Line                        int
	} `json:"trace"`
}

// refused asserts the status and returns the error body, which every error has.
func (r reply) refused(t *testing.T, status int) problem {
	t.Helper()
	require.Equal(t, status, r.StatusCode, r.body)
	require.Equal(t, "application/json", r.Header.Get("Content-Type"))
	var p problem
	decoder := json.NewDecoder(strings.NewReader(r.body))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&p), r.body)
	require.NotEmpty(t, p.Message)
	require.NotEmpty(t, p.Code)
	require.Equal(t, r.Header.Get("X-Request-Id"), p.RequestID)
	require.NotContains(t, r.body, "secret")

	return p
}

func (r reply) ok(t *testing.T) reply {
	t.Helper()
	require.Equal(t, http.StatusOK, r.StatusCode, r.body)

	return r
}

// fields are the names of the fields that are wrong, in order.
func (p problem) fields() []string {
	names := make([]string, 0, len(p.Errors))
	for name := range p.Errors {
		names = append(names, name)
	}
	slices.Sort(names)

	return names
}

const things = "/things/api/v1/things"
