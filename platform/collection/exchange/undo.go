package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// undoChunk takes back what the run wrote of the last chunk that is not taken back yet: records that it
// made are deleted, others get the values back that they had. What was changed since stays, and is
// reported.
func (m *Importer) undoChunk(ctx context.Context, row *importRow) error {
	if row.UndoNext <= 0 {
		return m.step(ctx, row, verbTookBack, "")
	}
	acting, err := m.acting(ctx, row)
	if err != nil {
		return haltOn(err)
	}
	into, _, err := m.holdCollection(acting, row.Collection)
	if err != nil {
		return haltOn(err)
	}
	chunk, err := m.repo.chunk(ctx, row.ID, row.UndoNext-1)
	if err != nil {
		return err
	}
	var places []int
	var written []collection.Written
	for i, o := range slices.Backward(chunk.Outcomes) {
		if o.After > 0 {
			places = append(places, i)
			written = append(written, collection.Written{Row: o.Record, Before: o.Before, After: o.After})
		}
	}
	kept, err := into.Revert(acting, "import:"+row.ID.String(), written)
	if err != nil {
		return haltOn(err)
	}
	for i, why := range kept {
		if why == nil {
			row.Tally.Undone++

			continue
		}
		refusal, ok := errors.AsType[*errs.Error](why)
		if !ok {
			return fmt.Errorf("record %s: %w", written[i].Row, why)
		}
		if into.AffectsAllRows(why) {
			return haltOn(why)
		}
		chunk.Outcomes[places[i]].Kept = readers.Truncate(refusal.Message+columnMessages(refusal), longestProblem)
		chunk.Kept++
		row.Tally.Kept++
	}
	row.UndoNext--

	return m.repo.saveOutcomes(ctx, &chunk)
}
