package directory

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Changes asks other areas before carriers are deleted, and reports to them which ones are banned.
type Changes struct {
	hooks *hook.Bus
	bus   *events.Bus
}

// NewChanges returns a Changes.
func NewChanges(hooks *hook.Bus, bus *events.Bus) *Changes { return &Changes{hooks, bus} }

// AskBeforeRemoval refuses deletions that another area refuses.
func (s *Changes) AskBeforeRemoval(ctx context.Context, all []*resource.Change[store.Carrier]) error {
	for _, c := range all {
		if c.Verb != resource.Delete {
			continue
		}
		if err := hook.Run(ctx, s.hooks, &carriersapi.Removing{Carrier: c.After.ID.String()}); err != nil {
			c.Refuse(err)
		}
	}

	return nil
}

// ReportBans publishes which carriers are do_not_use from now on, by whichever change.
func (s *Changes) ReportBans(ctx context.Context, all []*resource.Change[store.Carrier]) error {
	var banned []events.Event
	for _, c := range all {
		if c.After.Status == store.DoNotUse && c.Verb != resource.Delete && (c.Before == nil || c.Before.Status != store.DoNotUse) {
			banned = append(banned, carriersapi.Banned{Carrier: c.After.ID.String()})
		}
	}

	return s.bus.Publish(ctx, banned...)
}
