package events

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/database"
)

const (
	// watched tells every process that one follows a company's log, and logged that there is more in it.
	watched broadcast.Topic[sign] = "events.watched"
	logMore broadcast.Topic[sign] = "events.logged"

	// watchAgain is how often a process that follows says so, and watchLife how long others believe it.
	watchAgain = 20 * time.Second
	watchLife  = time.Minute
	// tellPause is the time between two messages to other processes, so that however many events there
	// are, there are few messages: PostgreSQL has transactions with a NOTIFY commit one after the other.
	tellPause = 10 * time.Millisecond
)

// sign is a message of one process about a company.
type sign struct {
	Company uuid.UUID `json:"company"`
	From    uuid.UUID `json:"from"`
}

// watches are those who follow logs, here and in other processes, and wake them.
type watches struct {
	self uuid.UUID
	bus  *broadcast.Bus // nil if nobody else is told
	db   *database.DB
	log  *slog.Logger

	mu sync.Mutex
	// here are woken when there is more in the log of a company.
	here map[uuid.UUID]map[chan struct{}]struct{}
	// elsewhere is until when other processes are told.
	elsewhere map[uuid.UUID]time.Time
	untold    map[uuid.UUID]struct{}
	telling   bool
	stopped   bool
	work      sync.WaitGroup
	ctx       context.Context //nolint:containedctx // of the work in the background, until close
	cancel    context.CancelFunc
}

func newWatches(db *database.DB, log *slog.Logger) *watches {
	w := &watches{
		self: database.NewID(), db: db, log: log, here: map[uuid.UUID]map[chan struct{}]struct{}{},
		elsewhere: map[uuid.UUID]time.Time{}, untold: map[uuid.UUID]struct{}{},
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())

	return w
}

// UseBroadcast has those who follow the log in other processes told of events that are logged here, from
// then on. It is called before anything runs.
func (b *Bus) UseBroadcast(bus *broadcast.Bus) error {
	b.watches.bus = bus
	if err := broadcast.Listen(bus, watched, b.watches.noteWatch, func() {}); err != nil {
		return err
	}

	return broadcast.Listen(bus, logMore, b.watches.noteMore, b.watches.wakeAll)
}

// Close ends all that follows the log, and waits for it.
func (b *Bus) Close() {
	w := b.watches
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
	w.cancel()
	w.work.Wait()
}

// background runs work until Close, false after it.
func (w *watches) background(work func(ctx context.Context)) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return false
	}
	w.work.Go(func() { work(w.ctx) })

	return true
}

func (w *watches) noteWatch(s sign) {
	if s.From == w.self {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.elsewhere[s.Company] = time.Now().Add(watchLife) //nolint:forbidigo // how long a process is believed to be there
}

func (w *watches) noteMore(s sign) {
	if s.From != w.self {
		w.wake(s.Company)
	}
}

// wake wakes those here who follow a company's log.
func (w *watches) wake(company uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.here[company] {
		wakeUp(c)
	}
}

func (w *watches) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, company := range w.here {
		for c := range company {
			wakeUp(c)
		}
	}
}

func wakeUp(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is awake
	}
}

// watch returns what is sent to when there is more in a company's log, until leave.
func (w *watches) watch(company uuid.UUID) (more chan struct{}, leave func()) {
	more = make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.here[company] == nil {
		w.here[company] = map[chan struct{}]struct{}{}
	}
	w.here[company][more] = struct{}{}

	return more, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.here[company], more)
		if len(w.here[company]) == 0 {
			delete(w.here, company)
		}
	}
}

// announce tells other processes that this one follows a company's log.
func (w *watches) announce(ctx context.Context, company uuid.UUID) {
	if w.bus == nil || w.db.Dialect() != database.Postgres {
		return
	}
	if err := broadcast.Publish(ctx, w.bus, watched, sign{company, w.self}); err != nil && ctx.Err() == nil {
		w.log.WarnContext(ctx, "others were not told that a log is followed", slog.Any("error", err))
	}
}

// anybody reports whether someone follows a company's log.
func (w *watches) anybody(company uuid.UUID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()

	return len(w.here[company]) > 0 || w.isWatched(company)
}

func (w *watches) isWatched(company uuid.UUID) bool {
	until, ok := w.elsewhere[company]
	if ok && time.Now().After(until) { //nolint:forbidigo // as in noteWatch
		delete(w.elsewhere, company)

		return false
	}

	return ok
}

// committed wakes those who follow a company's log, here at once and elsewhere soon.
func (w *watches) committed(company uuid.UUID) {
	w.wake(company)
	w.mu.Lock()
	tell := w.isWatched(company) && !w.stopped
	if tell {
		w.untold[company] = struct{}{}
		if w.telling {
			tell = false
		} else {
			w.telling = true
		}
	}
	w.mu.Unlock()
	if tell {
		w.background(w.sendMessages)
	}
}

// sendMessages sends messages to other processes until there are no more.
func (w *watches) sendMessages(ctx context.Context) {
	pause := time.NewTicker(tellPause)
	defer pause.Stop()
	for {
		companies := w.takeUntold()
		if len(companies) == 0 {
			return
		}
		for company := range companies {
			if err := broadcast.Publish(ctx, w.bus, logMore, sign{company, w.self}); err != nil && ctx.Err() == nil {
				w.log.WarnContext(ctx, "others were not told of events", slog.Any("error", err))
			}
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
	}
}

func (w *watches) takeUntold() map[uuid.UUID]struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.untold
	w.untold = map[uuid.UUID]struct{}{}
	w.telling = len(all) > 0

	return all
}
