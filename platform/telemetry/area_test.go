package telemetry_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/fx"
	"google.golang.org/protobuf/proto"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
)

// yard is an area that does all that leaves a trace: it writes, hands out a link, has jobs, and fails.
type yard struct {
	db     *database.DB
	links  *link.Service
	queue  *jobs.Queue
	log    *slog.Logger
	tidied chan struct{}
}

type yardInput struct {
	Body struct {
		Name     string `json:"name" minLength:"1"`
		Password string `json:"password"`
	}
}

type yardOutput struct {
	Body struct {
		Link string `json:"link"`
	}
}

type yardLink struct {
	Link string `path:"link"`
}

type tidyArgs struct {
	Password string `json:"password"`
}

func (tidyArgs) Kind() string { return "yard.tidy" }

func (y *yard) create(ctx context.Context, in *yardInput) (*yardOutput, error) {
	out := &yardOutput{}
	err := y.db.InTx(ctx, func(ctx context.Context) error {
		_, text, err := y.links.Create(ctx, link.NewLink{Purpose: "yard.gate", Subject: link.Subject{Type: "yard.gate", ID: uuid.Max}})
		if err != nil {
			return err
		}
		out.Body.Link = text

		return y.queue.Enqueue(ctx, tidyArgs{Password: in.Body.Password}, jobs.Attempts(1))
	})

	return out, err
}

func (y *yard) open(ctx context.Context, in *yardLink) (*yardOutput, error) {
	return &yardOutput{}, y.db.InTx(ctx, func(ctx context.Context) error {
		_, err := y.links.Use(ctx, "yard.gate", in.Link)

		return err
	})
}

func (*yard) explode(context.Context, *yardInput) (*yardOutput, error) { panic("the yard exploded") }

// wreck sends what somebody wrote where neither database takes it.
func (y *yard) wreck(ctx context.Context, in *yardInput) (*yardOutput, error) {
	statement := "SELECT CAST(CAST(? AS text) AS uuid)"
	if y.db.Dialect() == database.SQLite {
		statement = "SELECT json(?)"
	}
	var text string

	return nil, y.db.Raw(ctx, "a statement that fails").Raw(statement, in.Body.Password).Scan(&text).Error
}

// tidy is a job that reads, and fails.
func (y *yard) tidy(ctx context.Context, args tidyArgs) error {
	defer func() { y.tidied <- struct{}{} }()
	_, err := y.wreck(ctx, &yardInput{Body: struct {
		Name     string `json:"name" minLength:"1"`
		Password string `json:"password"`
	}{Password: args.Password}})

	return err
}

func yardRoutes(r *web.Router, y *yard) {
	operation := func(path, id string) web.Operation {
		return web.Operation{
			Method: http.MethodPost, Path: path, ID: id, Summary: "Do it", Access: web.Write,
			Errors: []*errs.Error{errs.New(errs.Conflict, "yard.conflict", "It does not go."), errs.New(errs.NotFound, "link.used_up", "It was used.")},
		}
	}
	web.Register(r, operation("/things", "create_thing"), y.create)
	web.Register(r, operation("/links/{link}", "open_link"), y.open)
	web.Register(r, operation("/explosion", "explode"), y.explode)
	web.Register(r, operation("/wreck", "wreck"), y.wreck)
}

func yardModule(tidied chan struct{}) module.Module {
	return module.New("yard", "Yard",
		fx.Provide(func(db *database.DB, links *link.Service, queue *jobs.Queue, log *slog.Logger) *yard {
			return &yard{db: db, links: links, queue: queue, log: log, tidied: tidied}
		}, fx.Private),
		link.Declare("yard.gate", link.Rules{Uses: 1, Life: 1 << 40}),
		jobs.On((*yard).tidy),
		web.Routes(yardRoutes),
	)
}

// observed is a service of which everything is seen.
type observed struct {
	*moduletest.App

	log       *lockedBuffer
	collector *receiver
	admin     *telemetry.Admin
	tidied    chan struct{}
}

func bootObserved(t *testing.T, url string, set ...string) *observed {
	t.Helper()
	o := &observed{log: &lockedBuffer{}, collector: newReceiver(t), tidied: make(chan struct{}, 9)}
	log := telemetry.NewLogger(telemetry.Settings{Level: "debug", Format: "json"}, o.log)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(o.log.String())
		}
	})
	o.App = moduletest.Boot(t, url, []module.Module{yardModule(o.tidied)},
		moduletest.Set(append(set, "traces.endpoint="+o.collector.url, "metrics.address=127.0.0.1:0")...),
		moduletest.With(
			fx.Decorate(func(*slog.Logger) *slog.Logger { return log }),
			fx.Populate(&o.admin),
		))

	return o
}

// adminCall sends a request to the address of metrics.
func (o *observed) adminCall(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+o.admin.Address()+path, strings.NewReader(body))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	return response.StatusCode, string(text)
}

// stop ends the service, so that it has told everything.
func (o *observed) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, o.Stop(context.WithoutCancel(t.Context())))
}

// receiver is a collector that keeps what it is sent.
type receiver struct {
	url string

	mu    sync.Mutex
	raw   bytes.Buffer
	spans []*tracepb.Span
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	server := httptest.NewServer(http.HandlerFunc(r.collect))
	t.Cleanup(server.Close)
	r.url = server.URL

	return r
}

func (r *receiver) collect(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var sent collector.ExportTraceServiceRequest
	if err != nil || request.URL.Path != "/v1/traces" || proto.Unmarshal(body, &sent) != nil {
		w.WriteHeader(http.StatusBadRequest)

		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw.Write(body)
	for _, resource := range sent.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			r.spans = append(r.spans, scope.GetSpans()...)
		}
	}
}

// text is all that was sent, as bytes.
func (r *receiver) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.raw.String()
}

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()

	return b.out.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()

	return b.out.String()
}

// waiting is how long a test waits for what comes by itself.
const waiting = 10 * time.Second

// missing lists which of the wanted lines text does not have.
func missing(text string, wants []string) []string {
	return slices.DeleteFunc(slices.Clone(wants), func(want string) bool { return strings.Contains(text, want) })
}
