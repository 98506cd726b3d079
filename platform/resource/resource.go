// Package resource serves the rows of an area's table from one struct: it is the row, the body of the API, what lists
// filter, sort and search by, what other areas see of an item, and what the audit trail records of a change.
//
//	// truck is a row of trucks_trucks, and a truck as the API shows it.
//	type truck struct {
//		resource.Row
//
//		Unit     string     `json:"unit" field:"required,max=20,unique,sort,search,title" doc:"What the company calls it."`
//		Capacity int64      `json:"capacity" field:"min=1,max=12,sort" doc:"How many vehicles it carries."`
//		Driver   *uuid.UUID `json:"driver_uuid" field:"item=drivers.driver,on_delete=clear"`
//		State    status     `json:"state"`
//	}
//
//	var Module = module.New("trucks", "Trucks of the fleet", resource.Of(resource.Rules[truck]{
//		Item: "trucks.truck", Sort: []string{"unit"}, Life: resource.LifeOf(lifecycle(), func(t *truck) *status { return &t.State }),
//	}))
//
// The tag field says what a field is for; Rules and the hooks of BeforeAll what the area decides. An area's own services
// stand on Create, Change, Find and Page, and its own handlers in the place of given operations (Rules.Own).
//
// A wrong tag, and a column that the table does not have, keep the service from starting, with the names of the area, the
// struct and the field.
package resource

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Verb is what is done to a row: one of those below, or of its life.
type Verb string

// The verbs of every resource.
const (
	Create  Verb = "create"
	Update  Verb = "update"
	Delete  Verb = "delete"
	Restore Verb = "restore"
	// Move repoints rows from an item to the one that it is merged into, or back (Engine.Move).
	Move Verb = "move"
	// List and Read change nothing; Own may name them.
	List Verb = "list"
	Read Verb = "read"
)

// past is the verb as audit entries have it.
func (v Verb) past() string {
	switch v {
	case Create, Update, Delete, Restore, Move, Read, List:
		return strings.TrimSuffix(string(v), "e") + "ed"
	default:
		return string(v)
	}
}

// Change is a change of a row that is about to be stored.
type Change[R any] struct {
	Verb Verb
	// Before is the row as it is stored, nil where it is created. It is not changed.
	Before *R
	// After is the row as it will be stored; it may be changed.
	After *R

	refused error
}

// Refuse says why a change cannot be stored, for the hooks of BeforeAll: the first reason counts, and nil is none.
func (c *Change[R]) Refuse(why error) {
	if c.refused == nil {
		c.refused = why
	}
}

// changeOf is a change of a table as the hooks of its resource see it.
func changeOf[R any](c *change) *Change[R] {
	typed := &Change[R]{Verb: c.Verb, After: c.After.(*R)} //nolint:forcetypeassert // the table has no other rows
	typed.Before, _ = c.Before.(*R)

	return typed
}

// Rules are what is particular to a resource; only Item is required.
type Rules[R any] struct {
	// Item is the type of the items: "trucks.truck". The area's operations are under its plural: /trucks/api/v1/trucks.
	Item string
	// Plural and Title are "trucks" and "Truck" if they are not given.
	Plural, Title string
	// About says in a sentence or two what one is, for the documentation of the API.
	About string
	// Sort is the sort of a list that asks for none, as sort= has it.
	Sort []string
	// Check brings a row that is created, changed or restored into its normal form, or says what is wrong with it.
	Check func(ctx context.Context, row *R) error
	// Decide refuses a change, or changes what is stored, by the row as it was and as it is to be, and by nothing else. Rows
	// are those of the resource, for Step and Expired. What needs more than the row is for BeforeAll, or for Before.
	Decide func(ctx context.Context, rows *Resource[R], c Change[R]) error
	// Revert refuses to give a row, which is held, the values of an earlier version, or changes which ones come back; nil takes all of them.
	Revert func(now R, was *R) error
	// Life is the life of the rows, nil for none; see LifeOf.
	Life Life[R]
	// Events are published of what is done, by verb.
	Events Events[R]
	// Expiring makes the event of a date that comes near: 30, 14, 7 and 1 days before, and on the day, each once for a date;
	// nil for none. It is called with a zero row too, for what is declared.
	Expiring func(row R, e Expiry) events.Event
	// Errors are what Check, Decide, the hooks of Before and BeforeAll, and the guards of the life fail with.
	Errors []*errs.Error
	// Failures take the place of those of every resource, where the resources of an area share theirs.
	Failures Failures
	// ListedWhere is a condition of the rows that lists show, in SQL without arguments: "merged_into_id IS NULL". Others can be
	// read one by one, and are listed by a filter on the field UnlessFiltered.
	ListedWhere, UnlessFiltered string
	// Put has PUT do what PATCH does, for interfaces that have it.
	Put bool
	// KeepDeleted says that what is deleted is never purged: other rows name it by its id.
	KeepDeleted bool
	// ReadAccess and WriteAccess are what the operations ask for, but verbs of the life that name a scope; web.Read and web.Write if not given.
	ReadAccess, WriteAccess web.Access
	// Own are the operations that the area serves by a handler of its own, those of the life among them.
	Own []Verb
}

// Failures are what rows are refused with, nil for <area>.<noun>_not_found, <area>.invalid_<noun> and <area>.<noun>_taken.
type Failures struct{ NotFound, Invalid, Taken *errs.Error }

// Events make events of rows. They are called with a zero row too, for what is declared.
type Events[R any] map[Verb]func(row R) events.Event

