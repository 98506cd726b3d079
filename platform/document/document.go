// Package document is the registry of papers: what can be printed, what papers an item has, and who may see them.
//
// An area contributes kinds of papers, and says what papers items have, by lines of its manifest:
//
//	document.Kind("rate_confirmation", "Rate confirmation", (*papers.Writer).Model, document.About("dispatches.dispatch"),
//		document.For(document.Carrier), document.Example(papers.Example)),
//	document.Source([]string{"dispatches.dispatch"}, (*papers.Writer).Papers),
//
// A model is data: what heads the paper, its parts, which are blocks of platform/paper, and values for templates. Printer puts the letterhead of the company on
// it and makes a PDF; Registry.Of lists the papers of items for the company, a customer or a carrier; Shelf is their page and their downloads.
package document

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Model is what a paper says, before it has a letterhead and a form.
type Model struct {
	// Title is that of the kind unless it is given. Number is that of what the paper is about, "" for none; Date is as people read it.
	Title, Number, Date string
	// Details stand below the number: the load, the revision.
	Details []paper.Fact
	// Size is that of the pages; "" for the one that is usual in the country of the company.
	Size paper.Size
	// Stamp is printed across each page: "VOID"; "" for none.
	Stamp string
	// Created is the date of the file: the same model with the same time is printed to the same bytes.
	Created time.Time
	// FileName is what the file is called, with its ending; "" for one made of the kind and the number.
	FileName string
	// Letterhead is of who issues the paper, nil for the company whose paper it is.
	Letterhead *Letterhead
	// Parts are the default paper, in their order. Templates name them.
	Parts []Part
	// Values are for the texts of templates, by names such as "load". They are made of strings, numbers, booleans, maps and slices.
	Values map[string]any
	// Files are attachments that follow the paper, where several files are made one.
	Files []string
}

// Part is a part of a paper, such as "vehicles". One without blocks is not printed.
type Part struct {
	// Name is of lower case letters, digits and underscores; no other part of the model has it.
	Name string
	// Required says that no template may leave it out: the law or the trade asks for it.
	Required bool
	Blocks   []paper.Block
}

// Options are how a paper is asked for.
type Options struct {
	// Scan is an address that the paper has as a QR code, "" for none.
	Scan string
}

// Detail is a detail of a kind.
type Detail func(*kind)

// About names the types of items that papers of the kind are of. Every kind has one at least.
func About(types ...string) Detail { return func(k *kind) { k.about = types } }

// NeedsScopes has papers of the kind listed for and printed by callers with scopes beside <area>:read.
func NeedsScopes(scopes ...string) Detail { return func(k *kind) { k.scopes = scopes } }

// Example gives a model of invented facts with all parts and all values that the kind may have. It is printed to check templates, and tells their
// authors what there is. Every kind has one.
func Example(model func() Model) Detail { return func(k *kind) { k.example = model } }

// kind is a kind of papers as the registry keeps it.
type kind struct {
	name, title, area string
	about, scopes     []string
	audience          []Visibility
	example           func() Model
	model             func(ctx context.Context, of item.Ref, o Options) (Model, error)
}

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Registry knows the kinds and the sources of papers of the enabled areas. It may be used from several goroutines once it is filled.
type Registry struct {
	gate    Gate
	kinds   map[string]kind
	sources []source
}

// New returns an empty registry. Without a gate, every company uses every area.
func New(gate Gate) *Registry { return &Registry{gate: gate, kinds: map[string]kind{}} }

// Kind is the manifest line of a kind of papers, whose name no other kind has. T is a type of the area. The method returns the model of an item of one
// of the types that the kind is about, read in the name of the caller; its errors are those of a read of the item.
func Kind[T any](name, title string, model func(t T, ctx context.Context, of item.Ref, o Options) (Model, error), details ...Detail) fx.Option {
	return module.Contribute("paper", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			k := kind{name: name, title: title, area: at.Area, model: func(ctx context.Context, of item.Ref, o Options) (Model, error) {
				return model(t, ctx, of, o)
			}}
			for _, detail := range details {
				detail(&k)
			}

			return r.add(k)
		})
	})
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

