package timeline

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
)

const (
	// lookahead is how many entries more than a page has are read: the one at the cursor, and one that shows that there
	// are more.
	lookahead = 2
	// atOnce is how many entries are read at a time where some may be left out, and rounds how often.
	atOnce, rounds = 100, 10
)

// Page returns a page of the timeline of an item, which the caller may read, or, about the zero Ref, of the whole company.
// The query is parsed with Schema or LogSchema. Errors: list.ErrInvalidQuery, list.ErrCursorInvalid.
func (r *Registry) Page(ctx context.Context, lq list.Query, about item.Ref) (list.Page[Entry], error) {
	q, err := r.query(lq, about)
	if err != nil {
		return list.Page[Entry]{}, err
	}
	if q.Barred, err = r.unreadableAreas(ctx); err != nil {
		return list.Page[Entry]{}, err
	}
	if about.Type == "" {
		if q.Hidden, err = r.items.Hidden(ctx); err != nil {
			return list.Page[Entry]{}, err
		}
	}
	q.most = lq.PerPage() + lookahead
	var found []Entry
	var end []any
	if len(q.Hidden) == 0 {
		found, err = r.read(ctx, q)
	} else {
		found, end, err = r.readVisible(ctx, q)
	}
	if err != nil {
		return list.Page[Entry]{}, err
	}

	return list.Merged(lq, found, keysOf, end)
}

// keysOf returns the values that entries are sorted by.
func keysOf(e Entry) []any { return []any{e.At, e.Source, e.ID} }

// readVisible is read for callers from whom something is hidden: it goes on where entries were left out. Where it has
// looked at many and found few, it ends, and returns the keys of the last.
func (r *Registry) readVisible(ctx context.Context, q Query) (found []Entry, end []any, err error) {
	wanted := q.most
	q.most = max(q.most, atOnce)
	var last Entry // that was looked at
	for range rounds {
		some, err := r.read(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		full := len(some) == q.most
		some = slices.DeleteFunc(some, func(e Entry) bool { return q.compare(e, last) == 0 })
		if len(some) > 0 {
			last = some[len(some)-1]
		}
		visible, err := r.visible(ctx, some)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, visible...)
		if len(found) >= wanted {
			return found[:wanted], nil, nil
		}
		if !full {
			return found, nil, nil
		}
		q = q.startingAt(last)
	}

	return found, keysOf(last), nil
}

// visible leaves out entries about items that are not there for the caller, unless their sources have done so.
func (r *Registry) visible(ctx context.Context, entries []Entry) ([]Entry, error) {
	var refs []item.Ref
	for _, e := range entries {
		if !e.Checked && e.Item.Type != "" {
			refs = append(refs, e.Item)
		}
	}
	titles, err := r.items.Titles(ctx, refs)
	if err != nil {
		return nil, err
	}
	gone := map[item.Ref]bool{}
	for _, t := range titles {
		gone[t.Ref] = !t.Exists
	}

	return slices.DeleteFunc(entries, func(e Entry) bool { return !e.Checked && gone[e.Item] }), nil
}
