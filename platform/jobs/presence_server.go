package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dispatchd/dispatchd/platform/database"
)

const (
	// looks is how many times an owner is found without his lock, one after the other within jobs.take_over,
	// before his jobs are taken over.
	looks = 5
	// A process that is cut off cancels its jobs after the first look that is later than fenceAfter of
	// jobs.take_over, in per cent. With the time that a look may take that is 80 at the latest.
	fenceAfter  = 40
	answerAfter = 10 // how long the server may take to answer each time
	hundred     = 100
	// startWithin is how long connecting may take at the start.
	startWithin = 10 * time.Second

	// attemptsOfOwner are the attempts that run of an owner.
	attemptsOfOwner = "SELECT id, attempt::bigint FROM river_job WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = $1"

	holdOwner = "SELECT pg_advisory_lock(hashtextextended($1, 0))"
	// absent are the owners of jobs that run who do not hold their lock.
	absent = `SELECT DISTINCT owner FROM (SELECT attempted_by[array_upper(attempted_by, 1)] AS owner FROM river_job WHERE state = 'running') x
WHERE owner LIKE $1 AND NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (classid::bigint << 32) | objid::bigint = hashtextextended(owner, 0))`
)

// sessionParameters have the server notice within half a minute that the machine of an owner is gone. That his
// process is gone it notices at once.
var sessionParameters = map[string]string{"tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}

// session is the connection that holds the lock of an owner. A process that pauses keeps it; one that is gone
// does not.
type session struct {
	presence *presence

	owner string
	conn  *pgx.Conn // nil while there is none
	sure  time.Time // when the lock was last known to be held
	gone  map[string]int
}

// attendServer takes the owner's lock and keeps it until leave.
func (p *presence) attendServer(ctx context.Context, owner string) (leave func(), err error) {
	s := &session{presence: p, owner: owner, gone: map[string]int{}}
	if err := s.acquireLock(ctx, startWithin); err != nil {
		return nil, err
	}
	stop := p.runRepeatedly(ctx, s.maintain)

	return func() {
		stop()
		s.hangUp(ctx)
	}, nil
}

// maintain keeps the lock, and looks for owners who are gone and for jobs that were lost.
func (s *session) maintain(ctx context.Context) {
	if err := s.checkLock(ctx); err != nil && ctx.Err() == nil {
		s.presence.log.WarnContext(ctx, "looking for jobs of processes that died", slog.Any("error", err))
		s.hangUp(ctx)
	}
	s.endDoubtfulJobs()
}

// checkLock makes sure of the lock, takes over the jobs of those who have been without theirs for long enough, and settles
// those that this process has lost.
func (s *session) checkLock(ctx context.Context) error {
	if s.conn == nil {
		if err := s.acquireLock(ctx, s.percent(answerAfter)); err != nil {
			return err
		}
	}
	missing, err := s.missing(ctx)
	if err != nil {
		return err
	}
	s.sure = time.Now() //nolint:forbidigo // a process is away by the time that passes, whatever the clock says
	seen := s.gone
	s.gone = map[string]int{}
	for _, owner := range missing {
		if s.gone[owner] = seen[owner] + 1; s.gone[owner] <= looks {
			continue
		}
		if err := s.presence.takeOver(ctx, owner); err != nil {
			return err
		}
	}
	running, err := s.running(ctx)
	if err != nil {
		return err
	}

	return s.presence.endLostAttempts(ctx, s.owner, running)
}

// running returns what the database says that this process works on.
func (s *session) running(ctx context.Context) ([]attemptOf, error) {
	ctx, cancel := context.WithTimeout(ctx, s.percent(answerAfter))
	defer cancel()
	rows, err := s.conn.Query(ctx, attemptsOfOwner, s.owner)
	if err != nil {
		return nil, database.Translate(err)
	}
	attempts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[attemptOf])

	return attempts, database.Translate(err)
}

// missing returns who has no lock. It goes over the connection that holds ours, so that an answer says that we
// hold it.
func (s *session) missing(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.percent(answerAfter))
	defer cancel()
	rows, err := s.conn.Query(ctx, absent, ownerPrefix+"%")
	if err != nil {
		return nil, database.Translate(err)
	}
	owners, err := pgx.CollectRows(rows, pgx.RowTo[string])

	return owners, database.Translate(err)
}

// acquireLock connects and takes the lock. One that nobody can have taken is free, but for the moment in which somebody
// makes sure of that.
func (s *session) acquireLock(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	conn, err := s.presence.db.Connect(ctx, sessionParameters)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, holdOwner, s.owner); err != nil {
		return database.Translate(errors.Join(err, conn.Close(context.WithoutCancel(ctx))))
	}
	s.conn, s.sure = conn, time.Now() //nolint:forbidigo // see look

	return nil
}

func (s *session) hangUp(ctx context.Context) {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.percent(answerAfter))
	defer cancel()
	if err := s.conn.Close(ctx); err != nil {
		s.presence.log.DebugContext(ctx, "closing the connection of the lock", slog.Any("error", err))
	}
	s.conn = nil
}

// percent is a part of jobs.take_over.
func (s *session) percent(n time.Duration) time.Duration {
	return s.presence.settings.TakeOver * n / hundred
}

// endDoubtfulJobs ends the jobs that run once the lock may have been lost for so long that others are about to take them
// over, and lets jobs run again once it is there.
func (s *session) endDoubtfulJobs() {
	if time.Since(s.sure) > s.percent(fenceAfter) {
		s.presence.fence.raise()
	} else {
		s.presence.fence.lower()
	}
}

// errCutOff is why jobs are cancelled whose process is cut off from the database.
var errCutOff = errors.New("jobs: cut off from the database: other processes take over")

// fence stands between a process that is cut off and the jobs it runs.
type fence struct {
	mu   sync.Mutex
	ctx  context.Context //nolint:containedctx // it ends when the fence goes up
	stop context.CancelCauseFunc
}

func newFence() *fence {
	f := &fence{}
	f.ctx, f.stop = context.WithCancelCause(context.Background())

	return f
}

// raise cancels the jobs that run.
func (f *fence) raise() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop(errCutOff)
}

// lower lets jobs run.
func (f *fence) lower() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		f.ctx, f.stop = context.WithCancelCause(context.Background())
	}
}

// guard returns a context that ends with the fence's, and false if the fence is up.
func (f *fence) guard(ctx context.Context) (guarded context.Context, free func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return ctx, func() {}, false
	}
	guarded, cancel := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(f.ctx, func() { cancel(errCutOff) })

	return guarded, func() { unhook(); cancel(nil) }, true
}
