package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// holdFor is how long one job may bring the notices of an envelope; busyPause is when another looks again.
	holdFor   = time.Minute
	busyPause = time.Second
	// mostTries is how often a notice is brought, longestPause the longest time between two tries.
	mostTries    = 10
	longestPause = time.Hour
)

// Bringing is the job that brings us what there is to tell of an envelope. There is one for each thing that happened.
type Bringing struct {
	Envelope uuid.UUID `json:"envelope"`
}

// Kind implements jobs.Args.
func (Bringing) Kind() string { return "esign.sandbox_tell" }

// Notice is a notification, as it is sent.
type Notice struct {
	Account uuid.UUID
	Event   string
	Body    []byte
}

// Bring brings the notices of an envelope one after the other, by send. What was not taken is tried again later, with
// a retryCount, and what follows waits: the order is the vendor's.
func (s *Sandbox) Bring(ctx context.Context, args Bringing, send func(context.Context, Notice) error) error {
	now := s.clock.Now()
	var mine bool
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		mine, err = s.hold(ctx, args.Envelope, now, now.Add(holdFor))

		return err
	})
	if err != nil {
		return err
	}
	if !mine {
		return s.busy(ctx, args)
	}
	pause, err := s.bringAll(ctx, args.Envelope, now.Add(holdFor/2), send)
	if freed := s.db.InTx(context.WithoutCancel(ctx), func(ctx context.Context) error { return s.release(ctx, args.Envelope) }); err == nil {
		err = freed
	}
	if err == nil && pause > 0 {
		err = jobs.Later(pause)
	}

	return err
}

// busy looks again later, unless there is nothing more to bring.
func (s *Sandbox) busy(ctx context.Context, args Bringing) error {
	next, err := s.nextNotice(ctx, args.Envelope)
	if err != nil || next == nil {
		return err
	}

	return jobs.Later(busyPause)
}

// bringAll returns after which pause it is to go on, 0 if everything was brought.
func (s *Sandbox) bringAll(ctx context.Context, id uuid.UUID, until time.Time, send func(context.Context, Notice) error) (time.Duration, error) {
	for {
		next, err := s.nextNotice(ctx, id)
		if err != nil || next == nil {
			return 0, err
		}
		now := s.clock.Now()
		if now.After(until) {
			return time.Millisecond, nil
		}
		body, err := next.counted()
		if err != nil {
			return 0, err
		}
		failed := send(ctx, Notice{Account: next.AccountID, Event: next.Event, Body: body})
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		next.Tries++
		switch {
		case failed == nil:
			next.TakenAt = &now
		case next.Tries >= mostTries:
			next.FailedAt = &now
		}
		if err := s.db.InTx(ctx, func(ctx context.Context) error { return s.saveNotice(ctx, next) }); err != nil {
			return 0, err
		}
		if failed != nil && next.FailedAt == nil {
			return min(time.Second<<next.Tries, longestPause), nil
		}
	}
}

// counted is the body with how often it was sent before.
func (n *notice) counted() ([]byte, error) {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(n.Body, &body); err != nil {
		return nil, fmt.Errorf("notice %s: %w", n.ID, err)
	}
	body["retryCount"] = fmt.Appendf(nil, "%d", n.Tries)

	return json.Marshal(body)
}

// Forget forgets what an account had.
func (s *Sandbox) Forget(ctx context.Context, account uuid.UUID) error {
	return s.deleteAccount(ctx, account)
}
