package custommodules

import "context"

// hiddenModules returns the modules that the caller may not read, deleted ones and those that are gone for good among
// them: what others keep about their records is not for him either.
func (s *service) hiddenModules(ctx context.Context) ([]string, error) {
	if _, limited := limitedRole(ctx); !limited {
		return nil, nil
	}
	closed, err := s.repo.closedModules(ctx)
	if err != nil {
		return nil, err
	}
	var hidden []string
	for _, m := range closed {
		if !m.Permissions.allow(ctx, mayRead) {
			hidden = append(hidden, m.ID.String())
		}
	}

	return hidden, nil
}
