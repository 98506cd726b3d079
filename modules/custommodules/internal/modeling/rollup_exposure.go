package modeling

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
)

// exposure warns of a rollup or lookup that shows values of a module to roles which may not read that; "" if it does not, or is
// not for the caller to know.
func (s *Service) exposure(ctx context.Context, row definition.FieldRow) (string, error) {
	made := s.definitions.Types.DerivedOf(row)
	if made == nil || made.ModuleID() == row.ModuleID {
		return "", nil
	}
	in, err := s.ReadableModule(ctx, row.ModuleID)
	if err != nil {
		return "", unlessHidden(err)
	}
	over, err := s.ReadableModule(ctx, made.ModuleID())
	if err != nil {
		return "", unlessHidden(err)
	}
	roles := in.Permissions.ReadersBeyond(over.Permissions)
	if len(roles) == 0 {
		return "", nil
	}
	who := "everyone who may read " + in.Name
	if roles[0] != definition.Everybody {
		who = "the roles " + strings.Join(roles, ", ")
	}

	return fmt.Sprintf("The %s %s shows values of %s to %s, including users who may not read %s.", row.Type, row.Key, over.Name, who, over.Name), nil
}

func unlessHidden(err error) error {
	if errors.Is(err, definition.ErrModuleNotFound) {
		return nil
	}

	return err
}

// Exposures are the warnings about some fields.
func (s *Service) Exposures(ctx context.Context, rows []definition.FieldRow) ([]string, error) {
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
