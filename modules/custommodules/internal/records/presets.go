package records

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// presets returns what the defaults of a definition are worked out of.
func (s *Service) presets(ctx context.Context, d *definition.Definition) (definition.Presets, error) {
	by := definition.Presets{User: principal.UserOf(ctx)}
	var err error
	if d.PresetsByDate {
		by.Now, err = s.others.calendar.Now(ctx)
	}

	return by, err
}
