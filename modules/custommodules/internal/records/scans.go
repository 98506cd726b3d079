package records

import (
	"context"
	"fmt"
	"strings"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/list"
)

// reach is how a module stands to the limit of records up to which it may be read as a whole.
type reach int

const (
	far  reach = iota
	near       // it has more than warnPercent of the limit
	beyond
)

// warnPercent is from how much of the limit on lists warn that they will be refused.
const warnPercent = 80

// reach finds out how a module stands to the limit of records.
func (s *Service) reach(ctx context.Context, d *definition.Definition) (reach, error) {
	if s.settings.MaxScan == 0 {
		return far, nil
	}
	many, err := s.repo.HoldsMoreThan(ctx, d.Module, s.settings.MaxScan*warnPercent/100)
	if err != nil || !many {
		return far, err
	}
	if many, err = s.repo.HoldsMoreThan(ctx, d.Module, s.settings.MaxScan); err != nil || !many {
		return near, err
	}

	return beyond, nil
}

// checkScans refuses what would read the whole of a large module with ErrFieldNotIndexed, and warns of it while there are nearly
// too many records.
func (s *Service) checkScans(d *definition.Definition, scans []definition.Scan, reached func() (reach, error)) ([]list.Warning, error) {
	if len(scans) == 0 {
		return nil, nil
	}
	at, err := reached()
	if err != nil || at == far {
		return nil, err
	}
	if at == beyond {
		return s.warnings(d, scans, at), s.notIndexed(d, scans)
	}

	return s.warnings(d, scans, at), nil
}

// warnings say what is refused, or will be soon, and what to do about it.
func (s *Service) warnings(d *definition.Definition, scans []definition.Scan, at reach) []list.Warning {
	if at == far {
		return nil
	}
	when := fmt.Sprintf("The module has more than %d records; beyond %d, this is refused.", s.settings.MaxScan*warnPercent/100, s.settings.MaxScan)
	if at == beyond {
		when = fmt.Sprintf("The module has more than %d records, so this is refused.", s.settings.MaxScan)
	}
	all := make([]list.Warning, len(scans))
	for i, one := range scans {
		why, advice := d.Explain(one)
		all[i] = list.Warning{Path: one.Path, Field: one.Key, Message: why + ". " + when + " " + advice}
	}

	return all
}

// notIndexed says which parts of a query no index serves.
func (s *Service) notIndexed(d *definition.Definition, scans []definition.Scan) error {
	indexed := append(d.IndexedKeys(), "uuid")
	refusal := definition.ErrFieldNotIndexed.WithDetail("indexed", indexed).WithDetail("limit_records", s.settings.MaxScan)
	for _, scan := range scans {
		why, advice := d.Explain(scan)
		refusal = refusal.WithField(scan.Path, fmt.Sprintf("%s, and the module has more than %d records. %s Indexed are %s.",
			why, s.settings.MaxScan, advice, strings.Join(indexed, ", ")))
	}

	return refusal
}
