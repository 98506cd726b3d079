package events

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// follower reads the log of one company, and keeps the last events for those who listen.
//
// Ids are given before their transactions commit, so a small one may come after a greater one was
// read. The follower therefore looks back over all ids after floor, and takes those that it has not
// seen.
type follower[T any] struct {
	tail    *Tail[T]
	company uuid.UUID
	ready   chan struct{} // closed when the log was looked at
	done    chan struct{} // closed at the end

	mu        sync.Mutex
	listeners int
	idleSince time.Time
	// ring has the events from the place first on, at most ringSize.
	ring  []Entry[T]
	first uint64
	// seen has, of every event after floor, the place of the last event in the ring when it arrived,
	// itself if it is in the ring; 0 for those that were there before. It has marks, too.
	seen  map[uuid.UUID]uint64
	floor uuid.UUID
	// tip is the greatest id.
	tip uuid.UUID
	// more is closed when there is more in the ring.
	more chan struct{}
}

// firstPlace leaves a place for what arrived before the first event that is in the ring.
const firstPlace = 2

func newFollower[T any](t *Tail[T], company uuid.UUID) *follower[T] {
	return &follower[T]{
		tail: t, company: company, ready: make(chan struct{}), done: make(chan struct{}), first: firstPlace,
		seen: map[uuid.UUID]uint64{}, more: make(chan struct{}),
	}
}

// end is the place of the next event.
func (f *follower[T]) end() uint64 { return f.first + uint64(len(f.ring)) }

func (f *follower[T]) join() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners++
}

func (f *follower[T]) removeListener() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners--
	f.idleSince = now()
}

// now is for how long something lasts.
func now() time.Time { return time.Now() } //nolint:forbidigo // monotonic; nothing that is stored

// idle reports whether nobody has listened for a while.
func (f *follower[T]) idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.listeners == 0 && now().Sub(f.idleSince) >= linger
}

// arrived returns the place of the last event in the ring when an event arrived, and false if that is
// not known.
func (f *follower[T]) arrived(id uuid.UUID) (uint64, bool) {
	place := f.seen[id]

	return place, place > 0
}

// presentMark returns an id that stands for the present: it is that of no event, and one may go on after it.
func (f *follower[T]) presentMark() uuid.UUID {
	id := database.NewID()
	f.seen[id] = f.end() - 1

	return id
}

// readFrom returns events from a place on, or what is closed when there are some.
func (f *follower[T]) readFrom(from uint64) ([]Entry[T], <-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if from < f.first {
		return nil, nil, ErrBehind
	}
	at := int(from - f.first) //nolint:gosec // at most ringSize

	return slices.Clone(f.ring[at:min(at+batchSize, len(f.ring))]), f.more, nil
}

// before returns what of some events arrived before a place, so that it is not in the ring after it.
func (f *follower[T]) before(all []Logged, next uint64) []Logged {
	f.mu.Lock()
	defer f.mu.Unlock()

	return slices.DeleteFunc(all, func(e Logged) bool {
		place, seen := f.seen[e.ID]
		if !seen {
			return bytes.Compare(e.ID[:], f.floor[:]) > 0 // it is about to arrive
		}

		return place >= next || !slices.Contains(f.tail.names, e.Name)
	})
}

// convertEvents converts events.
func (f *follower[T]) convertEvents(ctx context.Context, found []Logged) ([]Entry[T], error) {
	found = slices.DeleteFunc(found, func(e Logged) bool { return !slices.Contains(f.tail.names, e.Name) })
	if len(found) == 0 {
		return nil, nil
	}
	values, err := f.tail.convert(principal.With(ctx, principal.ForCompany(f.company)), found)
	if err != nil {
		return nil, err
	}
	all := make([]Entry[T], len(found))
	for i, e := range found {
		all[i] = Entry[T]{ID: e.ID, Value: values[i]}
	}

	return all, nil
}

