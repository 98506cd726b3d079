package onboarding

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Expirer expires packets that were not started before their links expired.
type Expirer struct {
	packets *resource.Resource[packet.Packet]
	stored  *packet.Repository
	clock   clock.Clock
}

// NewExpirer returns an Expirer.
func NewExpirer(packets *resource.Resource[packet.Packet], stored *packet.Repository, c clock.Clock) *Expirer {
	return &Expirer{packets, stored, c}
}

// Expire is the job that expires packets.
type Expire struct{}

// Kind implements jobs.Args.
func (Expire) Kind() string { return "carriers.expire_packets" }

// ExpireEvery is the interval of the job.
const ExpireEvery = time.Hour

// ExpireAll runs the job.
func (e *Expirer) ExpireAll(ctx context.Context, _ Expire) error {
	return e.stored.EachUnopened(ctx, e.clock.Now(), func(ctx context.Context, id uuid.UUID) error {
		_, err := e.packets.Change(ctx, id, web.IfMatch{}, packet.Expire, func(ctx context.Context, p *packet.Packet) error {
			if p.State != packet.Sent || p.LinkExpires.After(e.clock.Now()) {
				return nil
			}

			return e.packets.Step(ctx, p, state.Move{Verb: string(packet.Expire)})
		})
		if errors.Is(err, e.packets.NotFound()) {
			return nil
		}

		return err
	})
}
