package stream

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/server"
)

// Answers to who gets no place.
var (
	ErrFull = errs.New(errs.Unavailable, "web.too_many_streams", "The service has too many open streams. Please try again in a moment.").
		WithRetryAfter(httperror.RetryAfter)
	ErrCompanyFull = errs.New(errs.TooMany, "web.company_streams", "The company has too many open streams. Please close one of them.").
			WithRetryAfter(httperror.RetryAfter)
	ErrStopping = errs.New(errs.Unavailable, "web.stopping", "The service is shutting down. Please try again in a moment.").WithRetryAfter(time.Second)
)

// Pool has the streams of one life of the server: answers that are streamed, and bodies that are read as they arrive. They do not
// count for overload, which is for what is done soon.
type Pool struct {
	settings Settings
	log      *slog.Logger
	// stopping is closed when the streams are to end.
	stopping chan struct{}

	mu        sync.Mutex
	places    int
	companies map[uuid.UUID]int
	open      map[*Run]struct{}
	// expected are those that fasthttp is about to let go of, by their connection.
	expected map[net.Conn]*Run
	over     *time.Timer
	ended    bool
}

// NewPool returns a pool of which all places are free.
func NewPool(s Settings, log *slog.Logger) *Pool {
	return &Pool{
		settings: s, log: log, stopping: make(chan struct{}), companies: map[uuid.UUID]int{},
		open: map[*Run]struct{}{}, expected: map[net.Conn]*Run{},
	}
}

// Enter gets a place for the principal in ctx, and returns what gives it back.
func (p *Pool) Enter(ctx context.Context) (leave func(), err error) {
	company, counted := ownerOf(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.over != nil:
		return nil, ErrStopping
	case p.places >= p.settings.MaxOpen:
		return nil, ErrFull
	case counted && p.companies[company] >= p.settings.MaxPerCompany:
		return nil, ErrCompanyFull
	}
	p.places++
	if counted {
		p.companies[company]++
	}

	return sync.OnceFunc(func() { p.leave(company, counted) }), nil
}

// ownerOf is the company that a stream counts for. Strangers share one count; the operator, who may
// be there because of the overload, has none.
func ownerOf(ctx context.Context) (company uuid.UUID, counted bool) {
	who, _ := principal.From(ctx)

	return who.Company, who.Kind != principal.Operator
}

func (p *Pool) leave(company uuid.UUID, counted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.places--
	if !counted {
		return
	}
	p.companies[company]--
	if p.companies[company] == 0 {
		delete(p.companies, company)
	}
}

// expect notes a stream before fasthttp lets go of its connection.
func (p *Pool) expect(r *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected[r.conn] = r
	p.open[r] = struct{}{}
	if p.ended {
		r.cancel(ErrStopping)
	}
}

func (p *Pool) started(r *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.expected, r.conn)
}

func (p *Pool) left(r *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, r)
}

// Closed drops the stream that was to run on a connection that fasthttp closed instead.
func (p *Pool) Closed(c net.Conn) {
	p.mu.Lock()
	r, waiting := p.expected[c]
	delete(p.expected, c)
	p.mu.Unlock()
	if waiting {
		r.cancel(errGone)
		r.host.Ended(r, EndGone)
		r.Drop(r.ctx)
		p.left(r)
	}
}

// AnnounceStop says that the service stops. Events end at once, other streams get some time to finish.
func (p *Pool) AnnounceStop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.stopping)
	p.over = time.AfterFunc(p.settings.StopGrace, p.end)
}

// end ends the contexts of all streams.
func (p *Pool) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for r := range p.open {
		r.cancel(ErrStopping)
	}
}

// Stop waits for the streams until ctx ends, and then cuts them off.
func (p *Pool) Stop(ctx context.Context) {
	if p.wait(ctx) {
		p.over.Stop()

		return
	}
	p.end()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), server.CutOffTime)
	defer cancel()
	if !p.wait(last) {
		p.log.LogAttrs(ctx, slog.LevelWarn, "streams cut off", slog.Int("streams", p.hangUp()))
		p.wait(last)
	}
}

// wait reports whether all streams ended before ctx.
func (p *Pool) wait(ctx context.Context) bool {
	for p.count() > 0 {
		select {
		case <-ctx.Done():
			return p.count() == 0
		case <-time.After(server.CutOffLook):
		}
	}

	return true
}

func (p *Pool) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()

	return len(p.open)
}

// hangUp closes all connections, and returns how many.
func (p *Pool) hangUp() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.open {
		r.hangUp()
	}

	return len(p.open)
}
