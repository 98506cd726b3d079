package records

import (
	"context"
	"fmt"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/numbering"
)

// number gives a new record its numbers. It goes last: from here on, others who create records of the
// module wait for the transaction.
func (s *Service) number(ctx context.Context, w *store.Writing) error {
	given := map[int]field.Value{}
	for i, f := range w.Definition.Fields {
		auto, ok := f.Values.(*definition.AutoNumber)
		if !ok {
			continue
		}
		number, err := s.others.Numbers.Next(ctx, numbering.Member(definition.NumberFamily, f.ID), numbering.WithTemplate(auto.Series()))
		if err != nil {
			return err
		}
		if given[i], err = auto.Render(number); err != nil {
			return fmt.Errorf("number %s of field %s: %w", number, f.ID, err)
		}
	}
	if len(given) > 0 {
		w.Made = w.Definition.WithValues(w.Made, given)
	}

	return nil
}
