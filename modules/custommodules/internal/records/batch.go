package records

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/hook"
)

// Batch does many things to the records of a module in a transaction, as if one after the other, by few
// statements: what is plain is gathered and written together, and all else runs by itself. What is
// plain and cannot be written together is done by itself too, so an item fails or succeeds, in the same
// words, as it would alone.
type Batch struct {
	Service *Service

	Module uuid.UUID
	Items  []bulk.Item
	// writes are what items of the verb takeBack take back, by the places of the items.
	writes []collection.Written
	// alone runs an item by itself.
	alone func(ctx context.Context, fn func(context.Context) error) error
	// settled is told of each item in its order, when it is done.
	settled func(i int, o *bulkOutcome)
	next    int

	outcomes []bulkOutcome
	foreseen prefetched
	gathered []pendingWrite
	// bytes is how large the documents are together.
	bytes int
	// touched are the records that items have written or are about to, claimed the unique values of
	// the latter.
	touched map[uuid.UUID]bool
	claimed map[store.ClaimedValue]bool
	// pointed are the records that gathered new ones refer to.
	pointed map[uuid.UUID]bool
}

// pendingWrite is what has yet to be written for an item.
type pendingWrite struct {
	item int
	*store.Writing
}

// mostGathered is how many bytes of documents are written together.
const mostGathered = 2 << 20

// errAlone says that an item has to be done by itself.
var errAlone = errors.New("the item cannot be written with others")

// do does all items. The error is of the whole: items fail in their outcomes.
func (b *Batch) do(ctx context.Context) error {
	b.outcomes = make([]bulkOutcome, len(b.Items))
	b.touched, b.claimed, b.pointed = map[uuid.UUID]bool{}, map[store.ClaimedValue]bool{}, map[uuid.UUID]bool{}
	if err := b.LockAhead(ctx); err != nil {
		return err
	}
	if err := b.prefetch(ctx); err != nil {
		return err
	}
	for i := range b.Items {
		if err := b.gatherItem(ctx, i); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}

	return b.flush(ctx, len(b.Items))
}

// deletes reports whether an item is to delete a record.
func (b *Batch) deletes(i int) bool {
	return b.Items[i].Do == bulk.Delete || b.Items[i].Do == takeBack && b.writes[i].Before == 0
}

// gatherItem gathers an item, or does it.
func (b *Batch) gatherItem(ctx context.Context, i int) error {
	w, err := b.prepare(ctx, i)
	switch {
	case errors.Is(err, errAlone):
		if err := b.flush(ctx, i); err != nil {
			return err
		}

		return b.runItem(ctx, i)
	case err != nil:
		b.outcomes[i].err = err
		if IsRefusal(err) {
			return nil
		}

		return err
	case w == nil:
		return nil
	}
	b.gathered = append(b.gathered, pendingWrite{item: i, Writing: w})
	b.touched[w.Row.ID] = true
	for _, u := range w.Made.Uniques {
		b.claimed[store.ClaimedValue{Field: u.Field.ID, Value: u.Value}] = true
	}
	for _, l := range w.Made.Links {
		b.pointed[l.Record] = true
	}
	if b.bytes += len(w.Made.Document); b.bytes > mostGathered {
		return b.flush(ctx, i+1)
	}

	return nil
}

// runItem does an item by itself.
func (b *Batch) runItem(ctx context.Context, i int) error {
	o := &b.outcomes[i]
	*o = bulkOutcome{}
	o.err = b.alone(ctx, func(ctx context.Context) (err error) {
		o.record, err = b.bulkOne(ctx, i, &o.before)

		return err
	})
	if o.record != nil {
		b.touched[o.record.ID] = true
	}
	b.touched[b.Items[i].UUID] = true
	if b.deletes(i) && o.err == nil { // it may have changed others
		b.foreseen.records = nil
	}
	if o.err != nil && !IsRefusal(o.err) {
		return o.err
	}

	return nil
}

// flush writes what is gathered. The items before one are done then.
func (b *Batch) flush(ctx context.Context, until int) error {
	all := b.gathered
	b.gathered, b.bytes = nil, 0
	clear(b.claimed)
	clear(b.pointed)
	for len(all) > 0 {
		free, err := b.untilReferred(ctx, all)
		if err != nil {
			return err
		}
		if err := b.write(ctx, all[:free]); err != nil {
			return err
		}
		if all = all[free:]; len(all) == 0 {
			break
		}
		if all, err = b.deleteReferred(ctx, all); err != nil {
			return err
		}
	}
	for ; b.next < until; b.next++ {
		b.settled(b.next, &b.outcomes[b.next])
	}

	return nil
}