// Resource serves the rows. It may be used from several goroutines.
//
// It is the table with rows of their own type: what it does is written once, for all resources.
type Resource[R any] struct{ table *table }

// Of is the manifest lines of a resource. R embeds Row and has a TableName.
func Of[R any](rules Rules[R]) fx.Option {
	area, noun, _ := strings.Cut(rules.Item, ".") // item.Type refuses another form
	if rules.Plural == "" {
		rules.Plural = noun + "s"
	}
	if rules.Title == "" && noun != "" {
		rules.Title = strings.ToUpper(noun[:1]) + columns.Spaced(noun[1:])
	}
	if rules.ReadAccess == "" {
		rules.ReadAccess = web.Read
	}
	if rules.WriteAccess == "" {
		rules.WriteAccess = web.Write
	}
	made := sync.OnceValues(func() (*table, error) { return compile(rules, area, noun) })
	lines := []fx.Option{
		module.Contribute("resource", rules.Item, nil, func(at module.At) fx.Option {
			c, err := made()
			if err == nil && at.Area != area {
				err = fmt.Errorf("the resource %q is another area's: want %q and a name", rules.Item, at.Area+".")
			}
			if err != nil {
				err = fmt.Errorf("area %q: %w", at.Area, err)
			}

			return module.Lines(
				fx.Provide(func(e *Engine) (*Resource[R], error) { return newResource(rules, c, e), err }),
				module.Register(at, func(e *Engine, r *Resource[R]) error { return e.add(r.table) }),
			)
		}),
		web.Routes(func(router *web.Router, r *Resource[R]) { r.table.routes(router) }),
		item.Type(rules.Item, rules.Title,
			func(r *Resource[R], ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
				return r.table.describe(ctx, ids)
			},
			func(r *Resource[R], ctx context.Context, parts []string) (map[string][]item.Field, error) {
				return r.table.itemFields(ctx, parts)
			},
			func(r *Resource[R], ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]item.Values, error) {
				return r.table.itemValues(ctx, ids, keys)
			},
		),
		collectionLine(rules, area),
	}
	if followed(rules.Own) {
		lines = append(lines, events.Publishes(written{item: rules.Item}))
	}
	for verb, event := range rules.Events {
		lines = append(lines, published(rules.Item, verb, func() events.Event { return event(*new(R)) }))
	}
	if rules.Expiring != nil {
		lines = append(lines, published(rules.Item, "expire", func() events.Event { return rules.Expiring(*new(R), Expiry{}) }))
	}
	if rules.Life.cycle != nil {
		lines = append(lines, rules.Life.cycle.line())
	}

	return module.Lines(append(lines, columns.TaggedLines(reflect.TypeFor[R](), rules.Item, rules.Plural)...)...)
}

// published is the manifest line of the event of a verb, which is made of a row without values. One that cannot be made so keeps the
// service from starting, and not the program from being loaded.
func published(item string, verb Verb, made func() events.Event) (line fx.Option) {
	defer func() {
		if cause := recover(); cause != nil {
			line = fx.Error(fmt.Errorf("the event of the verb %q of %s cannot be made of a row without values, by which it is declared: %v", verb, item, cause))
		}
	}()

	return events.Publishes(made())
}

// BeforeAll is the manifest line of a decision about changes of a resource that needs a service of the area. It runs in the
// transaction, before the rows are stored, and may change what will be, or refuse some (Change.Refuse); an error refuses all.
// It is given all rows that are written together, hundreds in a bulk request or an import, in the order in which they are to
// be written as if each were alone. None of them is stored yet, and none is there twice. S is a type of the area.
func BeforeAll[R, S any](decide func(s S, ctx context.Context, all []*Change[R]) error) fx.Option {
	return module.Contribute("resource.BeforeAll", module.FuncName(decide), nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Resource[R], s S) error {
			r.table.beforeAll = append(r.table.beforeAll, func(ctx context.Context, all []*change) error {
				typed := make([]*Change[R], len(all))
				for i, c := range all {
					typed[i] = changeOf[R](c)
				}
				err := decide(s, ctx, typed)
				for i, c := range typed {
					all[i].refused = c.refused
				}

				return err
			})

			return nil
		})
	})
}

// Before is BeforeAll for one change at a time, for what looks at other rows of the resource: those before it are stored. So
// bulk requests and imports take some statements for each row.
func Before[R, S any](decide func(s S, ctx context.Context, c Change[R]) error) fx.Option {
	return module.Contribute("resource.Before", module.FuncName(decide), nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Resource[R], s S) error {
			r.table.before = append(r.table.before, func(ctx context.Context, c change) error { return decide(s, ctx, *changeOf[R](&c)) })

			return nil
		})
	})
}

// compile makes of rules what is the same for every request.
func compile[R any](rules Rules[R], area, noun string) (*table, error) {
	return compileFacts(factsOf(rules), reflect.TypeFor[R](), rules.Life.cycle, rules.Expiring != nil, area, noun)
}

// factsOf are the rules that say nothing of the type of the rows.
func factsOf[R any](r Rules[R]) facts {
	return facts{
		Item: r.Item, Plural: r.Plural, Title: r.Title, About: r.About, Sort: r.Sort, Errors: r.Errors, Failures: r.Failures,
		ListedWhere: r.ListedWhere, UnlessFiltered: r.UnlessFiltered, Put: r.Put, KeepDeleted: r.KeepDeleted,
		ReadAccess: r.ReadAccess, WriteAccess: r.WriteAccess, Own: r.Own,
	}
}
