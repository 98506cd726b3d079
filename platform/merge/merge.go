// Package merge merges rows of a resource into another one, and takes merges back.
//
// A merged row stays as a tombstone that says which row it is now. Everything that referred to it refers to the other row from then
// on (resource.Resource.MoveReferences); fields of the other row that have no value get the merged row's. What was moved and changed is kept in
// a table of the area, so that a merge can be taken back: references that still name the other row go back, and fields that are
// still as the merge left them get their values from before.
//
//	CREATE TABLE contacts_merges (
//	    company_id uuid NOT NULL, id uuid NOT NULL, into_id uuid NOT NULL, from_id uuid NOT NULL, moved jsonb NOT NULL,
//	    before jsonb NOT NULL, after jsonb NOT NULL, created_at timestamptz NOT NULL, created_by uuid, unmerged_at timestamptz, …)
//
// The resource has the columns merged_into_id and merged_at, and leaves rows that have the first one out of its lists
// (resource.Rules.ListedWhere).
package merge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// The verbs of rows that are merged, of those that they are merged into, and of both when a merge is taken back.
const (
	Merge   resource.Verb = "merge"
	Unmerge resource.Verb = "unmerge"
)

// byMerge is the reference of a tombstone, among the references that a merge has moved.
const byMerge = "merged_into_uuid"

// Values are values of a row, as JSON by the keys of its fields.
type Values = map[string]json.RawMessage

// State is where a row keeps what it was merged into and when; nil for neither.
type State struct {
	Into **uuid.UUID
	At   **time.Time
}

// Failures are what merges are refused with.
type Failures struct {
	// Cycle is of a row that is merged into itself, or into one that was merged into it; Merged of one that is merged already.
	Cycle, Merged *errs.Error
	// Expired is of a merge that is too old to be taken back, NotMerged of a row that is not merged, and LaterFirst of a merge
	// into a row that was merged itself since.
	Expired, NotMerged, LaterFirst *errs.Error
}

// Move is a merge, or its taking back, before references move.
type Move struct {
	Into, From uuid.UUID
	// Undo says that From gets back what Into has of it.
	Undo bool
}

// Rules say how the rows of a resource are merged.
type Rules[R any] struct {
	// Table keeps what merges have moved and changed.
	Table string
	// Keys are the fields that a merge decides about.
	Keys  []string
	State func(row *R) State
	// Skips reports whether a field of the row that stays is not filled with the other one's value; nil for none.
	Skips func(key string, into, from R) bool
	// Unite adds to the values that the row which stays gets, such as lists of both; nil for nothing. A key that asked reports is
	// decided by the caller.
	Unite func(into, from R, asked func(key string) bool, values Values) error
	// Refuse says why a row cannot be merged or unmerged, beside being merged; nil for none.
	Refuse func(row R) error
	// Moving takes part before references move, in the transaction; nil for nothing.
	Moving func(ctx context.Context, m Move) error
	// Within is how long a merge can be taken back.
	Within time.Duration
	// Merged and Unmerged make the events.
	Merged, Unmerged func(from, into uuid.UUID) events.Event
	Failures         Failures
}

// Merger merges rows of a resource.
type Merger[R any] struct {
	rules  Rules[R]
	rows   *resource.Resource[R]
	merges repository
	bus    *events.Bus
	clock  clock.Clock
}

// New returns a merger.
func New[R any](rules Rules[R], rows *resource.Resource[R], db *database.DB, bus *events.Bus, c clock.Clock) *Merger[R] {
	var none R
	table, _ := any(none).(interface{ TableName() string })

	return &Merger[R]{rules, rows, repository{db, rules.Table, table.TableName()}, bus, c}
}

// Request says what to merge.
type Request struct {
	// Into is the row that stays, From are those that become it.
	Into uuid.UUID
	From []uuid.UUID
	// Take chooses, by keys of fields, the row whose value is kept.
	Take map[string]uuid.UUID
}

