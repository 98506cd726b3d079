package resource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// table is what a resource does, whatever the type of its rows: it is compiled once, and not once for each resource. Rows are handed
// around as pointers to values of that type; those of any other type are a defect, and panic.
type table struct {
	facts

	// life is nil for none; expires says that there is an event of dates that come near.
	life    lifecycle
	expires bool

	area, noun string
	// stateKey is the field that has the state, "" without a life.
	stateKey string
	// mergedInto is the field that names the row that a row was merged into, nil for rows that are never merged (platform/merge).
	mergedInto *columns.Field
	plan       columns.Plan
	// collections are what its collection says of the fields, by what the caller sees. They are made when they are first
	// asked for.
	collections []func() (collected, error)

	notFound, invalid, taken, badReference, withheld, inUse *errs.Error
	// gone, changedSince and goneSince are of imports.
	gone, changedSince, goneSince *errs.Error

	// engine, and what follows, is of one service; what is before is made once of the rules.
	engine *Engine

	// The rules that know the type. Each is nil for none.
	checkRow func(ctx context.Context, row any) error
	decide   func(ctx context.Context, c change) error
	revert   func(now, was any) error
	events   map[Verb]func(row any) events.Event
	expiring func(row any, e Expiry) events.Event

	shapes shapes

	// before may look at other rows: with such a hook, each row is stored before the next one is decided about.
	before []func(ctx context.Context, c change) error
	// beforeAll decide about the rows that are stored together.
	beforeAll []func(ctx context.Context, all []*change) error
}

// shapes are the answers of a table by the types that the document describes.
type shapes struct {
	one, page reflect.Type
	// answer makes a one of a row, answerPage a page.
	answer     func(row any, version int64, location string) any
	answerPage func(q list.Query, page list.Page[any]) any
}

// change is a Change of any type of rows.
type change struct {
	Verb Verb
	// Before is nil where a row is created.
	Before, After any

	refused error
}

// facts are the rules that say nothing of the type of the rows; see Rules.
type facts struct {
	Item, Plural, Title, About  string
	Sort                        []string
	Errors                      []*errs.Error
	Failures                    Failures
	ListedWhere, UnlessFiltered string
	Put, KeepDeleted            bool
	ReadAccess, WriteAccess     web.Access
	Own                         []Verb
}

// compileFacts is compile where the type of the rows does not matter.
func compileFacts(rules facts, row reflect.Type, life lifecycle, expiring bool, area, noun string) (*table, error) {
	p, err := columns.PlanOf(row)
	if err != nil {
		return nil, err
	}
	if err := p.GuardBy(area); err != nil {
		return nil, fmt.Errorf("struct %s: %w", p.Name, err)
	}
	c := &table{
		facts: rules, life: life, expires: expiring, area: area, noun: noun, plan: p,
		notFound:     cmp.Or(rules.Failures.NotFound, errs.New(errs.NotFound, area+"."+noun+"_not_found", "There is no such "+columns.Spaced(noun)+".")),
		invalid:      cmp.Or(rules.Failures.Invalid, errs.New(errs.Invalid, area+".invalid_"+noun, "The given data was invalid.")),
		taken:        cmp.Or(rules.Failures.Taken, errs.New(errs.Conflict, area+"."+noun+"_taken", "There is such a "+columns.Spaced(noun)+" already.")),
		badReference: errs.New(errs.Invalid, area+".invalid_reference", "The given data was invalid."),
		withheld:     principal.Lacks(area + ":sensitive"),
		gone: errs.New(errs.Conflict, area+"."+noun+"_deleted",
			"The "+columns.Spaced(noun)+" of this uuid was deleted. Restore it first, or leave the uuid empty to make a new one."),
		changedSince: errs.New(errs.Conflict, area+".changed_since", "The "+columns.Spaced(noun)+" was changed after the import. It stays unchanged."),
		goneSince:    errs.New(errs.Conflict, area+".gone_since", "The "+columns.Spaced(noun)+" was deleted after the import."),
		inUse:        errs.New(errs.Conflict, area+"."+noun+"_in_use", "The "+columns.Spaced(noun)+" is in use."),
	}
	if life != nil {
		if err := c.findState(); err != nil {
			return nil, fmt.Errorf("struct %s: %w", p.Name, err)
		}
	}
	if err := c.checkExpiring(); err != nil {
		return nil, fmt.Errorf("struct %s: %w", p.Name, err)
	}
	for _, sees := range p.Sights() {
		c.collections = append(c.collections, sync.OnceValues(func() (collected, error) { return c.collect(sees) }))
	}
	for _, f := range c.plan.Fields {
		if f.Key == mergedKey {
			c.mergedInto = f
		}
	}
	if err := c.plan.Complete(rules.Sort); err != nil {
		return nil, fmt.Errorf("struct %s: %w", p.Name, err)
	}

	return c, nil
}

// mergedKey is the field by which a row names the row that it was merged into.
const mergedKey = "merged_into_uuid"

// findState finds the field that has the state of the life, which is the service's to write.
func (r *table) findState() error {
	row := r.plan.New()
	at := reflect.ValueOf(r.life.address(row)).Pointer()
	for _, f := range r.plan.Fields {
		if f.Of(columns.ValueOf(row)).Addr().Pointer() == at {
			f.ReadOnly, r.stateKey = true, f.Key
			if f.By == "" {
				f.By = "the verbs of its life, such as POST …/" + r.life.firstVerb()
			}
			f.Enumerate(r.life.states())

			return nil
		}
	}

	return errors.New("the state of its state machine is not one of its fields")
}

func (r *table) owns(verb Verb) bool { return slices.Contains(r.Own, verb) }
