package feature

import (
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

const (
	// cacheLife is how long a set is good, for the case that a process was not told of a change: on
	// SQLite a command is a process of its own, and broadcasts are lost in a gap.
	cacheLife = 5 * time.Second
	// cacheSize bounds the companies whose sets are kept.
	cacheSize = 10_000
)

// cache keeps the sets of companies for cacheLife.
type cache struct {
	sets    *lru.Cache[uuid.UUID, cached]
	flights singleflight.Group

	mu sync.Mutex
	// generation counts what made sets invalid: one that was asked for before the last time is not
	// kept, and nobody waits for it any more.
	generation uint64
}

// cached is a set with the time at which it was asked for.
type cached struct {
	areas  set
	readAt time.Time
}

func newCache() *cache {
	sets, err := lru.New[uuid.UUID, cached](cacheSize)
	if err != nil {
		panic(err) // the size is not positive, and it is a constant
	}

	return &cache{sets: sets}
}

// get returns the set of a company if it is fresh.
func (c *cache) get(company uuid.UUID, now time.Time) (set, bool) {
	known, there := c.sets.Get(company)
	age := now.Sub(known.readAt)

	return known.areas, there && age >= 0 && age < cacheLife
}

// load reads the set of a company, once for all who ask at the same time, and keeps it.
func (c *cache) load(company uuid.UUID, now time.Time, read func() (set, error)) (set, error) {
	c.mu.Lock()
	asked := c.generation
	c.mu.Unlock()

	found, err, _ := c.flights.Do(company.String()+" "+strconv.FormatUint(asked, 10), func() (any, error) {
		areas, err := read()
		if err == nil {
			c.keep(company, cached{areas: areas, readAt: now}, asked)
		}

		return areas, err
	})
	if err != nil {
		return nil, err
	}

	return found.(set), nil
}

func (c *cache) keep(company uuid.UUID, known cached, asked uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if asked == c.generation {
		c.sets.Add(company, known)
	}
}

// forget drops the set of one company.
func (c *cache) forget(company uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.sets.Remove(company)
}

// forgetAll drops everything.
func (c *cache) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.sets.Purge()
}
