package identity

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

const (
	// cacheLife is how long facts about a token are good, for the case that a process was not told of
	// a change: on SQLite a command is a process of its own, and broadcasts are lost in a gap.
	cacheLife = 5 * time.Second
	// knownSize and unknownSize bound the cache. Tokens that do not exist have a small cache of their
	// own, so that a flood of them does not push out those that do.
	knownSize   = 10_000
	unknownSize = 1_000
)

// cache keeps facts about tokens for cacheLife of the service's clock. (The expirable cache of the
// same library runs a goroutine that nobody can stop, and goes by the machine's clock.)
type cache struct {
	known, unknown *lru.Cache[digest, facts]
	flights        singleflight.Group

	mu sync.Mutex
	// generation counts what made facts invalid: facts that were asked for before the last time are
	// not kept, and nobody waits for them any more.
	generation uint64
}

func newCache() *cache {
	return &cache{known: newLRU(knownSize), unknown: newLRU(unknownSize)}
}

func newLRU(size int) *lru.Cache[digest, facts] {
	c, err := lru.New[digest, facts](size)
	if err != nil {
		panic(err) // the size is not positive, and it is a constant
	}

	return c
}

// get returns the facts about a token if they are fresh.
func (c *cache) get(d digest, now time.Time) (facts, bool) {
	f, cached := c.known.Get(d)
	if !cached {
		f, cached = c.unknown.Get(d)
	}
	age := now.Sub(f.readAt)

	return f, cached && age >= 0 && age < cacheLife
}

// load reads the facts about a token, once for all who ask at the same time, and keeps them.
func (c *cache) load(d digest, read func() (facts, error)) (facts, error) {
	c.mu.Lock()
	asked := c.generation
	c.mu.Unlock()

	flight := string(binary.BigEndian.AppendUint64(d[:], asked))
	found, err, _ := c.flights.Do(flight, func() (any, error) {
		f, err := read()
		if err == nil {
			c.keep(d, f, asked)
		}

		return f, err
	})
	if err != nil {
		return facts{}, err
	}

	return found.(facts), nil
}

func (c *cache) keep(d digest, f facts, asked uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case asked != c.generation:
	case f.known():
		c.known.Add(d, f)
		c.unknown.Remove(d)
	default:
		c.known.Remove(d)
		c.unknown.Add(d, f)
	}
}

// forget drops the facts about one token.
func (c *cache) forget(token uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	for _, d := range c.known.Keys() {
		if f, cached := c.known.Peek(d); cached && f.principal.Token == token {
			c.known.Remove(d)
		}
	}
}

// forgetAll drops everything.
func (c *cache) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.known.Purge()
	c.unknown.Purge()
}
