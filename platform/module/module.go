// Package module says what an area is: a manifest that can be read before Fx exists, and the Fx
// options made from it.
//
// Fx cannot branch its graph on configuration, so the manifest comes first: the app package reads
// the configuration, selects the enabled areas, checks what they need, and only then asks each for
// its options. An area that is off contributes nothing.
//
//	var Module = module.New("sms", "Numbers, messages and provider accounts",
//		config.Section(defaults()),
//		fx.Provide(newRepository, newService, fx.Private),
//		web.Routes(messageRoutes),
//	).Needs(attachmentsapi.Area)
//
// Platform packages make their helpers (web.Routes, config.Section …) with Contribute and Register.
package module

import (
	"reflect"
	"runtime"
	"slices"
	"strings"

	"go.uber.org/fx"
)

// Module is the manifest of one area. Make it with New.
type Module struct {
	id      string
	prefix  string
	title   string
	options []fx.Option
	needs   []string
	listens []string
}

// New describes an area. Its id is its URL prefix, configuration key, table prefix, migrations
// folder, scope prefix and log field: lower case letters, digits and underscores, starting with a
// letter. The title is one line for people. The options are plain fx options, which see only this
// area's private types, and contributions of platform packages. Select reports what is wrong with
// a manifest.
func New(id, title string, options ...fx.Option) Module {
	return Module{id: id, prefix: id, title: title, options: flatten(options)}
}

// Lines makes one line of a manifest of several, each of which stands in its own place.
func Lines(options ...fx.Option) fx.Option { return lines{Option: fx.Options(), all: options} }

type lines struct {
	fx.Option

	all []fx.Option
}

// flatten returns the options with those of Lines in their places.
func flatten(options []fx.Option) []fx.Option {
	all := make([]fx.Option, 0, len(options))
	for _, option := range options {
		if several, ok := option.(lines); ok {
			all = append(all, flatten(several.all)...)

			continue
		}
		all = append(all, option)
	}

	return all
}

// Is says whether two are one manifest, whatever they need and listen to.
func (m Module) Is(other Module) bool {
	return len(m.options) > 0 && len(other.options) > 0 && &m.options[0] == &other.options[0]
}

// NamesOf returns the module with the id of another area in front of its names: the paths, ids and scopes
// of operations, and the names of settings, tables, kinds of jobs and commands. An area that was a part of
// another keeps the names that clients, operators and the database know. It is switched on and off, for the
// service and for a company, by its own id.
func (m Module) NamesOf(area string) Module {
	m.prefix = area

	return m
}

// Needs returns the module with areas whose contracts are injected into it: it does not start
// without them.
func (m Module) Needs(areas ...string) Module {
	m.needs = slices.Concat(m.needs, areas)

	return m
}

// Listens returns the module with areas of which it uses only the type of an event or of a
// contribution point, and which stay silent when they are off.
func (m Module) Listens(areas ...string) Module {
	m.listens = slices.Concat(m.listens, areas)

	return m
}

// Essential is the manifest line of an area that is part of every company's feature set: it cannot
// be switched off for one. What it needs is essential too.
func Essential() fx.Option { return Contribute("essential", "", essential{}, nil) }

type essential struct{}

// Essential reports whether the area is part of every company's feature set.
func (m Module) Essential() bool { return len(Values[essential](m)) > 0 }

// ID returns the area's id.
func (m Module) ID() string { return m.id }

// Prefix returns the id that the names of the area begin with: its own, or that given to NamesOf.
func (m Module) Prefix() string { return m.prefix }

// Title returns the area's one-line description.
func (m Module) Title() string { return m.title }

// NeededAreas returns the ids given to Needs.
func (m Module) NeededAreas() []string { return slices.Clone(m.needs) }

// ListenedAreas returns the ids given to Listens.
func (m Module) ListenedAreas() []string { return slices.Clone(m.listens) }

// Contributions returns what the manifest says before Fx exists, in its order.
func (m Module) Contributions() []Contribution {
	var all []Contribution
	for _, option := range m.options {
		if c, ok := option.(Contribution); ok {
			all = append(all, c)
		}
	}

	return all
}

// Options returns the area as an fx.Module of that name.
func (m Module) Options() fx.Option {
	options := make([]fx.Option, 0, len(m.options))
	var entries []registered
	for i, option := range m.options {
		if c, ok := option.(Contribution); ok {
			if c.build == nil {
				continue
			}
			option = c.build(At{Area: m.id, Prefix: m.prefix, Position: i})
		}
		for _, line := range flatten([]fx.Option{option}) {
			if entry, ok := line.(registered); ok {
				entries = append(entries, entry)

				continue
			}
			options = append(options, line)
		}
	}

	return fx.Module(m.id, append(options, constructors(entries)...)...)
}

// At is where a contribution stands. Registries are filled in this order: by area, then by
// position, so the order in which Fx builds things never shows.
type At struct {
	Area string
	// Prefix is what the names of the area begin with: its id, but for Module.NamesOf.
	Prefix   string
	Position int
}

// Contribution is one line of a manifest that a platform package understands. It is an fx.Option,
// so that it stands among the others; the real option is made when its place is known.
type Contribution struct {
	fx.Option
	// Kind names the helper ("routes", "config"), Name what was given to it; for people.
	Kind, Name string
	// Value is what the platform package reads back with Values before Fx exists; may be nil.
	Value any

	build func(At) fx.Option
}

// Contribute makes a line of a manifest. The value is for Values; build may be nil when there is
// nothing to add to the graph.
func Contribute(kind, name string, value any, build func(At) fx.Option) fx.Option {
	return Contribution{Option: fx.Options(), Kind: kind, Name: name, Value: value, build: build}
}

// Values returns the contribution values of type V, in the manifest's order.
func Values[V any](m Module) []V {
	var all []V
	for _, option := range m.options {
		if c, ok := option.(Contribution); ok {
			if v, ok := c.Value.(V); ok {
				all = append(all, v)
			}
		}
	}

	return all
}

// FuncName returns the bare name of a function, for the Name of a contribution.
func FuncName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name = name[strings.LastIndex(name, ".")+1:]

	return strings.TrimSuffix(name, "-fm")
}
