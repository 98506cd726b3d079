package jobs

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
)

// schedule is a job that is enqueued at the full multiples of an interval.
type schedule struct {
	interval time.Duration
	args     Args
}

// Next implements river.PeriodicSchedule.
func (s schedule) Next(now time.Time) time.Time {
	return now.UTC().Truncate(s.interval).Add(s.interval)
}

// job is the schedule as River has it. Every leader enqueues at once; that the job is unique for the
// stretch of time makes it one, and makes up for a time that passed while nobody ran.
func (s schedule) job(queue string) (*river.PeriodicJob, error) {
	sealed, err := encodeJob(uuid.Nil, s.args)
	if err != nil {
		return nil, err
	}
	options := &river.InsertOpts{Queue: queue}
	UniqueFor(s.interval)(options)

	return river.NewPeriodicJob(s, func() (river.JobArgs, *river.InsertOpts) {
		copied := *options

		return sealed, &copied
	}, &river.PeriodicJobOpts{RunOnStart: true}), nil
}

// schedules returns the schedules as River has them. One of a kind nobody works on is an error.
func (q *Queue) schedules() ([]*river.PeriodicJob, error) {
	all := make([]*river.PeriodicJob, 0, len(q.periodic))
	for _, s := range q.periodic {
		of, known := q.kinds[s.args.Kind()]
		if !known {
			return nil, fmt.Errorf("jobs: schedule %q has no worker: is jobs.On in the manifest?", s.args.Kind())
		}
		job, err := s.job(of.queue)
		if err != nil {
			return nil, err
		}
		all = append(all, job)
	}

	return all, nil
}
