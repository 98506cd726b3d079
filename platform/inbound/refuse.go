package inbound

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/web"
)

// refusalPause is how often, at the most, refusals are written down by a process.
const refusalPause = 2 * time.Second

// reasonOf is the word for why a notification is not verified, "" if it is, or if that could not be
// found out.
func reasonOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, verify.ErrNoKey):
		return "no_key"
	case errors.Is(err, verify.ErrNoURL):
		return "no_url"
	case errors.Is(err, verify.ErrUnsigned):
		return "unsigned"
	case errors.Is(err, verify.ErrStale):
		return "stale"
	case errors.Is(err, verify.ErrMismatch), errs.KindOf(err) == errs.Unauthenticated:
		return "mismatch"
	default:
		return ""
	}
}

// refusalCode is the word for a refusal of the area's own: its code.
func refusalCode(err error) string {
	if refusal, ok := errors.AsType[*errs.Error](err); ok {
		return refusal.Code
	}

	return ""
}

// refusals are those that a process has not written down yet. What a stranger sends costs a row for each
// reason at an endpoint that there is, and a write and a line of the log for it now and then.
type refusals struct {
	// writing is held by who writes: whoever reads then reads all.
	writing sync.Mutex

	mu      sync.Mutex
	pending map[refusalPlace]Refusal
	// came has one entry while something is pending.
	came chan struct{}
	stop context.CancelFunc
	done chan struct{}
}

type refusalPlace struct {
	kind     string
	endpoint uuid.UUID
	reason   string
}

func newRefusals() *refusals {
	return &refusals{pending: map[refusalPlace]Refusal{}, came: make(chan struct{}, 1)}
}

// add counts a refusal.
func (rs *refusals) add(r Refusal) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	at := refusalPlace{kind: r.Kind, endpoint: r.EndpointID, reason: r.Reason}
	if before, found := rs.pending[at]; found {
		r.Count += before.Count
		if before.FirstAt.Before(r.FirstAt) {
			r.FirstAt = before.FirstAt
		}
		if before.LastAt.After(r.LastAt) {
			r.LastAt, r.Address = before.LastAt, before.Address
		}
	}
	rs.pending[at] = r
	select {
	case rs.came <- struct{}{}:
	default:
	}
}

// drainPending returns what is pending, in the same order for everybody who writes it.
func (rs *refusals) drainPending() []Refusal {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	list := slices.SortedFunc(maps.Values(rs.pending), func(a, b Refusal) int {
		return cmp.Or(bytes.Compare(a.CompanyID[:], b.CompanyID[:]), cmp.Compare(a.Kind, b.Kind),
			bytes.Compare(a.EndpointID[:], b.EndpointID[:]), cmp.Compare(a.Reason, b.Reason))
	})
	clear(rs.pending)

	return list
}

// countRefusal notes that a notification was refused.
func (in *Inbox) countRefusal(ctx context.Context, v *visit, reason string) {
	in.seen.count(v.kind.name, outcomeRefused)
	now := in.clock.Now()
	r := Refusal{Kind: v.kind.name, EndpointID: v.id, Reason: reason, Count: 1, Address: web.ClientIP(ctx), FirstAt: now, LastAt: now}
	r.CompanyID = v.endpoint.Company
	if r.CompanyID == uuid.Nil { // the operator's to know, and no company's
		in.logRefusal(ctx, r)

		return
	}
	in.refusals.add(r)
}

func (in *Inbox) logRefusal(ctx context.Context, r Refusal) {
	in.log.LogAttrs(ctx, slog.LevelWarn, "notifications are refused", slog.String("kind", r.Kind),
		slog.String("endpoint", r.EndpointID.String()), slog.String("reason", r.Reason), slog.Int64("times", r.Count))
}

// writeRefusals writes down what was refused. What cannot be written is kept for the next time.
func (in *Inbox) writeRefusals(ctx context.Context) {
	in.refusals.writing.Lock()
	defer in.refusals.writing.Unlock()
	list := in.refusals.drainPending()
	if len(list) == 0 {
		return
	}
	err := in.db.InTx(ctx, func(ctx context.Context) error {
		for _, r := range list {
			if err := in.rows.countRefusals(ctx, r); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		in.log.LogAttrs(ctx, slog.LevelWarn, "refusals were not written down", slog.Any("error", err))
		for _, r := range list {
			in.refusals.add(r)
		}

		return
	}
	for _, r := range list {
		in.logRefusal(ctx, r)
	}
}

// Start begins to write down what is refused: at once, and every 2 seconds while more comes.
func (in *Inbox) Start(ctx context.Context) error {
	rs := in.refusals
	rs.done = make(chan struct{})
	ctx, rs.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(rs.done)
		for {
			select {
			case <-rs.came:
				in.writeRefusals(ctx)
			case <-ctx.Done():
				return
			}
			select {
			case <-time.After(refusalPause):
			case <-ctx.Done():
				return
			}
		}
	}()

	return nil
}

// Stop ends that, and writes down what is left.
func (in *Inbox) Stop(ctx context.Context) error {
	if rs := in.refusals; rs.stop != nil {
		rs.stop()
		<-rs.done
	}
	in.writeRefusals(ctx)

	return nil
}
