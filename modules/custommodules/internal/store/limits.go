package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// usageLife is how long a process goes by the number of records that it has read and its own writes
	// since. By what others write meanwhile, a company may come to exceed its limit.
	usageLife = 5 * time.Second
	// usageCache is how many companies' numbers are remembered.
	usageCache = 10_000
)

// Meter counts the records of companies. What a transaction adds and removes is written with its commit.
type Meter struct {
	repo  *Repository
	clock clock.Clock
	seen  *lru.Cache[uuid.UUID, *reading]
}

// reading is how many records a company had at a time, and has since to this process's knowledge.
type reading struct {
	mu      sync.Mutex
	at      time.Time
	records int64
}

// counted is a note of a record that came (1) or went (-1).
type counted struct {
	company, module uuid.UUID
	by              int64
}

// NewMeter returns a meter that writes what it has counted with each commit.
func NewMeter(repo *Repository, c clock.Clock) (*Meter, error) {
	seen, err := lru.New[uuid.UUID, *reading](usageCache)
	if err != nil {
		return nil, fmt.Errorf("usage: %w", err)
	}
	m := &Meter{repo: repo, clock: c, seen: seen}
	repo.DB.BeforeCommit(m.flush)

	return m, nil
}

// Count notes what became of a record in the transaction in ctx.
func (m *Meter) Count(ctx context.Context, row definition.RecordRow, what definition.Verb) error {
	by := int64(0)
	switch what {
	case definition.Created, definition.Restored:
		by = 1
	case definition.Deleted:
		by = -1
	case definition.Updated:
		return nil
	}

	return m.repo.DB.Note(ctx, counted{company: principal.CompanyOf(ctx), module: row.ModuleID, by: by})
}

// flush writes what a transaction has noted, each module once and in one order, so that no two
// transactions wait for each other in a circle.
func (m *Meter) flush(ctx context.Context) error {
	sums := map[counted]int64{}
	for _, n := range database.Notes[counted](ctx) {
		sums[counted{company: n.company, module: n.module}] += n.by
	}
	keys := make([]counted, 0, len(sums))
	for key, sum := range sums {
		if sum != 0 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b counted) int { return bytes.Compare(a.module[:], b.module[:]) })
	for _, key := range keys {
		if err := m.repo.addUsage(ctx, key.company, key.module, sums[key]); err != nil {
			return err
		}
		m.repo.DB.AfterCommit(ctx, func() { m.add(key.company, sums[key]) })
	}

	return nil
}

func (m *Meter) add(company uuid.UUID, by int64) {
	if known, ok := m.seen.Get(company); ok {
		known.mu.Lock()
		known.records += by
		known.mu.Unlock()
	}
}

// Records returns how many records the company has, with those that the transaction in ctx adds.
func (m *Meter) Records(ctx context.Context) (int64, error) {
	company := principal.CompanyOf(ctx)
	known, ok := m.seen.Get(company)
	if !ok {
		known = &reading{}
		m.seen.Add(company, known)
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	if now := m.clock.Now(); known.at.IsZero() || now.Sub(known.at) >= usageLife || now.Before(known.at) {
		count, err := m.repo.Usage(ctx)
		if err != nil {
			return 0, err
		}
		known.at, known.records = now, count
	}
	pending := int64(0)
	for _, n := range database.Notes[counted](ctx) {
		pending += n.by
	}

	return known.records + pending, nil
}
