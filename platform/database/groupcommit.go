package database

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dispatchd/dispatchd/platform/database/internal/prepared"
	"github.com/dispatchd/dispatchd/platform/database/internal/statistics"
)

const (
	// groupSize bounds how many functions one commit answers, and so how long the first waits.
	groupSize = 128
	// optimizeEvery is after how many functions the group looks whether statistics are stale.
	optimizeEvery = 20_000
)

// group is the one writer of SQLite. Functions that wait run one after the other in one
// transaction, each in its savepoint, and one commit answers all.
//
// What makes this safe: the transaction belongs to no caller, and no statement of it is interrupted
// by one, because SQLite rolls back the whole transaction when a statement is interrupted (or the
// disk is full); callers' deadlines are checked before and after their function. Once SQLite may
// have rolled back by itself, nothing more runs on the transaction, and the functions of the group
// run again, each in a transaction of its own.
type group struct {
	writer *sql.DB
	conn   *sql.Conn     // the one connection, nil until it is needed
	kept   *prepared.All // of conn
	log    *slog.Logger
	calls  chan *call
	closed chan struct{}
	ended  chan struct{}
	once   sync.Once
	ran    int
	stale  []string             // the analyses that are due
	sizes  prometheus.Histogram // nil while nobody looks
}

func newGroup(writer *sql.DB, log *slog.Logger) *group {
	return &group{
		writer: writer, log: log,
		calls: make(chan *call, groupSize), closed: make(chan struct{}), ended: make(chan struct{}),
	}
}

// call is a function that waits for its turn. It runs in the goroutine of its caller, so that a
// panic is the caller's own.
type call struct {
	ctx context.Context
	fn  func(context.Context) error

	turn chan *transaction // the group hands the transaction over
	ran  chan error        // the function is through, with its error
	done chan error        // the outcome is on disk, or is not
	gone bool              // the function panicked: nobody waits any more
}

var errPanicked = errors.New("database: the function panicked")

// do queues fn and returns when its outcome is final.
func (g *group) do(ctx context.Context, db *DB, fn func(context.Context) error) error {
	c := &call{
		ctx: ctx, fn: fn,
		turn: make(chan *transaction), ran: make(chan error, 1), done: make(chan error, 1),
	}
	select {
	case <-g.closed:
		return Translate(errStopped)
	case <-ctx.Done():
		return Translate(ctx.Err())
	case g.calls <- c:
	}

	return c.wait(db, g.ended)
}

// wait runs the function whenever it is its turn, until there is an outcome.
func (c *call) wait(db *DB, ended <-chan struct{}) error {
	for {
		select {
		case <-ended:
			select {
			case err := <-c.done:
				return err
			default:
				return Translate(errStopped)
			}
		case tx := <-c.turn:
			tx.db = db
			c.runAndReport(tx)
		case err := <-c.done:
			return err
		}
	}
}

// runAndReport runs the function and reports back even if it does not return.
func (c *call) runAndReport(tx *transaction) {
	err := errPanicked
	defer func() { c.ran <- err }()
	err = tx.runOutermost(c.ctx, c.fn)
}

// stop answers what is queued and ends the group.
func (g *group) stop() {
	g.once.Do(func() { close(g.closed) })
	<-g.ended
}

// loop runs groups until stop. It ends no earlier than the queue is empty.
func (g *group) loop() {
	defer close(g.ended)
	defer g.disconnect()
	for {
		select {
		case first := <-g.calls:
			g.commit(first)
		case <-g.closed:
			for {
				select {
				case first := <-g.calls:
					g.commit(first)
				default:
					return
				}
			}
		}
		g.keepStatistics()
	}
}

// keepStatistics analyses the tables that have grown since they were analysed last: one index after each group, so that
// no writer waits for more.
func (g *group) keepStatistics() {
	if g.conn == nil || (g.ran < optimizeEvery && len(g.stale) == 0) {
		return
	}
	var err error
	if len(g.stale) == 0 {
		g.ran = 0
		g.stale, err = statistics.Stale(context.Background(), g.conn)
	} else {
		err = statistics.Run(context.Background(), g.conn, g.stale[0])
		g.stale = g.stale[1:]
	}
	if err != nil {
		g.log.Warn("optimize", "error", err)
	}
}

// commit runs a group that begins with first, and answers its callers.
func (g *group) commit(first *call) {
	w, err := g.begin()
	if err != nil {
		first.done <- Translate(err)

		return
	}
	members, err := g.runQueued(w, first)
	if g.sizes != nil {
		g.sizes.Observe(float64(len(members)))
	}
	if err == nil {
		err = w.commit()
	} else {
		w.rollback()
	}
	if err != nil {
		g.log.Warn("a group of writes failed, running each by itself", "size", len(members), "error", err)
	}
	for _, c := range members {
		if err != nil {
			c.done <- g.runAlone(c)
		} else {
			c.done <- nil
		}
	}
}

// runQueued runs functions in their savepoints for as long as some wait, and returns those whose outcome
// depends on the commit. An error means that the transaction is gone.
func (g *group) runQueued(w *writing, first *call) ([]*call, error) {
	var members []*call
	for c := first; c != nil; c = g.next(len(members)) {
		g.ran++
		err := w.inSavepoint(c)
		switch {
		case w.broken != nil:
			return append(members, c), w.broken
		case err != nil:
			c.done <- err
		default:
			members = append(members, c)
		}
	}

	return members, nil
}

// next returns a call that waits now, nil if there is none or the group is full.
func (g *group) next(size int) *call {
	if size >= groupSize {
		return nil
	}
	select {
	case c := <-g.calls:
		return c
	default:
		return nil
	}
}

// runAlone runs a call in a transaction of its own.
func (g *group) runAlone(c *call) error {
	if c.gone {
		return errPanicked
	}
	w, err := g.begin()
	if err != nil {
		return Translate(err)
	}
	err = w.run(c)
	if w.broken != nil {
		err = w.broken
	}
	if err != nil {
		w.rollback()

		return Translate(err)
	}

	return Translate(w.commit())
}
