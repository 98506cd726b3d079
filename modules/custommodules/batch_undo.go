package custommodules

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
)

// foreseeWrites reads what became of the records of writes that are to be taken back.
func (b *batch) foreseeWrites(ctx context.Context) (err error) {
	var writes []collection.Written
	for i, item := range b.items {
		if item.Do == takeBack {
			writes = append(writes, b.writes[i])
		}
	}
	if len(writes) == 0 {
		return nil
	}
	if b.foreseen.foreign, err = b.repo.foreignVersions(ctx, history.SourceOf(ctx), writes); err != nil {
		return err
	}
	b.foreseen.later, err = b.repo.historyAfterAll(ctx, writes)

	return err
}

// takenBack prepares the way back of a write.
func (b *batch) takenBack(ctx context.Context, i int) (*writing, error) {
	w := b.writes[i]
	switch {
	case b.foreseen.foreign[w.Row] > w.After:
		return nil, errChangedSince
	case w.Before == 0:
		return b.removed(ctx, i, w.Row)
	default:
		return b.changed(ctx, i, w.Row, takenBack(ctx, w, b.foreseen.later[w.Row]))
	}
}

// takeBack takes a write back: a record that it made is deleted, another one gets the values back that the write
// changed. Its errors are errChangedSince, errGoneSince, and those of deleting and changing a record.
func (s *service) takeBack(ctx context.Context, module uuid.UUID, w collection.Written, c condition) error {
	row, err := s.repo.heldAlone(ctx, w.Row)
	if errors.Is(err, errRecordNotFound) || err == nil && row.ModuleID != module {
		return errGoneSince
	}
	if err != nil {
		return err
	}
	one := []collection.Written{w}
	foreign, err := s.repo.foreignVersions(ctx, history.SourceOf(ctx), one)
	switch {
	case err != nil:
		return err
	case foreign[w.Row] > w.After:
		return errChangedSince
	case w.Before == 0:
		return s.deleteRecord(ctx, w.Row, c)
	}
	later, err := s.repo.historyAfterAll(ctx, one)
	if err == nil {
		_, err = s.rewrite(ctx, w.Row, c, takenBack(ctx, w, later[w.Row]))
	}

	return err
}

// takenBack makes the draft of a record without what a write changed. Later are its versions after the one before
// that write, the latest first; what others than the write changed in them stays.
func takenBack(ctx context.Context, w collection.Written, later []historyRow) draftOf {
	return func(d *definition, row recordRow) (draft, error) {
		seen := d.seenBy(ctx)
		after, err := seen.undoneTo(row.Data, later, w.After)
		if err != nil {
			return draft{}, err
		}
		before, err := seen.undoneTo(row.Data, later, w.Before)
		if err != nil {
			return draft{}, err
		}
		was, lost := seen.modern(before)
		is, _ := seen.modern(after)
		var back []fieldChange
		var wrong problems
		for _, change := range seen.diff(is, was) {
			if change.field.computes() {
				continue
			}
			back = append(back, change)
			path := "payload." + change.field.key
			for _, message := range lost.messages[path] {
				wrong.add(path, message)
			}
		}
		made, found := d.amend(row.Data, patchOf(back), true)
		for path, messages := range found.messages {
			for _, message := range messages {
				wrong.add(path, message)
			}
		}

		return made, wrong.as(errInvalidPayload, "payload")
	}
}