// run follows the log until ctx ends, or nobody has listened for a while.
func (f *follower[T]) run(ctx context.Context) {
	defer close(f.done)
	watches := f.tail.bus.watches
	more, leave := watches.watch(f.company)
	defer leave()
	watches.announce(ctx, f.company)
	said := now()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for ctx.Err() == nil {
		if f.begin(ctx) {
			break
		}
		f.wait(ctx, again.C)
	}
	for {
		back := recent
		select {
		case <-more:
		case <-again.C:
			back = lateness
		case <-ctx.Done():
			return
		}
		f.log(ctx, f.poll(ctx, back))
		if now().Sub(said) > watchAgain {
			watches.announce(ctx, f.company)
			said = now()
		}
		if f.idle() && f.tail.forget(f) {
			return
		}
		f.wait(ctx, time.After(restBetween))
	}
}

func (f *follower[T]) wait(ctx context.Context, until <-chan time.Time) {
	select {
	case <-until:
	case <-ctx.Done():
	}
}

func (f *follower[T]) log(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		f.tail.bus.log.WarnContext(ctx, "the log of events could not be followed", slog.Any("error", err))
	}
}

// begin takes what is in the log for known.
func (f *follower[T]) begin(ctx context.Context) bool {
	tip, err := f.tail.bus.newest(ctx, f.company)
	if err == nil && tip == uuid.Nil {
		tip = database.FirstID(database.TimeOf(database.NewID()))
	}
	if err == nil {
		f.tip, f.floor = tip, backFrom(tip, lateness)
		err = f.scan(ctx, f.floor, func(ids []uuid.UUID) error {
			for _, id := range ids {
				f.seen[id] = 0
				f.tip = id
			}

			return nil
		})
	}
	f.log(ctx, err)
	if err == nil {
		close(f.ready)
	}

	return err == nil
}

// backFrom returns the id at which looking back from another, or from now if that is earlier, ends.
func backFrom(tip uuid.UUID, by time.Duration) uuid.UUID {
	from := database.TimeOf(tip)
	if present := database.TimeOf(database.NewID()); present.Before(from) {
		from = present
	}

	return database.FirstID(from.Add(-by))
}

// scan hands over the ids after one.
func (f *follower[T]) scan(ctx context.Context, after uuid.UUID, each func([]uuid.UUID) error) error {
	for {
		ids, err := f.tail.bus.idsAfter(ctx, f.company, after, pageSize)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		if err := each(ids); err != nil || len(ids) < pageSize {
			return err
		}
	}
}

// poll takes what of the log it has not seen, as far back as told.
func (f *follower[T]) poll(ctx context.Context, back time.Duration) error {
	from := backFrom(f.tip, back)
	if bytes.Compare(from[:], f.floor[:]) < 0 {
		from = f.floor
	}
	err := f.scan(ctx, from, func(ids []uuid.UUID) error {
		fresh := f.unseen(ids)
		if len(fresh) == 0 {
			return nil
		}
		found, err := f.tail.bus.named(ctx, f.company, fresh, f.tail.names)
		if err != nil {
			return err
		}
		entries, err := f.convertEvents(ctx, found)
		if err == nil {
			f.add(fresh, entries)
		}

		return err
	})
	if err == nil && back == lateness {
		f.prune(from)
	}

	return err
}

func (f *follower[T]) unseen(ids []uuid.UUID) []uuid.UUID {
	f.mu.Lock()
	defer f.mu.Unlock()

	return slices.DeleteFunc(ids, func(id uuid.UUID) bool {
		_, seen := f.seen[id]

		return seen
	})
}

// add puts events into the ring, the oldest out, and wakes those who listen. ids are those of them and of
// others between.
func (f *follower[T]) add(ids []uuid.UUID, entries []Entry[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rest := entries
	for _, id := range ids {
		if len(rest) > 0 && rest[0].ID == id {
			f.ring, rest = append(f.ring, rest[0]), rest[1:]
		}
		f.seen[id] = f.end() - 1
		if bytes.Compare(id[:], f.tip[:]) > 0 {
			f.tip = id
		}
	}
	if over := len(f.ring) - ringSize; over > 0 {
		clear(f.ring[:over])
		f.ring, f.first = f.ring[over:], f.first+uint64(over)
	}
	if len(entries) > 0 {
		close(f.more)
		f.more = make(chan struct{})
	}
}

// prune forgets events before an id, if there may be many.
func (f *follower[T]) prune(before uuid.UUID) {
	if database.TimeOf(before).Sub(database.TimeOf(f.floor)) < lateness/4 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for id := range f.seen {
		if bytes.Compare(id[:], before[:]) <= 0 {
			delete(f.seen, id)
		}
	}
	f.floor = before
}
