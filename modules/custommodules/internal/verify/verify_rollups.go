package verify

import (
	"context"
	"maps"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// rollups computes the rollups and lookups of a record and compares. What is marked waits for its job, and so does what has
// just come: the marks are read last, since what changes has left one.
func (e *examination) rollups(ctx context.Context, row store.VerifiableRow) error {
	d := e.definition
	if !d.Derives() || row.DeletedAt != nil || d.Rolling || !isObject(row.Data) {
		return nil
	}
	should, err := e.of.service.rollups.RolledValues(ctx, d, row.ID, d.Rollups())
	if err != nil {
		return err
	}
	found, err := e.of.service.records.LookUp(ctx, d, row.Data, d.Lookups, nil, false)
	if err != nil {
		return err
	}
	maps.Copy(should, found)
	have := d.Values(row.Data)
	var wrong []*definition.ModuleField
	for i, v := range should {
		if !rawjson.Equal(rawjson.OrNothing(v.JSON), rawjson.OrNothing(have[i])) {
			wrong = append(wrong, d.Fields[i])
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	now, err := e.of.service.repo.Freshness(ctx, []uuid.UUID{row.ID}, d.LookupIDs()...)
	if err != nil || now[row.ID].Stale {
		return err
	}
	for _, f := range wrong {
		if _, is := f.Values.(*definition.Lookup); is {
			e.add(row, WrongLookup, f.Key, "The lookup is not what the record has that the reference names.")
		} else {
			e.add(row, WrongRollup, f.Key, "The rollup is not what the records that refer to the record come to.")
		}
	}

	return nil
}
