package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/riverqueue/river/rivertype"

	"github.com/dispatchd/dispatchd/platform/database"
)

const (
	// ownersSQLite and ownersPostgres are the jobs that run of owners whose name is like something.
	ownersSQLite = `SELECT id, kind, attempt, max_attempts, json_array_length(coalesce(errors, jsonb('[]'))) AS failures FROM river_job
WHERE state = 'running' AND json_extract(attempted_by, '$[#-1]') LIKE ?`
	ownersPostgres = `SELECT id, kind, attempt, max_attempts, coalesce(array_length(errors, 1), 0) AS failures FROM river_job
WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = ? FOR UPDATE SKIP LOCKED`

	completed = "UPDATE river_job SET state = 'completed', finalized_at = ? WHERE id = ? AND state = 'running'"

	freeSQLite = `UPDATE river_job SET state = ?, scheduled_at = ?, finalized_at = ?,
  errors = jsonb_insert(coalesce(errors, jsonb('[]')), '$[#]', jsonb(?)) WHERE id = ? AND state = 'running'`
	freePostgres = `UPDATE river_job SET state = CAST(? AS river_job_state), scheduled_at = ?, finalized_at = ?,
  errors = array_append(errors, CAST(? AS jsonb)) WHERE id = ? AND state = 'running'`

	// tryOwner is got only while the owner is gone, and by one at a time.
	tryOwner = "SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))"
	// soon is how far ahead a job may be due that counts as available: River moves others when they are.
	soon = 5 * time.Second
	// stampSQLite is how River writes times there.
	stampSQLite = "2006-01-02 15:04:05.999"
)

// orphan is a job whose process has died.
type orphan struct {
	ID          int64
	Kind        string
	Attempt     int
	MaxAttempts int
	Failures    int
}

// takeOver ends the attempts of an owner who is gone. If he is not, or if somebody else is at it, it does
// nothing.
func (p *presence) takeOver(ctx context.Context, owner string) error {
	return p.db.InTx(ctx, func(ctx context.Context) error {
		var gone bool
		err := p.db.Raw(ctx, "a lock is no row").Raw(tryOwner, owner).Scan(&gone).Error
		if err != nil || !gone {
			return database.Translate(err)
		}

		return p.takeOverJobs(ctx, ownersPostgres, owner)
	})
}

// endLostAttempts ends the attempts of owner, this process, that were lost with a connection: as done where they
// succeeded, else as failed.
func (p *presence) endLostAttempts(ctx context.Context, owner string, running []attemptOf) error {
	lost := p.held.compare(running)
	if len(lost) == 0 {
		return nil
	}
	p.log.WarnContext(ctx, "settling jobs whose connection to the database was lost", slog.Int("jobs", len(lost)))

	return p.db.InTx(ctx, func(ctx context.Context) error {
		statement := ownersPostgres
		if p.db.Dialect() == database.SQLite {
			statement = ownersSQLite
		}
		all, err := p.orphans(ctx, statement, owner)
		if err != nil {
			return err
		}
		for _, o := range all {
			this := attemptOf{Job: o.ID, Number: o.Attempt}
			switch {
			case !slices.Contains(lost, this):
				continue
			case p.held.succeeded(this):
				err = p.execute(ctx, o, completed, p.riverTime(p.clock.Now().UTC()), o.ID)
			default:
				err = p.fail(ctx, o, "the connection to the database was lost")
			}
			if err != nil {
				return err
			}
		}

		return nil
	})
}

// takeOverJobs ends the attempts of owners as failed, so that the jobs are tried again as others that failed, or
// given up as those.
func (p *presence) takeOverJobs(ctx context.Context, statement, owner string) error {
	all, err := p.orphans(ctx, statement, owner)
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := p.fail(ctx, o, "the process that ran the job died"); err != nil {
			return err
		}
	}
	if len(all) > 0 {
		p.log.WarnContext(ctx, "taking over jobs of a process that died", slog.Int("jobs", len(all)), slog.String("owner", owner))
	}

	return nil
}

// whyOrphans is the reason for SQL by hand.
const whyOrphans = "River's table: jobs of all companies"

func (p *presence) orphans(ctx context.Context, statement, owner string) (all []orphan, err error) {
	if err := p.db.Raw(ctx, whyOrphans).Raw(statement, owner).Scan(&all).Error; err != nil {
		return nil, fmt.Errorf("jobs of %s: %w", owner, database.Translate(err))
	}

	return all, nil
}

// fail ends a job's attempt as failed.
func (p *presence) fail(ctx context.Context, o orphan, reason string) error {
	arguments, err := p.releaseValues(o, reason)
	if err != nil {
		return err
	}
	update := freePostgres
	if p.db.Dialect() == database.SQLite {
		update = freeSQLite
	}

	return p.execute(ctx, o, update, arguments...)
}

func (p *presence) execute(ctx context.Context, o orphan, update string, arguments ...any) error {
	if err := p.db.Raw(ctx, whyOrphans).Exec(update, arguments...).Error; err != nil {
		return fmt.Errorf("job %d: %w", o.ID, database.Translate(err))
	}

	return nil
}

// releaseValues returns the values of the statement that ends a job's attempt.
func (p *presence) releaseValues(o orphan, reason string) ([]any, error) {
	now := p.clock.Now().UTC()
	failure, err := json.Marshal(rivertype.AttemptError{At: now, Attempt: o.Attempt, Error: reason})
	if err != nil {
		return nil, err
	}
	var ended any
	next := backoff{first: p.settings.RetryDelay, clock: p.clock}.after(o.Failures + 1)
	state := rivertype.JobStateAvailable
	switch {
	case o.Attempt >= o.MaxAttempts:
		state, next, ended = rivertype.JobStateDiscarded, now, p.riverTime(now)
	case next.Sub(now) > soon:
		state = rivertype.JobStateRetryable
	}

	return []any{string(state), p.riverTime(next.UTC()), ended, string(failure), o.ID}, nil
}

// riverTime is a time as River stores it.
func (p *presence) riverTime(at time.Time) any {
	if p.db.Dialect() == database.SQLite {
		return at.Format(stampSQLite)
	}

	return at
}
