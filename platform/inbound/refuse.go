package inbound

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	// refusalPause is how often, at the most, refusals of one kind at one endpoint are written down by a process.
	refusalPause = 10 * time.Second
	// refusalsKnown is for how many of these a process remembers what it has not written down.
	refusalsKnown = 10_000
)

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

// expected reports whether an error is a refusal, and no failure of ours.
func expected(err error) bool {
	kind := errs.KindOf(err)

	return kind != errs.Internal && kind != errs.Unavailable
}

// reasonGiven is the word for a refusal of the area's own: its code.
func reasonGiven(err error) string {
	if refusal, ok := errors.AsType[*errs.Error](err); ok {
		return refusal.Code
	}

	return ""
}

// refusals are those that a process has not written down yet. What a stranger sends costs a row for each
// reason at an endpoint that there is, and a write and a line of the log for it now and then.
type refusals struct {
	clock clock.Clock
	mu    sync.Mutex
	known *lru.Cache[refusalPlace, *refusal]
}

type refusalPlace struct {
	kind     string
	endpoint uuid.UUID
	reason   string
}

type refusal struct {
	count   int64
	written time.Time
}

func newRefusals(c clock.Clock) *refusals {
	known, err := lru.New[refusalPlace, *refusal](refusalsKnown)
	if err != nil {
		panic(err) // a size below one
	}

	return &refusals{clock: c, known: known}
}

// add counts a refusal, and returns how many are to be written down now.
func (rs *refusals) add(at refusalPlace) int64 {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, found := rs.known.Get(at)
	if !found {
		r = &refusal{}
		rs.known.Add(at, r)
	}
	r.count++
	now := rs.clock.Now()
	if now.Sub(r.written) < refusalPause {
		return 0
	}
	n := r.count
	r.count, r.written = 0, now

	return n
}

// refuse notes that a notification was refused. That it cannot be written down refuses it no less.
func (in *Inbox) refuse(ctx context.Context, k *kind, v visit, reason string) {
	in.seen.count(k.name, outcomeRefused)
	n := in.refusals.add(refusalPlace{kind: k.name, endpoint: v.id, reason: reason})
	if n == 0 {
		return
	}
	in.log.LogAttrs(ctx, slog.LevelWarn, "a notification is refused", slog.String("kind", k.name),
		slog.String("endpoint", v.id.String()), slog.String("reason", reason), slog.Int64("times", n))
	now := in.clock.Now()
	r := Refusal{Kind: k.name, EndpointID: v.id, Reason: reason, Count: n, Address: web.ClientIP(ctx), FirstAt: now, LastAt: now}
	r.CompanyID = v.endpoint.Company
	err := in.db.InTx(ctx, func(ctx context.Context) error { return in.rows.countRefusals(ctx, r) })
	if err != nil {
		in.log.LogAttrs(ctx, slog.LevelWarn, "a refusal was not written down", slog.Any("error", err))
	}
}
