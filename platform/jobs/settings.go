package jobs

import (
	"cmp"
	"errors"
	"runtime"
	"time"
)

// Settings are the keys under jobs.
type Settings struct {
	Workers        int           `config:"workers" doc:"How many jobs run at once in this process. 0 is eight for each processor, 16 at least."`
	OutsideWorkers int           `config:"outside_workers" doc:"How many further jobs run at once that mostly wait for a vendor."`
	Poll           time.Duration `config:"poll" doc:"How often an idle process polls for jobs. PostgreSQL usually notifies it of new jobs sooner."`
	Timeout        time.Duration `config:"timeout" doc:"How long a job may run, unless the job sets its own timeout."`
	TakeOver       time.Duration `config:"take_over" doc:"How long a process must be gone before others take over its jobs, on PostgreSQL. On SQLite, a process takes over at once when it starts."`
	Rescue         time.Duration `config:"rescue" doc:"Age after which a running job counts as lost and is tried again. Must be longer than any job may run."`
	Attempts       int           `config:"attempts" doc:"Maximum attempts of a job, unless the job sets its own."`
	RetryDelay     time.Duration `config:"retry_delay" doc:"How long a job waits after its first failure. It grows with the fourth power of the failures: 1s, 16s, 81s … 24h at most."`
	Keep           time.Duration `config:"keep" doc:"How long finished jobs stay in the database, for troubleshooting."`
	KeepFailed     time.Duration `config:"keep_failed" doc:"How long jobs stay in the database that used up their attempts."`
	DrainPeriod    time.Duration `config:"drain" doc:"How long running jobs may continue when the service stops, before they are cancelled and tried again later."`
}

// Defaults suit one machine.
func Defaults() Settings {
	return Settings{
		OutsideWorkers: 64, Poll: 200 * time.Millisecond, Timeout: time.Minute, TakeOver: 30 * time.Second, Rescue: 10 * time.Minute, Attempts: 25, RetryDelay: time.Second,
		Keep: 24 * time.Hour, KeepFailed: 7 * 24 * time.Hour, DrainPeriod: 10 * time.Second,
	}
}

const (
	leastPoll   = 5 * time.Millisecond
	mostWorkers = 1000
	// leastTakeOver leaves a process that lost its connection the time to connect again.
	leastTakeOver = time.Second
	// fetchPause is the least time between two looks for jobs while there are some.
	fetchPause = 5 * time.Millisecond
	// notifyPause is the least time between two notifications of one process on PostgreSQL, where
	// they make commits wait for each other. A job in between is found by looking.
	notifyPause = 20 * time.Millisecond
)

// Validate reports what River would refuse, and more.
func (s Settings) Validate() error {
	var problems []error
	wants := func(ok bool, problem string) {
		if !ok {
			problems = append(problems, errors.New(problem))
		}
	}
	wants(s.Workers >= 0 && s.Workers <= mostWorkers, "workers: want 0 to 1000")
	wants(s.OutsideWorkers >= 1 && s.OutsideWorkers <= mostWorkers, "outside_workers: want 1 to 1000")
	wants(s.Poll >= leastPoll, "poll: want 5ms or more")
	wants(s.Timeout > 0, "timeout: want more than 0s")
	wants(s.TakeOver >= leastTakeOver, "take_over: want 1s or more")
	wants(s.Rescue > s.Timeout, "rescue: want more than jobs.timeout")
	wants(s.Attempts >= 1, "attempts: want 1 or more")
	wants(s.RetryDelay > 0, "retry_delay: want more than 0s")
	wants(s.Keep >= time.Minute, "keep: want 1m or more")
	wants(s.KeepFailed >= time.Minute, "keep_failed: want 1m or more")
	wants(s.DrainPeriod >= 0, "drain: want 0s or more")

	return errors.Join(problems...)
}

func (s Settings) workers() int { return cmp.Or(s.Workers, max(16, 8*runtime.GOMAXPROCS(0))) }
