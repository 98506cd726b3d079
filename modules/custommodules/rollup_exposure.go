package custommodules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// readersBeyond returns the roles that may read by these permissions and not by others: everybody alone, or their names.
func (p permissions) readersBeyond(others permissions) []string {
	allowed, limited := others[mayRead]
	if !limited {
		return nil
	}
	roles, some := p[mayRead]
	if !some {
		return []string{everybody}
	}

	return slices.DeleteFunc(slices.Clone(roles), func(role string) bool { return role == owner || slices.Contains(allowed, role) })
}

// exposure warns of a rollup or lookup that shows values of a module to roles which may not read that; "" if it does not, or is
// not for the caller to know.
func (s *service) exposure(ctx context.Context, row fieldRow) (string, error) {
	made := s.definitions.types.derivedOf(row)
	if made == nil || made.over() == row.ModuleID {
		return "", nil
	}
	in, err := s.readableModule(ctx, row.ModuleID)
	if err != nil {
		return "", unlessHidden(err)
	}
	over, err := s.readableModule(ctx, made.over())
	if err != nil {
		return "", unlessHidden(err)
	}
	roles := in.Permissions.readersBeyond(over.Permissions)
	if len(roles) == 0 {
		return "", nil
	}
	who := "everybody who may read " + in.Name
	if roles[0] != everybody {
		who = "the roles " + strings.Join(roles, ", ")
	}

	return fmt.Sprintf("The %s %s shows values of %s to %s, also to those who may not read %s.", row.Type, row.Key, over.Name, who, over.Name), nil
}

func unlessHidden(err error) error {
	if errors.Is(err, errModuleNotFound) {
		return nil
	}

	return err
}

// exposures are the warnings about some fields.
func (s *service) exposures(ctx context.Context, rows []fieldRow) ([]string, error) {
	var warnings []string
	for _, row := range rows {
		warning, err := s.exposure(ctx, row)
		if err != nil {
			return nil, err
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}

	return warnings, nil
}
