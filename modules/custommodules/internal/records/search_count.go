package records

import (
	"context"
	"fmt"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/list"
)

// countWords takes the count= of a list by words that many records have out of its query, since the list
// looks for them record by record. They are counted by the index of words, exactly; together with filters
// they are not on a large module, and the error is list.ErrInvalidQuery. The total is nil if none is asked
// for, or the list counts itself.
func (s *Service) countWords(ctx context.Context, d *definition.Definition, q list.Query, narrow *store.Narrowing) (list.Query, *int64, error) {
	uncounted, asked := q.Uncounted()
	if narrow == nil || narrow.Few || asked == "" {
		return q, nil, nil
	}
	if len(q.Conditions()) == 0 {
		total, err := s.repo.CountMatching(ctx, d.Module, narrow.Words)

		return uncounted, &total, err
	}
	if s.settings.MaxScan == 0 {
		return q, nil, nil
	}
	large, err := s.repo.HoldsMoreThan(ctx, d.Module, s.settings.MaxScan)
	if large {
		err = list.ErrInvalidQuery.WithField("count", fmt.Sprintf("More than %d records have these words, and the module has more than %d: "+
			"they cannot be counted together with a filter. Search for more words, or count without the filter.", store.FewMatches, s.settings.MaxScan))
	}

	return q, nil, err
}
