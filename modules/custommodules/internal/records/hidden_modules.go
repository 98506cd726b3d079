package records

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
)

// HiddenModules returns the modules that the caller may not read, deleted ones and those that are gone for good among
// them: what others keep about their records is not for him either.
func (s *Service) HiddenModules(ctx context.Context) ([]string, error) {
	if _, limited := definition.LimitedRole(ctx); !limited {
		return nil, nil
	}
	closed, err := s.repo.ClosedModules(ctx)
	if err != nil {
		return nil, err
	}
	var hidden []string
	for _, m := range closed {
		if !m.Permissions.Allow(ctx, definition.MayRead) {
			hidden = append(hidden, m.ID.String())
		}
	}

	return hidden, nil
}
