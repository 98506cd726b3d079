package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Companies says whether a company is there and not suspended.
type Companies interface {
	Active(ctx context.Context, company uuid.UUID) (bool, error)
}

// gate is a Gate, and Companies, once there are some.
type gate struct {
	Gate

	companies Companies
	pause     time.Duration
}

// UseGate puts off, from then on, the jobs of an area that their company does not use, and those of suspended companies that
// reach outside: each is looked at again after pause, which counts neither as an attempt nor as a failure. Jobs without a
// company, and those of the platform, run. It is called before anything runs.
func (q *Queue) UseGate(g Gate, c Companies, pause time.Duration) {
	q.attempts.gate = gate{Gate: g, companies: c, pause: pause}
}

// ofArea marks the jobs of an area, which the gate is asked about.
func ofArea(at module.At) WorkOption {
	return func(r *rules) { r.gated, r.prefix = true, at.Prefix }
}

// check returns Later if the area of a job is none that the principal's company uses, or if the company is suspended and the
// job reaches outside.
func (g *gate) check(ctx context.Context, area string, outside bool) error {
	who, _ := principal.From(ctx)
	if g.Gate == nil || who.Company == uuid.Nil {
		return nil
	}
	used, err := g.Allows(ctx, who.Company, area)
	if err == nil && used && outside {
		used, err = g.companies.Active(ctx, who.Company)
	}
	if err != nil {
		return err
	}
	if !used {
		return Later(g.pause)
	}

	return nil
}

// waiting counts the jobs of some kinds that wait or run.
const waiting = `SELECT count(*) FROM river_job
WHERE kind IN ? AND state IN ('available', 'pending', 'retryable', 'running', 'scheduled') AND args ->> 'company' = ?`

// Waiting returns how many jobs of an area, of the principal's company, wait or run.
func (q *Queue) Waiting(ctx context.Context, area string) (int64, error) {
	var kinds []string
	for kind, of := range q.kinds {
		if of.area == area {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return 0, nil
	}
	who, _ := principal.From(ctx)
	var n int64
	err := q.db.Raw(ctx, "River's table, whose rows carry their company within").
		Raw(waiting, kinds, who.Company.String()).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("counting jobs: %w", database.Translate(err))
	}

	return n, nil
}