// write writes what is gathered, as far as it can be together.
func (b *Batch) write(ctx context.Context, all []pendingWrite) error {
	together, rest, err := b.splitConflicts(ctx, all)
	if err != nil {
		return err
	}
	if len(together) > 0 {
		err = b.Service.db.Savepoint(ctx, func(ctx context.Context) error { return b.storeAll(ctx, together) })
		if err != nil && !IsRefusal(err) && !errors.Is(err, store.ErrOvertaken) {
			return err
		}
		if err != nil {
			together, rest = nil, all
		}
	}
	for _, g := range together {
		if g.Verb != definition.Deleted {
			b.outcomes[g.item].record = new(recordOf(ctx, g.Writing))
		}
	}

	return b.eachAlone(ctx, rest)
}

// eachAlone does what was gathered one by one.
func (b *Batch) eachAlone(ctx context.Context, all []pendingWrite) error {
	for _, g := range all {
		if err := b.runItem(ctx, g.item); err != nil {
			return fmt.Errorf("item %d: %w", g.item, err)
		}
	}

	return nil
}

// splitConflicts finds what meets others: values that are taken, and records that are not there. Those find out by
// themselves.
func (b *Batch) splitConflicts(ctx context.Context, all []pendingWrite) (together, rest []pendingWrite, err error) {
	var values []store.ClaimedValue
	var links []definition.Link
	for _, g := range all {
		if g.Verb != definition.Created {
			continue
		}
		for _, u := range g.Made.Uniques {
			values = append(values, store.ClaimedValue{Field: u.Field.ID, Value: u.Value})
		}
		links = append(links, g.Made.Links...)
	}
	taken, err := b.Service.repo.UniqueHolders(ctx, b.Module, values)
	if err != nil {
		return nil, nil, err
	}
	missing, err := b.missingLinks(ctx, links)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range all {
		if g.Verb == definition.Created && g.conflictsWith(taken, missing) {
			rest = append(rest, g)
		} else {
			together = append(together, g)
		}
	}

	return together, rest, nil
}

func (g pendingWrite) conflictsWith(taken map[store.ClaimedValue]uuid.UUID, missing map[definition.Link]bool) bool {
	for _, u := range g.Made.Uniques {
		if taken[store.ClaimedValue{Field: u.Field.ID, Value: u.Value}] != uuid.Nil {
			return true
		}
	}
	for _, l := range g.Made.Links {
		if missing[l] {
			return true
		}
	}

	return false
}

func (b *Batch) missingLinks(ctx context.Context, links []definition.Link) (map[definition.Link]bool, error) {
	list, err := b.Service.repo.MissingRecords(ctx, links)
	missing := make(map[definition.Link]bool, len(list))
	for _, l := range list {
		missing[l] = true
	}

	return missing, err
}

// storeAll writes records together.
func (b *Batch) storeAll(ctx context.Context, all []pendingWrite) error {
	var fresh, told []*store.Writing
	for _, g := range all {
		told = append(told, g.Writing)
		if g.Verb == definition.Created {
			fresh = append(fresh, g.Writing)
		}
	}
	if err := b.Service.roomForRecords(ctx, len(fresh)); err != nil {
		return err
	}
	if err := b.Service.readAhead(ctx, fresh); err != nil {
		return err
	}
	for _, w := range fresh {
		if err := b.Service.runSavingHooks(ctx, w); err != nil {
			return err
		}
	}
	if err := b.Service.repo.InsertAll(ctx, fresh); err != nil {
		return err
	}
	for _, w := range told {
		var err error
		switch w.Verb {
		case definition.Created:
		case definition.Deleted:
			err = b.remove1(ctx, w)
		case definition.Updated, definition.Restored:
			err = b.rewrite1(ctx, w)
		}
		if err != nil {
			return err
		}
	}

	return b.Service.stored(ctx, told...)
}

// rewrite1 writes the next version of a record, whose unique values and references stay.
func (b *Batch) rewrite1(ctx context.Context, w *store.Writing) error {
	update := b.Service.repo.Update
	if w.Seen {
		update = b.Service.repo.UpdateSeen
	}
	if err := update(ctx, w.Row, w.Made.Keys); err != nil {
		return err
	}

	return b.Service.KeepIndexed(ctx, w)
}

// hasSavingHooks reports whether somebody is to be asked about each record that is written.
func (s *Service) hasSavingHooks() bool {
	return hook.HasListeners[custommodulesapi.RecordSaving](s.hooks)
}
