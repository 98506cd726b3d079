package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

var (
	errStreamsFull = errs.New(errs.Unavailable, "web.too_many_streams", "There are more open streams than the service can have. Please try again in a moment.").
			WithRetryAfter(retryAfter)
	errCompanyStreams = errs.New(errs.TooMany, "web.company_streams", "The company has too many open streams. Please close one of them.").
				WithRetryAfter(retryAfter)
)

// streams are those of one life of the server: answers that are streamed, and bodies that are read
// as they arrive. They take no slots, which are for what is done soon.
type streams struct {
	settings StreamSettings
	// stopping is closed when the streams are to end.
	stopping chan struct{}

	mu        sync.Mutex
	places    int
	companies map[uuid.UUID]int
	open      map[*stream]struct{}
	// expected are those that fasthttp is about to let go of, by their connection.
	expected map[net.Conn]*stream
	over     *time.Timer
	ended    bool
}

func newStreams(s StreamSettings) *streams {
	return &streams{
		settings: s, stopping: make(chan struct{}), companies: map[uuid.UUID]int{},
		open: map[*stream]struct{}{}, expected: map[net.Conn]*stream{},
	}
}

// take gets a place for the principal in ctx, and returns what gives it back.
func (ss *streams) take(ctx context.Context) (free func(), err error) {
	company, counted := owner(ctx)
	ss.mu.Lock()
	defer ss.mu.Unlock()
	switch {
	case ss.over != nil:
		return nil, errStreamStopped
	case ss.places >= ss.settings.MaxOpen:
		return nil, errStreamsFull
	case counted && ss.companies[company] >= ss.settings.MaxPerCompany:
		return nil, errCompanyStreams
	}
	ss.places++
	if counted {
		ss.companies[company]++
	}

	return sync.OnceFunc(func() { ss.give(company, counted) }), nil
}

func (ss *streams) give(company uuid.UUID, counted bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.places--
	if !counted {
		return
	}
	ss.companies[company]--
	if ss.companies[company] == 0 {
		delete(ss.companies, company)
	}
}

// expect notes a stream before fasthttp lets go of its connection.
func (ss *streams) expect(st *stream) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.expected[st.conn] = st
	ss.open[st] = struct{}{}
	if ss.ended {
		st.cancel(errStreamStopped)
	}
}

func (ss *streams) started(st *stream) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	delete(ss.expected, st.conn)
}

func (ss *streams) left(st *stream) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	delete(ss.open, st)
}

// broke drops the stream that was to run on a connection that fasthttp closed instead.
func (ss *streams) broke(c net.Conn) {
	ss.mu.Lock()
	st, waiting := ss.expected[c]
	delete(ss.expected, c)
	ss.mu.Unlock()
	if waiting {
		st.cancel(errStreamGone)
		st.api.streamed(st, endGone)
		st.drop()
		ss.left(st)
	}
}

// tell says that the service stops. Events end at once, other streams get some time to finish.
func (ss *streams) tell() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	close(ss.stopping)
	ss.over = time.AfterFunc(ss.settings.StopGrace, ss.end)
}

// end ends the contexts of all streams.
func (ss *streams) end() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.ended = true
	for st := range ss.open {
		st.cancel(errStreamStopped)
	}
}

// stop waits for the streams until ctx ends, and then cuts them off.
func (ss *streams) stop(ctx context.Context, log *slog.Logger) {
	if ss.wait(ctx) {
		ss.over.Stop()

		return
	}
	ss.end()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), cutOffTime)
	defer cancel()
	if !ss.wait(last) {
		log.LogAttrs(ctx, slog.LevelWarn, "streams cut off", slog.Int("streams", ss.hangUp()))
		ss.wait(last)
	}
}

// wait reports whether all streams ended before ctx.
func (ss *streams) wait(ctx context.Context) bool {
	for ss.count() > 0 {
		select {
		case <-ctx.Done():
			return ss.count() == 0
		case <-time.After(cutOffLook):
		}
	}

	return true
}

func (ss *streams) count() int {
	ss.mu.Lock()
	defer ss.mu.Unlock()

	return len(ss.open)
}

// hangUp closes all connections, and returns how many.
func (ss *streams) hangUp() int {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for st := range ss.open {
		st.hangUp()
	}

	return len(ss.open)
}

// enterStream gets the call a place.
func (e *endpoint) enterStream(c *call) (leave func(), err error) {
	server := e.api.running.Load()
	if server == nil {
		return nil, errStreamStopped
	}
	free, err := server.streams.take(c.ctx)
	if err != nil {
		return nil, err
	}
	if !e.streams {
		return free, nil
	}
	c.exchange.stream = &stream{
		api: e.api, endpoint: e, exchange: c.exchange, server: server, home: server.streams, free: free,
		bearer: bearer(c.Header("Authorization")),
	}

	return func() {
		if st := c.exchange.stream; st != nil && st.run == nil {
			c.exchange.dropStream()
		}
	}, nil
}

// recheck looks from time to time whether the caller may still do what the stream does for it.
func (st *stream) recheck() (stop func()) {
	if st.endpoint.scope == "" {
		return func() {}
	}
	every := st.home.settings.Recheck
	var timer *time.Timer
	ready := make(chan struct{})
	timer = time.AfterFunc(every, func() {
		<-ready
		switch {
		case st.ctx.Err() != nil:
		case st.revoked(every):
			st.cancel(errStreamRevoked)
		default:
			timer.Reset(every)
		}
	})
	close(ready)

	return func() { timer.Stop() }
}

// lessens reports whether a caller has become another, or may do less than before. What a stream shows was
// decided when it began.
func lessens(before, now principal.Principal) bool {
	return before.Role != now.Role || slices.ContainsFunc(before.Scopes, func(scope string) bool { return !now.Allows(scope) })
}

// revoked reports whether the caller's token is no longer good. If nobody knows, it may be.
func (st *stream) revoked(within time.Duration) bool {
	ctx, cancel := context.WithTimeout(st.ctx, within)
	defer cancel()
	who, err := st.api.auth.Authenticate(ctx, st.bearer)
	if err == nil {
		if before, _ := principal.From(st.ctx); !who.Allows(st.endpoint.scope) || lessens(before, who) {
			return true
		}
		err = st.endpoint.gated(ctx, who)
	}
	refused, ok := errors.AsType[*errs.Error](err)

	return ok && (refused.Kind == errs.Unauthenticated || refused.Kind == errs.Forbidden)
}
