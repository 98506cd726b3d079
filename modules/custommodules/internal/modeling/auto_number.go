package modeling

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/numbering"
)

// renumber changes the template of a field's series. Its errors are those of numbering.
func (s *Service) renumber(ctx context.Context, before, after definition.FieldRow) error {
	old, err := s.definitions.Types.Values(before.Type, before.Options)
	if err != nil {
		return err
	}
	now, err := s.definitions.Types.Values(after.Type, after.Options)
	if err != nil {
		return err
	}
	a, numbers := old.(*definition.AutoNumber)
	b, still := now.(*definition.AutoNumber)
	if !numbers || !still || a.Template == b.Template {
		return nil
	}

	return s.others.Numbers.SetTemplate(ctx, numbering.Member(definition.NumberFamily, after.ID), b.Series())
}
