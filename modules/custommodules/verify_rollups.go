package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// rollups computes the rollups of a record and compares. What is marked waits for its job, and so does a rollup
// that has just come: the marks are read last, since what changes has left one.
func (e *examination) rollups(ctx context.Context, row verifiableRow) error {
	at := e.definition.rollups()
	if len(at) == 0 || row.DeletedAt != nil || e.definition.rolling || !isObject(row.Data) {
		return nil
	}
	should, err := e.rolledValues(ctx, e.definition, row.ID, at)
	if err != nil {
		return err
	}
	have := e.definition.values(row.Data)
	var wrong []*moduleField
	for i, v := range should {
		if !rawjson.Same(v.JSON, have[i]) {
			wrong = append(wrong, e.definition.fields[i])
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	now, err := e.repo.freshness(ctx, []uuid.UUID{row.ID})
	if err != nil || now[row.ID].Stale {
		return err
	}
	for _, f := range wrong {
		e.add(row, wrongRollup, f.key, "The rollup is not what the records that refer to the record come to.")
	}

	return nil
}
