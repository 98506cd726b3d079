package tasks

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// service decides on changes of tasks.
type service struct {
	tasks  *resource.Resource[task]
	series *series
	clock  clock.Clock
	bus    *events.Bus
	queue  *jobs.Queue
}

func newService(tasks *resource.Resource[task], of *series, c clock.Clock, bus *events.Bus, queue *jobs.Queue) *service {
	return &service{tasks, of, c, bus, queue}
}

func (s *service) decide(ctx context.Context, all []*resource.Change[task]) error {
	zone := sync.OnceValues(func() (*time.Location, error) { return s.series.zone(ctx) })
	var told []events.Event
	var reminders []jobs.Job
	for _, c := range all {
		if c.Verb == resource.Delete {
			continue
		}
		if err := s.checkDue(c, zone); err != nil {
			c.Refuse(err)

			continue
		}
		if err := s.step(ctx, c); err != nil {
			return err
		}
		if now := c.After.Assignee; now != nil && (c.Before == nil || c.Before.Assignee == nil || *c.Before.Assignee != *now) {
			told = append(told, taskAssigned{Task: c.After.ID, Assignee: *now})
		}
		if at := s.remindsAt(c); !at.IsZero() {
			reminders = append(reminders, jobs.Job{Args: remindArgs{c.After.ID, at}, Options: []jobs.Option{jobs.At(at), jobs.Unique()}})
		}
	}
	if err := s.bus.Publish(ctx, told...); err != nil {
		return err
	}

	return s.queue.EnqueueMany(ctx, reminders...)
}

// step does what goes with a step of a task's life.
func (s *service) step(ctx context.Context, c *resource.Change[task]) error {
	switch c.Verb { //nolint:exhaustive // what else is done to a task changes neither
	case complete:
		c.After.CompletedAt, c.After.Snoozed = new(s.clock.Now()), nil

		return s.recur(ctx, c.After)
	case cancel:
		c.After.Snoozed = nil
	case reopen:
		c.After.CompletedAt = nil
	}

	return nil
}

// checkDue refuses a task that recurs or reminds without being due, and a recurrence that is none.
func (s *service) checkDue(c *resource.Change[task], zone func() (*time.Location, error)) error {
	t := c.After
	if t.DueAt == nil && (t.Recurrence != "" || t.Remind != nil) {
		return s.tasks.Invalid().WithField("due_at", "`due_at` is required for a task that recurs or reminds.")
	}
	if t.Recurrence == "" {
		t.RecursFrom = nil

		return nil
	}
	begun := t.RecursFrom != nil && (c.Before == nil || (c.Before.Recurrence == t.Recurrence && c.Before.DueAt.Equal(*t.DueAt)))
	if begun {
		return nil
	}
	at, err := zone()
	if err != nil {
		return err
	}
	rule, err := normalizeRecurrence(t.Recurrence, *t.DueAt, at)
	if problem, wrong := errors.AsType[ruleError](err); wrong {
		return s.tasks.Invalid().WithField("recurrence", "The recurrence "+string(problem)+".")
	}
	t.Recurrence, t.RecursFrom = rule, t.DueAt

	return err
}

// recur makes, of a task that is completed, the next one of its series, once.
func (s *service) recur(ctx context.Context, t *task) error {
	if t.Recurrence == "" || t.Next != nil {
		return nil
	}
	due, err := s.series.next(ctx, *t, s.clock.Now())
	if err != nil || due.IsZero() {
		return err
	}
	next := task{
		Title: t.Title, Description: t.Description, Assignee: t.Assignee, DueAt: &due, Priority: t.Priority,
		Recurrence: t.Recurrence, RecursFrom: t.RecursFrom, Remind: t.Remind,
	}
	for _, e := range t.Checklist.V {
		next.Checklist.V = append(next.Checklist.V, entry{Text: e.Text})
	}
	if next.Item, err = s.series.stillThere(ctx, t.Item); err != nil {
		return err
	}
	made, err := s.tasks.Create(ctx, next)
	t.Next = &made.ID

	return err
}

