package custommodules

import (
	"context"
	"maps"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// rollups computes the rollups and lookups of a record and compares. What is marked waits for its job, and so does what has
// just come: the marks are read last, since what changes has left one.
func (e *examination) rollups(ctx context.Context, row verifiableRow) error {
	d := e.definition
	if !d.derives() || row.DeletedAt != nil || d.rolling || !isObject(row.Data) {
		return nil
	}
	should, err := e.rolledValues(ctx, d, row.ID, d.rollups())
	if err != nil {
		return err
	}
	found, err := e.lookUp(ctx, d, row.Data, d.lookups, nil, false)
	if err != nil {
		return err
	}
	maps.Copy(should, found)
	have := d.values(row.Data)
	var wrong []*moduleField
	for i, v := range should {
		if !rawjson.Same(rawjson.OrNothing(v.JSON), rawjson.OrNothing(have[i])) {
			wrong = append(wrong, d.fields[i])
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	now, err := e.repo.freshness(ctx, []uuid.UUID{row.ID}, d.lookupIDs()...)
	if err != nil || now[row.ID].Stale {
		return err
	}
	for _, f := range wrong {
		if _, is := f.values.(*lookup); is {
			e.add(row, wrongLookup, f.key, "The lookup is not what the record has that the reference names.")
		} else {
			e.add(row, wrongRollup, f.key, "The rollup is not what the records that refer to the record come to.")
		}
	}

	return nil
}
