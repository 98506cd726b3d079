package jobs

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Works does the jobs with arguments A.
type Works[A Args] interface {
	Work(ctx context.Context, args A) error
}

// WorkOption changes how the jobs of one kind run.
type WorkOption func(*rules)

type rules struct {
	timeout time.Duration
	// gated says that the jobs are an area's.
	gated bool
	// prefix is what the kind begins with.
	prefix string
	// queue is River's name of those that the jobs wait with.
	queue string
	// together is nil for jobs that are done one by one.
	together *lines
}

// Timeout is how long a job of this kind may run, instead of jobs.timeout. It is less than
// jobs.rescue.
func Timeout(d time.Duration) WorkOption {
	return func(r *rules) { r.timeout = d }
}

// Outside says that jobs of this kind wait for somebody outside, a vendor, nearly all of their time. They have
// places of their own, jobs.outside_workers, so that many run at once, and so that one who is slow to answer
// holds up nothing else. While their company is suspended they wait: nothing of it goes out.
func Outside() WorkOption {
	return func(r *rules) { r.queue = queueOutside }
}

// On is the manifest line of a method that does the jobs of one kind, told by its last argument:
//
//	jobs.On((*service).send)
func On[T any, A Args](work func(T, context.Context, A) error, options ...WorkOption) fx.Option {
	return module.Contribute("job", module.FuncName(work), nil, func(at module.At) fx.Option {
		return module.Register(at, func(q *Queue, t T) error {
			return Add(q, at.Area, func(ctx context.Context, args A) error { return work(t, ctx, args) }, append(slices.Clip(options), ofArea(at))...)
		})
	})
}

// Worker is the manifest line of a type of its own that does the jobs of one kind. It is made from
// T, a type of the area, once the graph stands:
//
//	jobs.Worker(newSender) // func newSender(*service) *sender; (*sender).Work(ctx, sendArgs) error
func Worker[T any, W Works[A], A Args](newWorker func(T) W, options ...WorkOption) fx.Option {
	return module.Contribute("job", module.FuncName(newWorker), nil, func(at module.At) fx.Option {
		return module.Register(at, func(q *Queue, t T) error {
			return Add(q, at.Area, newWorker(t).Work, append(slices.Clip(options), ofArea(at))...)
		})
	})
}

// Add enters the work of a kind; areas use On or Worker, platform packages call it before the
// service starts. The kind begins with the area's id.
func Add[A Args](q *Queue, area string, work func(context.Context, A) error, options ...WorkOption) error {
	var zero A
	if reflect.TypeFor[A]().Kind() != reflect.Struct {
		return fmt.Errorf("job arguments %T: want a struct", zero)
	}
	kind := zero.Kind()
	r := rules{timeout: q.settings.Timeout, queue: river.QueueDefault, prefix: area}
	for _, option := range options {
		option(&r)
	}
	if !strings.HasPrefix(kind, r.prefix+".") {
		return fmt.Errorf("job kind %q: want %q in front", kind, r.prefix+".")
	}
	if r.timeout <= 0 || r.timeout >= q.settings.Rescue {
		return fmt.Errorf("job kind %q: a timeout of %s is not between 0s and jobs.rescue, %s", kind, r.timeout, q.settings.Rescue)
	}
	if r.together != nil && reflect.TypeFor[A]().NumField() > 0 {
		return fmt.Errorf("job kind %q: jobs that are done together have no arguments", kind)
	}
	if _, taken := q.kinds[kind]; taken {
		return fmt.Errorf("job kind %q has two workers", kind)
	}
	if err := river.AddWorkerSafely(q.workers, &worker[A]{area: area, rules: r, attempts: q.attempts, work: work}); err != nil {
		return fmt.Errorf("job kind %q: %w", kind, err)
	}
	q.kinds[kind] = ofKind{area: area, queue: r.queue}

	return nil
}

// Every is the manifest line of a job that is enqueued again and again, at the full multiples of the
// interval in UTC (every hour on the hour), once in all processes together. If no process ran at the
// time, it is made up for once at the next start. The job belongs to no company: it sees companies'
// rows with database.AcrossCompanies, or enqueues a job for each.
func Every[A Args](interval time.Duration, args A) fx.Option {
	return module.Contribute("schedule", args.Kind(), nil, func(at module.At) fx.Option {
		return module.Register(at, func(q, _ *Queue) error {
			return q.schedule(interval, args)
		})
	})
}

// AddEvery schedules a job again and again; areas use Every, platform packages call it before the
// service starts.
func AddEvery[A Args](q *Queue, interval time.Duration, args A) error {
	return q.schedule(interval, args)
}

var errInterval = errors.New("want an interval of 1s or more, not longer than jobs.keep")

func (q *Queue) schedule(interval time.Duration, args Args) error {
	if interval < time.Second || interval > q.settings.Keep {
		return fmt.Errorf("schedule of %q: %s: %w", args.Kind(), interval, errInterval)
	}
	q.periodic = append(q.periodic, schedule{interval: interval, args: args})

	return nil
}
