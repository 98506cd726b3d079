// Package summary collects what areas say at a glance about an item of another area: its open tasks, its pinned notes, the last
// message.
//
// An area contributes a section in its manifest, as a method that runs as the caller:
//
//	summary.Section("tasks", (*service).summarize)
//
//	func (s *service) summarize(ctx context.Context, about summary.Subject) (tasksSummary, error) { … }
//
// The area whose item it is serves the sections with Read.
package summary

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

const (
	// sectionTimeout bounds one section.
	sectionTimeout = 2 * time.Second
	// together is how many sections of one Read are made at the same time.
	together = 4
)

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Subject is what a summary is about.
type Subject struct {
	Item item.Ref
	// Phones, in E.164, and Emails are those of the item, where it has some.
	Phones, Emails []string
}

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Registry knows the sections of the enabled areas. It may be used from several goroutines once it is filled.
type Registry struct {
	log      *slog.Logger
	gate     Gate
	sections []section
}

type section struct {
	area, name string
	read       func(context.Context, Subject) (any, error)
}

// New returns a registry without sections. Without a gate, every company uses every area.
func New(log *slog.Logger, gate Gate) *Registry { return &Registry{log: log, gate: gate} }

// Section is the manifest line of a section, whose name no other section has. The method is called for callers with the scope
// <area>:read, outside a transaction, and is given two seconds; V is shown as JSON. T is a type of the area.
func Section[T, V any](name string, method func(T, context.Context, Subject) (V, error)) fx.Option {
	return module.Contribute("summary", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			return r.add(section{area: at.Area, name: name, read: func(ctx context.Context, about Subject) (any, error) {
				return method(t, ctx, about)
			}})
		})
	})
}

func (r *Registry) add(s section) error {
	if !nameRule.MatchString(s.name) {
		return fmt.Errorf("section %q of summaries: want a name of lower case letters, digits and underscores", s.name)
	}
	if slices.ContainsFunc(r.sections, func(other section) bool { return other.name == s.name }) {
		return fmt.Errorf("section %q of summaries is declared twice", s.name)
	}
	r.sections = append(r.sections, s)

	return nil
}

// Read returns the sections about an item that the caller may read, by name. Those of areas that the company does not use, and
// that the caller may not read, are absent; one that fails or takes too long is nil, and is logged.
func (r *Registry) Read(ctx context.Context, about Subject) (map[string]any, error) {
	var asked []section
	for _, s := range r.sections {
		shown, err := r.shows(ctx, s.area)
		if err != nil {
			return nil, err
		}
		if shown {
			asked = append(asked, s)
		}
	}
	values := make([]any, len(asked))
	var all sync.WaitGroup
	turns := make(chan struct{}, together)
	for i, s := range asked {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			values[i] = r.value(ctx, s, about)
		})
	}
	all.Wait()
	named := make(map[string]any, len(asked))
	for i, s := range asked {
		named[s.name] = values[i]
	}

	return named, nil
}

func (r *Registry) shows(ctx context.Context, area string) (bool, error) {
	caller, _ := principal.From(ctx)
	if !caller.Allows(area+":read") || r.gate == nil {
		return caller.Allows(area + ":read"), nil
	}

	return r.gate.Allows(ctx, caller.Company, area)
}

func (r *Registry) value(ctx context.Context, s section, about Subject) (value any) {
	ctx, cancel := context.WithTimeout(telemetry.WithArea(ctx, s.area), sectionTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			r.log.ErrorContext(ctx, "section of a summary panicked", slog.String("area", s.area), slog.String("section", s.name), slog.Any("panic", p))
			value = nil
		}
	}()
	value, err := s.read(ctx, about)
	if err != nil {
		r.log.WarnContext(ctx, "section of a summary failed", slog.String("area", s.area), slog.String("section", s.name), slog.Any("error", err))

		return nil
	}

	return value
}
