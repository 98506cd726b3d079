package broadcast

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

// CacheLife is how long a Cache takes a value for good, for the case that a process was not told of a change: on
// SQLite a command is a process of its own, and messages are lost in a gap.
const CacheLife = 5 * time.Second

// Cache keeps what was read by key until Forget, CacheLife at most. Listen with Forget and ForgetAll. It may be used
// from several goroutines.
type Cache[K comparable, V any] struct {
	values  *lru.Cache[K, cached[V]]
	flights singleflight.Group

	mu sync.Mutex
	// generation counts what made values invalid: one that was asked for before the last time is not
	// kept, and nobody waits for it any more.
	generation uint64
}

// cached is a value with the time at which it was asked for.
type cached[V any] struct {
	value  V
	readAt time.Time
}

// NewCache returns a cache of at most so many values, which is positive.
func NewCache[K comparable, V any](size int) *Cache[K, V] {
	values, err := lru.New[K, cached[V]](size)
	if err != nil {
		panic(err) // the size is not positive, and it is a constant
	}

	return &Cache[K, V]{values: values}
}

// Get returns the value of a key if it is fresh.
func (c *Cache[K, V]) Get(key K, now time.Time) (V, bool) {
	known, there := c.values.Get(key)
	age := now.Sub(known.readAt)

	return known.value, there && age >= 0 && age < CacheLife
}

// Load reads the value of a key, once for all who ask at the same time, and keeps it.
func (c *Cache[K, V]) Load(key K, now time.Time, read func() (V, error)) (V, error) {
	c.mu.Lock()
	asked := c.generation
	c.mu.Unlock()

	found, err, _ := c.flights.Do(fmt.Sprint(key)+" "+strconv.FormatUint(asked, 10), func() (any, error) {
		value, err := read()
		if err == nil {
			c.storeValue(key, cached[V]{value: value, readAt: now}, asked)
		}

		return value, err
	})
	if err != nil {
		return *new(V), err
	}

	return found.(V), nil //nolint:forcetypeassert // read has returned it
}

// StartRead returns what keeps a value of a key that is read from now on, unless something is forgotten before. It is for what is
// read in a transaction, which keeps it when it has ended: until then it may be undone.
func (c *Cache[K, V]) StartRead(key K, now time.Time) func(V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.generation

	return func(value V) { c.storeValue(key, cached[V]{value: value, readAt: now}, asked) }
}

func (c *Cache[K, V]) storeValue(key K, known cached[V], asked uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if asked == c.generation {
		c.values.Add(key, known)
	}
}

// Forget drops the value of one key.
func (c *Cache[K, V]) Forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.values.Remove(key)
}

// ForgetAll drops everything.
func (c *Cache[K, V]) ForgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.values.Purge()
}
