package resource

import (
	"context"
	"fmt"
	"sync"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// prepare brings a row that is about to be stored into its normal form, and refuses one that cannot be. What is decided about
// all rows that are stored together is left to decided.
func (r *table) prepare(ctx context.Context, c change) error {
	if c.Verb != Delete {
		if err := r.check(ctx, c); err != nil {
			return err
		}
	}
	if r.decide != nil {
		if err := r.decide(ctx, c); err != nil {
			return err
		}
	}
	for _, decide := range r.before {
		if err := decide(ctx, c); err != nil {
			return err
		}
	}

	return nil
}

// check is what is seen of a row alone.
func (r *table) check(ctx context.Context, c change) error {
	refusal, after := r.invalid, columns.ValueOf(c.After)
	for _, f := range r.plan.Fields {
		f.Normalise(after)
		if f.Required && f.Empty(after) {
			refusal = refusal.WithField(f.Key, naming.Subject(f.Key)+" is required.")
		}
	}
	if len(refusal.Fields) > 0 {
		return refusal
	}
	if r.checkRow != nil {
		if err := r.checkRow(ctx, c.After); err != nil {
			return err
		}
	}
	if c.Verb == Restore { // clears references that are gone, which the area is to see
		return r.checkReferences(ctx, c)
	}

	return nil
}

// decided gives rows the currency of the company where they have none, asks the hooks that are given all changes, completes these, and returns those with something to store. Of an error,
// failed is the place of the change that it is about, -1 if it is about none alone.
func (r *table) decided(ctx context.Context, all []revision) (left []revision, failed int, err error) {
	changes := make([]*change, len(all))
	usual := sync.OnceValues(func() (string, error) { return r.engine.users.Currency(ctx) })
	for i := range all {
		changes[i] = all[i].change()
		if err := r.plan.FillCurrency(columns.ValueOf(all[i].after), usual); err != nil {
			return nil, -1, err
		}
	}
	for _, decide := range r.beforeAll {
		if err := decide(ctx, changes); err != nil {
			return nil, -1, err
		}
		for i, c := range changes {
			if c.refused != nil {
				return nil, all[i].place, c.refused
			}
		}
	}
	for i, c := range changes {
		changed, err := r.complete(all[i].withOwn(history.WithSource(ctx, all[i].source), r.Item), *c)
		if err != nil {
			return nil, all[i].place, err
		}
		if changed {
			left = append(left, all[i])
		}
	}

	return left, 0, nil
}

// complete checks what a row refers to, makes it the next version, and reports whether there is something to store.
func (r *table) complete(ctx context.Context, c change) (changed bool, err error) {
	if c.Verb != Delete {
		if err := r.checkReferences(ctx, c); err != nil {
			return false, err
		}
	}
	if err := r.prepareOwn(ctx, c.Verb, c.After); err != nil || c.Verb == Create {
		return true, err
	}
	m := columns.MetaOf(c.After)
	if c.Verb != Delete && c.Verb != Restore && r.plan.Same(columns.ValueOf(c.Before), columns.ValueOf(c.After)) && (columns.WriteOf(m) == nil || len(columns.WriteOf(m).Changes) == 0) {
		return false, nil
	}
	if r.skipsStep(c) {
		return false, fmt.Errorf("a change of a %s by the verb %q of its life takes no step: use Move, or Step in the change", r.Item, c.Verb)
	}
	m.Version, m.UpdatedAt, m.UpdatedBy = columns.MetaOf(c.Before).Version+1, r.engine.clock.Now(), authorOf(ctx)

	return true, nil
}

// skipsStep reports whether a change publishes the event of a step that it does not take.
func (r *table) skipsStep(c change) bool {
	return r.life != nil && r.life.has(c.Verb) && r.events[c.Verb] != nil && columns.StepOf(columns.MetaOf(c.After)) == "" &&
		r.life.state(c.Before) == r.life.state(c.After)
}

// revision is a row before and after a change.
type revision struct {
	verb Verb
	// before is nil where a row is created.
	before, after any
	// source is where it comes from (history.WithSource).
	source string
	// own has read the row's values in the fields that the company has added, nil if it has not.
	own Own
	// place is which of several it is, for who is told what failed.
	place int
}

// change is the revision as hooks see it.
func (v *revision) change() *change {
	if v.verb == Create {
		return &change{Verb: Create, After: v.after}
	}

	return &change{Verb: v.verb, Before: v.before, After: v.after}
}

// withOwn returns a context in which the row's values in the fields that the company has added need not be read.
func (v *revision) withOwn(ctx context.Context, itemType string) context.Context {
	if v.own == nil {
		return ctx
	}

	return context.WithValue(ctx, ownContext{itemType}, v.own)
}
