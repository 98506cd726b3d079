package jobs

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
)

// Together says that the work of this kind finds out by itself what there is to do, and so has no arguments. In each
// process, one such job of a company runs and one waits for it; those that come meanwhile end at once, since
// the waiting one sees all that they were enqueued for.
func Together() WorkOption {
	return func(r *rules) { r.together = &lines{of: map[uuid.UUID]*line{}} }
}

// lines are the jobs of one kind that are done together, by company.
type lines struct {
	mu sync.Mutex
	of map[uuid.UUID]*line
}

// line is the job that runs and the one that waits.
type line struct {
	runs  chan struct{}
	waits bool
	jobs  int
}

// do works when it is this job's turn, and not at all if another one waits for its turn: that one has not begun.
func (l *lines) do(ctx context.Context, work func() error) error {
	who, _ := principal.From(ctx)
	mine, ok := l.enter(who.Company)
	if !ok {
		return nil
	}
	defer l.leave(who.Company)
	select {
	case mine.runs <- struct{}{}:
		defer func() { <-mine.runs }()
	case <-ctx.Done():
		l.begin(mine)

		return ctx.Err()
	}
	l.begin(mine)

	return work()
}

func (l *lines) enter(company uuid.UUID) (*line, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	mine, there := l.of[company]
	if !there {
		mine = &line{runs: make(chan struct{}, 1)}
		l.of[company] = mine
	}
	if mine.waits {
		return nil, false
	}
	mine.waits = true
	mine.jobs++

	return mine, true
}

// begin lets another job wait.
func (l *lines) begin(mine *line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	mine.waits = false
}

func (l *lines) leave(company uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[company].jobs--; l.of[company].jobs == 0 {
		delete(l.of, company)
	}
}