// Merge merges rows into another one, in one transaction, and returns that one. Errors: Failures, resource.MoveErrors, those of
// changes of the resource, and those of areas.
func (m *Merger[R]) Merge(ctx context.Context, asked Request) (into R, err error) {
	if err := m.check(asked); err != nil {
		return into, err
	}
	err = m.merges.db.InTx(ctx, func(ctx context.Context) error {
		if err := m.rows.Hold(ctx, append(slices.Clone(asked.From), asked.Into)...); err != nil {
			return err
		}
		if into, err = m.standing(ctx, asked.Into, asked.From); err != nil {
			return err
		}
		for _, id := range asked.From {
			from, err := m.standing(ctx, id, nil)
			if err != nil {
				return err
			}
			if into, err = m.mergeOne(ctx, into, from, asked.Take); err != nil {
				return err
			}
		}

		return nil
	})

	return into, err
}

func (m *Merger[R]) check(asked Request) error {
	if slices.Contains(asked.From, asked.Into) {
		return m.rules.Failures.Cycle
	}
	wrong := m.rows.Invalid()
	for i, id := range asked.From {
		if slices.Contains(asked.From[:i], id) {
			wrong = wrong.WithField(fmt.Sprintf("from.%d", i), "The entry must not be there twice.")
		}
	}
	for key, id := range asked.Take {
		switch {
		case !slices.Contains(m.rules.Keys, key):
			wrong = wrong.WithField("take."+key, "The key must be a field that a merge decides about.")
		case id != asked.Into && !slices.Contains(asked.From, id):
			wrong = wrong.WithField("take."+key, "The value must be into or one of from.")
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// standing returns a row that can be merged. One that was merged into some of others would be a cycle.
func (m *Merger[R]) standing(ctx context.Context, id uuid.UUID, others []uuid.UUID) (R, error) {
	row, err := m.rows.Find(ctx, id)
	if err != nil {
		return row, err
	}
	if into := *m.rules.State(&row).Into; into != nil {
		if slices.Contains(others, *into) {
			return row, m.rules.Failures.Cycle
		}

		return row, m.rules.Failures.Merged.WithDetail("merged_into_uuid", into)
	}

	return row, m.refuse(row)
}

func (m *Merger[R]) refuse(row R) error {
	if m.rules.Refuse == nil {
		return nil
	}

	return m.rules.Refuse(row)
}

func idOf[R any](row R) uuid.UUID { return columns.MetaOf(&row).ID }

// mergeOne makes one row a part of another one.
func (m *Merger[R]) mergeOne(ctx context.Context, into, from R, take map[string]uuid.UUID) (R, error) {
	intoID, fromID := idOf(into), idOf(from)
	if err := m.moving(ctx, Move{Into: intoID, From: fromID}); err != nil {
		return into, err
	}
	if _, err := m.rows.Change(ctx, fromID, web.IfMatch{}, Merge, func(_ context.Context, row *R) error {
		state := m.rules.State(row)
		*state.Into, *state.At = &intoID, new(m.clock.Now())

		return nil
	}); err != nil {
		return into, err
	}
	before, after, err := m.united(into, from, take)
	if err != nil {
		return into, err
	}
	stays, err := m.set(ctx, intoID, Merge, func(Values) Values { return after })
	if err != nil {
		return stays, err
	}
	made := merged{ID: database.NewID(), IntoID: intoID, FromID: fromID, CreatedAt: m.clock.Now(), CreatedBy: principal.UserOf(ctx)}
	if made.Moved.V, err = m.rows.MoveReferences(ctx, fromID, intoID, nil); err != nil {
		return stays, err
	}
	followed, err := m.merges.follow(ctx, fromID, intoID, nil)
	if err != nil {
		return stays, err
	}
	if len(followed) > 0 {
		made.Moved.V = append(made.Moved.V, resource.Moved{Of: m.rows.ItemType(), By: byMerge, Rows: followed})
	}
	if made.Before, made.After, err = m.differing(before, stays, after); err != nil {
		return stays, err
	}
	if err := m.merges.add(ctx, made); err != nil {
		return stays, err
	}
	if err := m.bus.Publish(ctx, m.rules.Merged(fromID, intoID)); err != nil {
		return stays, err
	}

	return m.rows.Find(ctx, intoID) // it may have referred to the other one
}

func (m *Merger[R]) moving(ctx context.Context, move Move) error {
	if m.rules.Moving == nil {
		return nil
	}

	return m.rules.Moving(ctx, move)
}

// Unmerge takes back the last merge of a row, and returns it. Errors are those of Merge.
func (m *Merger[R]) Unmerge(ctx context.Context, id uuid.UUID, match web.IfMatch) (row R, err error) {
	err = m.merges.db.InTx(ctx, func(ctx context.Context) error {
		last, err := m.undone(ctx, id)
		if err != nil {
			return err
		}
		if err := m.moving(ctx, Move{Into: last.IntoID, From: last.FromID, Undo: true}); err != nil {
			return err
		}
		// The row that stays gives up what must be unique before the other one has it again.
		if err := m.giveBack(ctx, last); err != nil {
			return err
		}
		if _, err := m.rows.Change(ctx, last.FromID, match, Unmerge, func(_ context.Context, row *R) error {
			state := m.rules.State(row)
			*state.Into, *state.At = nil, nil

			return nil
		}); err != nil {
			return err
		}
		if _, err := m.rows.MoveReferences(ctx, last.IntoID, last.FromID, append([]resource.Moved{}, last.Moved.V...)); err != nil {
			return err
		}
		for _, moved := range last.Moved.V {
			if moved.By == byMerge {
				if _, err := m.merges.follow(ctx, last.IntoID, last.FromID, moved.Rows); err != nil {
					return err
				}
			}
		}
		if err := m.merges.end(ctx, last.ID, m.clock.Now()); err != nil {
			return err
		}
		if err := m.bus.Publish(ctx, m.rules.Unmerged(last.FromID, last.IntoID)); err != nil {
			return err
		}
		row, err = m.rows.Find(ctx, last.FromID)

		return err
	})

	return row, err
}

// undone returns the merge that is to be taken back, and holds its rows.
func (m *Merger[R]) undone(ctx context.Context, id uuid.UUID) (merged, error) {
	if err := m.rows.Hold(ctx, id); err != nil {
		return merged{}, err
	}
	from, err := m.rows.Find(ctx, id)
	if err != nil {
		return merged{}, err
	}
	if err := m.refuse(from); err != nil {
		return merged{}, err
	}
	into := *m.rules.State(&from).Into
	if into == nil {
		return merged{}, m.rules.Failures.NotMerged
	}
	last, found, err := m.merges.last(ctx, id)
	switch {
	case err != nil:
		return last, err
	case !found || m.clock.Now().Sub(last.CreatedAt) > m.rules.Within:
		return last, m.rules.Failures.Expired
	case last.IntoID != *into:
		return last, m.rules.Failures.LaterFirst.WithDetail("uuid", last.IntoID)
	}

	return last, m.rows.Hold(ctx, last.IntoID)
}

// giveBack gives the row that stayed the values from before a merge, but for those that were changed since.
func (m *Merger[R]) giveBack(ctx context.Context, last merged) error {
	var before, after Values
	if err := json.Unmarshal(last.Before, &before); err != nil {
		return err
	}
	if err := json.Unmarshal(last.After, &after); err != nil {
		return err
	}
	_, err := m.set(ctx, last.IntoID, Unmerge, func(now Values) Values {
		maps.DeleteFunc(before, func(key string, _ json.RawMessage) bool { return !rawjson.Equal(now[key], after[key]) })

		return before
	})

	return err
}
