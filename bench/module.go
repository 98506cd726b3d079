package main

import (
	"context"
	"sync/atomic"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// thing is what the events of this package tell.
type thing struct {
	ID     uuid.UUID `json:"id"`
	Module uuid.UUID `json:"module"`
	VIN    string    `json:"vin"`
	Price  string    `json:"price"`
}

// The same event, to nobody, to one method and to five.
type (
	toNobody struct{ thing }
	toOne    struct{ thing }
	toFive   struct{ thing }
)

// EventName implements events.Event.
func (toNobody) EventName() string { return "crowd.nobody.told" }

// EventName implements events.Event.
func (toOne) EventName() string { return "crowd.one.told" }

// EventName implements events.Event.
func (toFive) EventName() string { return "crowd.five.told" }

// crowd listens, and does nothing but count.
type crowd struct{ heard atomic.Int64 }

func (c *crowd) count() error {
	c.heard.Add(1)

	return nil
}

func (c *crowd) only(context.Context, toOne) error    { return c.count() }
func (c *crowd) first(context.Context, toFive) error  { return c.count() }
func (c *crowd) second(context.Context, toFive) error { return c.count() }
func (c *crowd) third(context.Context, toFive) error  { return c.count() }
func (c *crowd) fourth(context.Context, toFive) error { return c.count() }
func (c *crowd) fifth(context.Context, toFive) error  { return c.count() }

// serving is a service in this process that answers requests, and fills parts of it in.
func serving(cfg *config.Config, areas []module.Module, parts ...any) (*app.App, error) {
	return app.New(cfg, areas, app.Serving(), fx.Populate(parts...))
}

// slowCardsArea is the area of a vendor of cards.
func slowCardsArea(v *slowCards) module.Module {
	return module.New("slow_cards", "A vendor", fx.Supply(v, fx.Private), port.Provides[cardsapi.Vendor, *slowCards]("slow"))
}

// told returns the event for a number of those who listen.
func told(listeners int) events.Event {
	about := thing{ID: uuid.New(), Module: uuid.New(), VIN: filledVIN(1), Price: "12345.67"}
	switch listeners {
	case 0:
		return toNobody{about}
	case 1:
		return toOne{about}
	default:
		return toFive{about}
	}
}

// eventService is a service in this process, with the crowd as its only area; it serves nothing and
// runs no jobs until it is told to.
type eventService struct {
	*app.App

	crowd   *crowd
	bus     *events.Bus
	queue   *jobs.Queue
	company principal.Principal
}

func newEventService(ctx context.Context, url, dir string) (*eventService, error) {
	s := &eventService{crowd: &crowd{}}
	areas := []module.Module{module.New("crowd", "Crowd", fx.Supply(s.crowd, fx.Private),
		events.Publishes(toNobody{}), events.Publishes(toOne{}), events.Publishes(toFive{}), events.On((*crowd).only),
		events.On((*crowd).first), events.On((*crowd).second), events.On((*crowd).third), events.On((*crowd).fourth), events.On((*crowd).fifth),
	)}
	cfg, err := app.Load(config.LoadOptions{Modules: areas, Set: []string{
		"secret.key=" + masterKey, "database.url=" + url, "data_dir=" + dir, "log.level=error",
	}})
	if err != nil {
		return nil, err
	}
	if s.App, err = app.New(cfg, areas, fx.Populate(&s.bus, &s.queue)); err != nil {
		return nil, err
	}
	if err := s.Start(ctx); err != nil {
		return nil, err
	}
	company, err := s.Identity.CreateCompany(ctx, identity.NewCompany{Name: "Crowd"})
	s.company = principal.ForCompany(company.ID)

	return s, err
}