// remindArgs are the arguments of the job that reminds of a task.
type remindArgs struct {
	Task uuid.UUID `json:"task"`
	At   time.Time `json:"at"`
}

// Kind implements jobs.Args.
func (remindArgs) Kind() string { return "tasks.remind" }

// remindAt is when to remind of the task, the zero time for never.
func (t task) remindAt() time.Time {
	if !t.pending() || t.DeletedAt != nil || t.DueAt == nil || t.Remind == nil {
		return time.Time{}
	}

	return t.DueAt.Add(-time.Duration(*t.Remind) * time.Minute).UTC()
}

// remindsAt is when a task comes to remind, the zero time if it reminds then already, never, or was due before.
func (s *service) remindsAt(c *resource.Change[task]) time.Time {
	at := c.After.remindAt()
	if at.IsZero() || (c.Before != nil && c.Before.remindAt().Equal(at)) || c.After.DueAt.Before(s.clock.Now()) {
		return time.Time{}
	}

	return at
}

func (s *service) snooze(ctx context.Context, in *snoozeInput) (*web.Resource[task], error) {
	var until time.Time
	if in.Body.Until != nil {
		if until = clock.Stamp(*in.Body.Until); !until.After(s.clock.Now()) {
			return nil, errSnooze.WithField("until", "`until` must be in the future.")
		}
	}
	row, err := s.tasks.Change(ctx, in.UUID, in.IfMatch, snooze, func(ctx context.Context, t *task) error {
		t.Snoozed = web.Optional(until)
		switch {
		case !t.pending():
			return errNotPending
		case t.Snoozed == nil:
			return nil
		default:
			return s.queue.Enqueue(ctx, wakeArgs{t.ID, until}, jobs.At(until), jobs.Unique())
		}
	})

	return s.tasks.Answer(ctx, row, err)
}

// wakeArgs are the arguments of the job that ends a snooze.
type wakeArgs struct {
	Task  uuid.UUID `json:"task"`
	Until time.Time `json:"until"`
}

// Kind implements jobs.Args.
func (wakeArgs) Kind() string { return "tasks.wake" }

// reminders does what is to be done when its time has come.
type reminders struct {
	tasks *resource.Resource[task]
	db    *database.DB
	bus   *events.Bus
}

func newClerk(tasks *resource.Resource[task], db *database.DB, bus *events.Bus) *reminders {
	return &reminders{tasks, db, bus}
}

// remind reminds of a task, unless it was done, snoozed or put off since.
func (c *reminders) remind(ctx context.Context, args remindArgs) error {
	return c.db.InTx(ctx, func(ctx context.Context) error {
		t, err := c.tasks.Find(ctx, args.Task)
		if err != nil {
			return ignoreKind(err, errs.NotFound)
		}
		if t.Snoozed != nil || !t.remindAt().Equal(args.At) {
			return nil
		}

		return c.bus.Publish(ctx, taskReminded{t.ID, t.Assignee, t.DueAt})
	})
}

// endSnooze ends a snooze, unless it was ended or prolonged since, and reminds of the task.
func (c *reminders) endSnooze(ctx context.Context, args wakeArgs) error {
	awake := errors.New("the task is not snoozed until this time")
	err := c.db.InTx(ctx, func(ctx context.Context) error {
		t, err := c.tasks.Change(ctx, args.Task, web.IfMatch{}, wake, func(_ context.Context, t *task) error {
			if t.Snoozed == nil || !t.Snoozed.Equal(args.Until) {
				return awake
			}
			t.Snoozed = nil

			return nil
		})
		if err != nil {
			return err
		}

		return c.bus.Publish(ctx, taskReminded{t.ID, t.Assignee, t.DueAt})
	})
	if errors.Is(err, awake) {
		return nil
	}

	return ignoreKind(err, errs.NotFound)
}

// ignoreKind is an error, nil for those of a kind.
func ignoreKind(err error, kind errs.Kind) error {
	if errs.KindOf(err) == kind {
		return nil
	}

	return err
}