func (r *Registry) add(k kind) error {
	if _, taken := r.kinds[k.name]; taken {
		return fmt.Errorf("kind of papers %q is declared twice", k.name)
	}
	if !namePattern.MatchString(k.name) || k.title == "" || len(k.about) == 0 || k.example == nil {
		return fmt.Errorf("kind of papers %q: want a name in lower case, a title, About and Example", k.name)
	}
	r.kinds[k.name] = k

	return nil
}

// KindInfo is a kind as it can be shown.
type KindInfo struct {
	Name, Title, Area string
	// About are the types of items that its papers are of. Scopes are needed beside <area>:read.
	About, Scopes []string
	// Example is a model with all parts and all values that the kind may have.
	Example Model
}

// Kinds lists the kinds of the enabled areas that the caller's company uses, by name.
func (r *Registry) Kinds(ctx context.Context) ([]KindInfo, error) {
	var all []KindInfo
	for _, name := range slices.Sorted(maps.Keys(r.kinds)) {
		k := r.kinds[name]
		used, err := r.uses(ctx, k.area)
		if err != nil {
			return nil, err
		}
		if used {
			all = append(all, KindInfo{k.name, k.title, k.area, k.about, k.scopes, k.titled(k.example())})
		}
	}

	return all, nil
}

// Errors of papers. ErrNotThere is for a model of what has not happened yet; its message says what.
var (
	ErrUnknownKind = errs.New(errs.Invalid, "document.unknown_kind", "There is no such kind of papers.")
	ErrWrongItem   = errs.New(errs.Invalid, "document.wrong_item", "Papers of this kind are not about items of this type.")
	ErrNotThere    = errs.New(errs.Conflict, "document.not_there", "The document cannot be made yet.")
	ErrNotFound    = errs.New(errs.NotFound, "document.not_found", "There is no such document.")
)

// Errors are the failures of Printer.Model, for the documentation of an operation.
var Errors = []*errs.Error{ErrUnknownKind, ErrWrongItem, principal.ErrScopeMissing}

// find returns a kind that the caller's company uses. Error: ErrUnknownKind.
func (r *Registry) find(ctx context.Context, name string) (kind, error) {
	k, known := r.kinds[name]
	if known {
		used, err := r.uses(ctx, k.area)
		if err != nil {
			return kind{}, err
		}
		known = used
	}
	if !known {
		return kind{}, ErrUnknownKind.WithDetail("kinds", slices.Sorted(maps.Keys(r.kinds)))
	}

	return k, nil
}

// read returns the model of an item. Errors: ErrWrongItem, principal.ErrScopeMissing, and those of the area.
func (k kind) read(ctx context.Context, of item.Ref, o Options) (Model, error) {
	if !slices.Contains(k.about, of.Type) {
		return Model{}, ErrWrongItem.WithDetail("types", k.about)
	}
	caller, _ := principal.From(ctx)
	for _, scope := range append([]string{k.area + ":read"}, k.scopes...) {
		if !caller.Allows(scope) {
			return Model{}, principal.ErrScopeMissing.WithMessage("The %s requires the scope %s.", lowered(k.title), scope).WithDetail("scope", scope)
		}
	}
	m, err := k.model(telemetry.WithArea(ctx, k.area), of, o)

	return k.titled(m), err
}

func (k kind) titled(m Model) Model {
	m.Title = cmp.Or(m.Title, k.title)

	return m
}

func (r *Registry) uses(ctx context.Context, area string) (bool, error) {
	if r.gate == nil {
		return true, nil
	}

	return r.gate.Allows(ctx, principal.CompanyOf(ctx), area)
}
