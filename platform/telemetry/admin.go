package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	headTime = 5 * time.Second
	// answerTime leaves room for a profile of a minute.
	answerTime = 90 * time.Second
	idleTime   = 2 * time.Minute
	// closeTime is how long a stop waits for answers under way.
	closeTime = 2 * time.Second
	// scrapes is how many may go on at once, scrapeTime how long one may take.
	scrapes    = 4
	scrapeTime = 8 * time.Second
)

// Admin serves what operators need at an address of its own: metrics, profiles, and the level of
// the log. It asks nobody who they are.
type Admin struct {
	address string
	metrics *Metrics
	log     *slog.Logger

	running atomic.Pointer[admin]
}

// admin is the server between Start and Stop.
type admin struct {
	listener net.Listener
	http     *http.Server
	ended    chan error
}

// NewAdmin returns a server that does not listen yet.
func NewAdmin(s MetricsSettings, m *Metrics, log *slog.Logger) *Admin {
	return &Admin{address: s.Address, metrics: m, log: log}
}

// Start begins to listen at metrics.address, if there is one, and returns.
func (a *Admin) Start(ctx context.Context) error {
	if a.address == "" {
		return nil
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", a.address)
	if err != nil {
		return fmt.Errorf("metrics.address %s: %w", a.address, err)
	}
	s := &admin{listener: listener, ended: make(chan error, 1), http: &http.Server{
		Handler: a.handler(), ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: headTime, ReadTimeout: headTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
	}}
	a.running.Store(s)
	a.log.InfoContext(ctx, "metrics are served", "address", a.Address())
	go func() { s.ended <- s.http.Serve(listener) }()

	return nil
}

// Address returns the host and port that it listens at, "" if it does not.
func (a *Admin) Address() string {
	if s := a.running.Load(); s != nil {
		return s.listener.Addr().String()
	}

	return ""
}

// Stop waits a little for answers under way, and cuts off the others.
func (a *Admin) Stop(ctx context.Context) error {
	s := a.running.Swap(nil)
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if ended := <-s.ended; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}

	return err
}

// handler is what is served. The command line is not among the profiles: it may hold a password.
func (a *Admin) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.metrics.registry, promhttp.HandlerOpts{
		ErrorLog: scrapeLog{a.log}, ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapes, Timeout: scrapeTime,
	}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		a.answer(w, r, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /log/level", a.readLevel)
	mux.HandleFunc("PUT /log/level", a.setLevel)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)

	return http.NewCrossOriginProtection().Handler(mux)
}

// scrapeLog is where promhttp tells what went wrong.
type scrapeLog struct{ log *slog.Logger }

// Println implements promhttp.Logger.
func (l scrapeLog) Println(v ...any) {
	l.log.Warn("a scrape of the metrics failed", "error", fmt.Sprint(v...))
}
