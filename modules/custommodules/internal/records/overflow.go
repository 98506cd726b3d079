package records

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
)

// KeepIndexed brings the rows that custom_modules_index has of a record up to what is stored of it: those of
// fields that changed, and of fields whose index is building, since the record counts as written with it.
func (s *Service) KeepIndexed(ctx context.Context, w *store.Writing) error {
	switch {
	case !w.Definition.Overflowed:
		return nil
	case w.Verb == definition.Created:
		return s.repo.SetIndexed(ctx, w.Row, w.Made.Overflow, nil)
	case w.Verb == definition.Deleted:
		return s.repo.RemoveIndexed(ctx, w.Row.ID)
	}
	changed := map[*definition.ModuleField]bool{}
	for _, c := range w.Changes {
		changed[c.Field] = true
	}
	var fields []*definition.ModuleField
	for _, f := range w.Definition.OverflowFields() {
		if w.Verb == definition.Restored || changed[f] || !f.Indexed {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		return nil
	}

	return s.repo.SetIndexed(ctx, w.Row, w.Made.Overflow, fields)
}
