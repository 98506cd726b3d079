package records

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
)

// foreseeWrites reads what became of the records of writes that are to be taken back.
func (b *Batch) foreseeWrites(ctx context.Context) (err error) {
	var writes []collection.Written
	for i, item := range b.Items {
		if item.Do == takeBack {
			writes = append(writes, b.writes[i])
		}
	}
	if len(writes) == 0 {
		return nil
	}
	if b.foreseen.foreign, err = b.Service.repo.ForeignVersions(ctx, history.SourceOf(ctx), writes); err != nil {
		return err
	}
	b.foreseen.later, err = b.Service.repo.HistoryAfterAll(ctx, writes)

	return err
}

// takenBack prepares the way back of a write.
func (b *Batch) takenBack(ctx context.Context, i int) (*store.Writing, error) {
	w := b.writes[i]
	switch {
	case b.foreseen.used[w.Row]: // it was deleted, or is large
		return nil, errAlone
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
func (s *Service) takeBack(ctx context.Context, module uuid.UUID, w collection.Written, c Condition) error {
	row, err := s.repo.HeldAlone(ctx, w.Row)
	if errors.Is(err, definition.ErrRecordNotFound) || err == nil && row.ModuleID != module {
		return errGoneSince
	}
	if err != nil {
		return err
	}
	one := []collection.Written{w}
	foreign, err := s.repo.ForeignVersions(ctx, history.SourceOf(ctx), one)
	switch {
	case err != nil:
		return err
	case foreign[w.Row] > w.After:
		return errChangedSince
	case w.Before == 0:
		return s.DeleteRecord(ctx, w.Row, c)
	}
	later, err := s.repo.HistoryAfterAll(ctx, one)
	if err == nil {
		_, err = s.rewrite(ctx, w.Row, c, takenBack(ctx, w, later[w.Row]))
	}

	return err
}

// takenBack makes the draft of a record without what a write changed. Later are its versions after the one before
// that write, the latest first; what others than the write changed in them stays.
func takenBack(ctx context.Context, w collection.Written, later []definition.HistoryRow) draftOf {
	return func(d *definition.Definition, row definition.RecordRow) (definition.Draft, error) {
		seen := d.SeenBy(ctx)
		after, err := seen.UndoneTo(row.Data, later, w.After)
		if err != nil {
			return definition.Draft{}, err
		}
		before, err := seen.UndoneTo(row.Data, later, w.Before)
		if err != nil {
			return definition.Draft{}, err
		}
		was, lost := seen.Modern(before)
		is, _ := seen.Modern(after)
		var back []definition.FieldChange
		var wrong definition.Problems
		for _, change := range seen.Diff(is, was) {
			if change.Field.Computes() {
				continue
			}
			back = append(back, change)
			path := "payload." + change.Field.Key
			for _, message := range lost.Messages[path] {
				wrong.Add(path, message)
			}
		}
		made, found := d.Amend(row.Data, patchOf(back), true)
		for path, messages := range found.Messages {
			for _, message := range messages {
				wrong.Add(path, message)
			}
		}

		return made, wrong.ErrorAs(definition.ErrInvalidPayload, "payload")
	}
}
