package ratelimit

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Shares bound how much everybody, by a key of the caller's, holds at a time: places, bytes. They may be used
// from several goroutines.
type Shares[K comparable] struct {
	most int64

	mu     sync.Mutex
	shares map[K]*share
}

type share struct {
	free *semaphore.Weighted
	// claimed is what is held and what is waited for.
	claimed int64
}

// NewShares returns shares of which nothing is held. Nobody holds more than most.
func NewShares[K comparable](most int64) *Shares[K] {
	return &Shares[K]{most: most, shares: map[K]*share{}}
}

// Most is the most that anybody holds.
func (s *Shares[K]) Most() int64 { return s.most }

// TryAcquire has key hold n more, unless that is too much.
func (s *Shares[K]) TryAcquire(key K, n int64) bool {
	own := s.claim(key, n)
	if own.free.TryAcquire(n) {
		return true
	}
	s.unclaim(key, own, n)

	return false
}

// Acquire has key hold n more, and waits for that until ctx ends, first come, first served.
func (s *Shares[K]) Acquire(ctx context.Context, key K, n int64) error {
	own := s.claim(key, n)
	if own.free.TryAcquire(n) { // also if ctx has ended
		return nil
	}
	err := own.free.Acquire(ctx, n)
	if err != nil {
		s.unclaim(key, own, n)
	}

	return err
}

// Release gives back n of what key holds.
func (s *Shares[K]) Release(key K, n int64) {
	s.mu.Lock()
	own := s.shares[key]
	s.mu.Unlock()
	own.free.Release(n)
	s.unclaim(key, own, n)
}

func (s *Shares[K]) claim(key K, n int64) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	own, found := s.shares[key]
	if !found {
		own = &share{free: semaphore.NewWeighted(s.most)}
		s.shares[key] = own
	}
	own.claimed += n

	return own
}

// unclaim forgets who holds nothing.
func (s *Shares[K]) unclaim(key K, own *share, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.claimed -= n; own.claimed == 0 {
		delete(s.shares, key)
	}
}
