// Package dashboard collects the numbers that areas show a company at a glance: open loads, unread
// messages, records.
//
// An area contributes a number in its manifest, as a method that runs as the company that asks:
//
//	dashboard.Count("open_loads", "Open loads", (*service).countOpen)
//
//	func (s *service) countOpen(ctx context.Context) (int64, error) { … }
//
// The registry is called Board. The companies area serves it; who else wants the numbers calls Read.
package dashboard

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
)

const (
	// countTimeout bounds one count.
	countTimeout = 2 * time.Second
	// together is how many counts of one Read run at the same time.
	together = 4
)

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Number is a number of an area.
type Number struct {
	// Area is the area's id, Name unique in it.
	Area, Name string
	// Title is a line for people.
	Title string
	// Value is nil if it could not be found out.
	Value *int64
}

// Board is the registry of what is counted. It may be used from several goroutines once it is filled.
type Board struct {
	log    *slog.Logger
	counts []count
}

type count struct {
	area, name, title string
	ask               func(context.Context) (int64, error)
}

// New returns an empty board.
func New(log *slog.Logger) *Board { return &Board{log: log} }

// Count is the manifest line of a number. The method counts rows of the company of who is calling,
// and is given two seconds. T is a type of the area.
func Count[T any](name, title string, method func(T, context.Context) (int64, error)) fx.Option {
	return module.Contribute("count", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(b *Board, t T) error {
			return b.add(count{
				area: at.Area, name: name, title: title,
				ask: func(ctx context.Context) (int64, error) { return method(t, ctx) },
			})
		})
	})
}

func (b *Board) add(c count) error {
	if !nameRule.MatchString(c.name) || c.title == "" {
		return fmt.Errorf("count %q: want a name of lower case letters, digits and underscores, and a title", c.name)
	}
	for _, other := range b.counts {
		if other.area == c.area && other.name == c.name {
			return fmt.Errorf("count %q is declared twice", c.name)
		}
	}
	b.counts = append(b.counts, c)

	return nil
}

// Read asks for the numbers of the areas for which show is true, and returns them by area and in the
// order of its manifest. One that fails, or takes too long, has no value and is logged.
func (b *Board) Read(ctx context.Context, show func(area string) bool) []Number {
	numbers := make([]Number, 0, len(b.counts))
	var asked []count
	for _, c := range b.counts {
		if show(c.area) {
			asked = append(asked, c)
			numbers = append(numbers, Number{Area: c.area, Name: c.name, Title: c.title})
		}
	}
	var all sync.WaitGroup
	turns := make(chan struct{}, together)
	for i, c := range asked {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			numbers[i].Value = b.value(ctx, c)
		})
	}
	all.Wait()

	return numbers
}

func (b *Board) value(ctx context.Context, c count) (value *int64) {
	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			b.log.ErrorContext(ctx, "count panicked", slog.String("area", c.area), slog.String("count", c.name), slog.Any("panic", p))
			value = nil
		}
	}()
	n, err := c.ask(ctx)
	if err != nil {
		b.log.WarnContext(ctx, "count failed", slog.String("area", c.area), slog.String("count", c.name), slog.Any("error", err))

		return nil
	}

	return &n
}
