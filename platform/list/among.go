package list

import (
	"bytes"
	"slices"

	"github.com/google/uuid"
)

// Among returns those of some ids that rows of the page can have, where the rows of the list are those of
// the ids and the order is that of the ids alone; otherwise all. So a list of a few hundred found rows
// reads those that it answers with.
func (q Query) Among(ids []uuid.UUID) []uuid.UUID {
	if len(q.order) != 1 || len(q.filters) > 0 || q.count != "" {
		return ids
	}
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	if q.descends(q.order[0]) {
		slices.Reverse(ids)
	}
	if q.at != nil && q.at.texts[0] != nil {
		at, err := uuid.Parse(*q.at.texts[0])
		if err != nil {
			return ids
		}
		ids = slices.DeleteFunc(ids, func(id uuid.UUID) bool {
			if q.descends(q.order[0]) {
				return bytes.Compare(id[:], at[:]) > 0
			}

			return bytes.Compare(id[:], at[:]) < 0
		})
	}

	return ids[:min(len(ids), q.limit())]
}
