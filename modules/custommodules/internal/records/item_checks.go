package records

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
)

// checkItems finds items that are not there, asking for all of a type at once.
func (s *Service) checkItems(ctx context.Context, named []definition.Pointer, found *definition.Problems) error {
	byType := map[string][]definition.Pointer{}
	var files []definition.Pointer
	for _, p := range named {
		if _, isFile := p.Field.Values.(*field.FileOptions); isFile {
			files = append(files, p)

			continue
		}
		byType[p.To.Type] = append(byType[p.To.Type], p)
	}
	for _, some := range byType {
		refs := make([]item.Ref, len(some))
		for i, p := range some {
			refs[i] = p.To
		}
		missing, err := s.others.Items.Exists(ctx, refs...)
		refusal, refused := errors.AsType[*errs.Error](err)
		if err != nil && (!refused || refusal.Kind != errs.Invalid) {
			return fmt.Errorf("items: %w", err)
		}
		for _, p := range some {
			switch {
			case refused:
				found.Add("payload."+p.Field.Key, refusal.Message)
			case slices.Contains(missing, p.To):
				found.Add("payload."+p.Field.Key, "The "+p.Field.Spoken+" does not exist.")
			}
		}
	}

	return s.checkFiles(ctx, files, found)
}
