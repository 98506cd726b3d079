package database

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// probeTime is how long a probe may take, and probeLife how long one that succeeded is good for.
	probeTime = 2 * time.Second
	probeLife = time.Second

	probeRow = `INSERT INTO database_probes (id, probed_at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET probed_at = excluded.probed_at`
)

// probes are the writes that Ready tries, one at a time however many ask.
type probes struct {
	together singleflight.Group

	mu   sync.Mutex
	last time.Time // when one succeeded
}

// Ready reports whether the database takes writes, by one that succeeded within a second or is made now. A writer of
// SQLite that is busy with others' transactions counts as ready as long as the file can be read.
func (db *DB) Ready(ctx context.Context) error {
	if err := db.damage.Load(); err != nil {
		return *err
	}
	if db.probes.fresh() {
		return nil
	}
	apart := context.WithoutCancel(ctx) // others may wait for the same probe
	result := db.probes.together.DoChan("", func() (any, error) { return nil, db.probe(apart) })
	waiting, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	select {
	case r := <-result:
		return r.Err
	case <-waiting.Done():
		if db.dialect == SQLite {
			return db.Ping(apart)
		}

		return Translate(waiting.Err())
	}
}

func (p *probes) fresh() bool {
	p.mu.Lock()
	defer p.mu.Unlock()

	return time.Since(p.last) < probeLife
}

func (db *DB) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if err := db.checkSessions(ctx); err != nil {
		return err
	}
	now := time.Now() //nolint:forbidigo // a probe is good for time that passes, whatever the clock says
	err := db.InTx(ctx, func(ctx context.Context) error {
		return db.Pipeline(ctx, "a probe is nobody's", probeRow, []any{now}, nil)
	})
	if err != nil {
		return errors.Join(errProbe, err)
	}
	db.probes.mu.Lock()
	defer db.probes.mu.Unlock()
	db.probes.last = now

	return nil
}

var errProbe = errors.New("the database accepts no writes")
