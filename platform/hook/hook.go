// Package hook lets areas take part in what another area is about to do: look, amend, or veto.
//
// The area that acts declares the type of what it is about to do, in its <area>api, and runs the
// hook in its transaction before it acts. Others listen with a method. A hook is for a decision that
// must be made now; whoever only wants to know what happened listens to an event instead.
//
//	hook.Declares[carriersapi.Removing]("carriers.carrier.removing") // manifest of carriers
//	err := hook.Run(ctx, bus, &carriersapi.Removing{Carrier: id})    // carriers, in InTx
//
//	hook.On((*service).beforeCarrierRemoved)                         // manifest of sms
package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Bus is the registry of hooks and of those who listen. It may be used from several goroutines once
// it is filled.
type Bus struct {
	log      *slog.Logger
	gate     Gate
	declared map[reflect.Type]declaration
	handlers map[reflect.Type][]handler
}

type declaration struct{ name, area string }

type handler struct {
	area, name string
	priority   int
	run        func(ctx context.Context, payload any) error
}

// New returns an empty bus.
func New(log *slog.Logger) *Bus {
	return &Bus{log: log, declared: map[reflect.Type]declaration{}, handlers: map[reflect.Type][]handler{}}
}

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// UseGate leaves out, from then on, those who listen for an area that the company of who acts does
// not use. It is called before anything runs.
func (b *Bus) UseGate(g Gate) { b.gate = g }

// Option changes how a method listens.
type Option func(*handler)

// Priority orders those who listen to one hook: lower first. Those of the same priority, 0 if
// nothing is said, run by area and then by position in the manifest.
func Priority(n int) Option {
	return func(h *handler) { h.priority = n }
}

// Declares is the manifest line of a hook that the area runs, named "<area>.<thing>.<doing>".
func Declares[T any](name string) fx.Option {
	return module.Contribute("hook", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(b, _ *Bus) error {
			return b.declare(reflect.TypeFor[T](), declaration{name: name, area: at.Area})
		})
	})
}

// Declare declares a hook that the platform runs, before the areas are registered.
func Declare[T any](b *Bus, name string) error {
	return b.declare(reflect.TypeFor[T](), declaration{name: name, area: "platform"})
}

// On is the manifest line of a method that takes part in the hook of its last argument's type. The
// method may change the payload, for those after it and for the area that acts, or veto with an
// *errs.Error. It runs in the transaction of the one who acts, possibly twice: it does nothing but
// SQL. T is a type of the area.
func On[T, P any](method func(T, context.Context, *P) error, options ...Option) fx.Option {
	name := module.FuncName(method)

	return module.Contribute("on hook", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(b *Bus, t T) error {
			h := handler{area: at.Area, name: name, run: func(ctx context.Context, payload any) error {
				p, ok := payload.(*P)
				if !ok {
					return fmt.Errorf("hook: %T is not %T", payload, p)
				}

				return method(t, ctx, p)
			}}
			for _, option := range options {
				option(&h)
			}
			b.add(reflect.TypeFor[P](), h)

			return nil
		})
	})
}

var errOutside = errors.New("hook: Run needs a transaction: use InTx")

// Run calls those who listen to the payload's type, in their order, until one of them fails. Those of
// an area that the principal's company does not use are left out. A veto
// is returned as it is; any other error names the area. In both cases the transaction is to be given
// up, which returning the error from InTx does.
func Run[P any](ctx context.Context, bus *Bus, payload *P) error {
	t := reflect.TypeFor[P]()
	hook, declared := bus.declared[t]
	if !declared {
		return fmt.Errorf("hook: %s is not declared: is hook.Declares in the manifest?", t)
	}
	if !database.InTransaction(ctx) {
		return errOutside
	}
	for _, h := range bus.handlers[t] {
		used, err := bus.uses(ctx, h)
		if err != nil {
			return err
		}
		if !used {
			continue
		}
		if err := h.run(telemetry.WithArea(ctx, h.area), payload); err != nil {
			return bus.ended(ctx, hook, h, err)
		}
	}

	return nil
}

// uses reports whether the company of who acts uses the area of a handler. Who acts for no company
// uses all.
func (b *Bus) uses(ctx context.Context, h handler) (bool, error) {
	who, _ := principal.From(ctx)
	if b.gate == nil || who.Company == uuid.Nil {
		return true, nil
	}

	return b.gate.Allows(ctx, who.Company, h.area)
}

// ended logs who ended a hook and returns what Run does.
func (b *Bus) ended(ctx context.Context, hook declaration, h handler, err error) error {
	attrs := []slog.Attr{
		slog.String("hook", hook.name), slog.String("by", h.area), slog.String("handler", h.name), slog.Any("error", err),
	}
	if _, veto := errors.AsType[*errs.Error](err); veto {
		b.log.LogAttrs(ctx, slog.LevelInfo, "a hook vetoed", attrs...)

		return err
	}
	b.log.LogAttrs(ctx, slog.LevelWarn, "a hook failed", attrs...)

	return fmt.Errorf("hook %s in area %q: %w", hook.name, h.area, err)
}

func (b *Bus) declare(t reflect.Type, d declaration) error {
	if other, taken := b.declared[t]; taken {
		return fmt.Errorf("hook %s is already declared as %q by area %q", t, other.name, other.area)
	}
	b.declared[t] = d

	return nil
}

func (b *Bus) add(t reflect.Type, h handler) {
	all := append(b.handlers[t], h)
	slices.SortStableFunc(all, func(a, b handler) int { return cmp.Compare(a.priority, b.priority) })
	b.handlers[t] = all
}

// Check reports everyone who listens to a hook that nobody declares, unless its area is off and
// listed in Listens. The app calls it once the bus is filled.
func (b *Bus) Check(enabled []module.Module) error {
	var problems []error
	for t, handlers := range b.handlers {
		if _, declared := b.declared[t]; declared {
			continue
		}
		for _, h := range handlers {
			if !module.IsAbsent(enabled, h.area, t) {
				problems = append(problems, fmt.Errorf(
					"area %q listens with %s to hook %s, which no enabled area declares: is hook.Declares in its manifest, or its area in Listens?",
					h.area, h.name, t))
			}
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })

	return errors.Join(problems...)
}
