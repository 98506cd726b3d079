package verify

import (
	"context"
	"math"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/rollups"
	"github.com/dispatchd/dispatchd/platform/database"
)

// unseenFor is how old a mark is that its job should have seen to: jobs come within seconds, and are retried.
const unseenFor = 5 * time.Minute

// marks finds records whose rollups should have been computed long ago. Repairing does what the job does.
func (v *verification) marks(ctx context.Context) error {
	last, until := uuid.Nil, database.FirstID(v.service.clock.Now().Add(-unseenFor))
	for {
		rows, err := v.service.repo.Marks(ctx, last, records.MarksBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		for i, row := range rows {
			if row.ID.String() >= until.String() {
				rows = rows[:i]

				break
			}
		}
		for _, waiting := range rollups.ByRecord(rows) {
			if err := v.mark(ctx, waiting); err != nil {
				return err
			}
		}
		if len(rows) < records.MarksBatch {
			return nil
		}
		last = rows[len(rows)-1].ID
	}
}

func (v *verification) mark(ctx context.Context, waiting records.StaleRecord) error {
	f := Finding{
		Company: v.company, Record: waiting.Record, Kind: WrongMark,
		Problem: "Rollups of the record are marked, and no job has computed them.",
	}
	there, _, err := v.service.repo.RecordsNamed(ctx, map[uuid.UUID]bool{waiting.Record: true}, math.MaxInt64)
	if err != nil {
		return err
	}
	if len(there) == 0 {
		f.Problem = "Rollups are marked of a record that is not there."
	} else {
		f.Module = there[0].ModuleID
	}
	if v.repair {
		if err := v.service.rollups.RollUpRecord(ctx, waiting); err != nil {
			return err
		}
		f.Mended = true
	}
	v.report(f)

	return nil
}
