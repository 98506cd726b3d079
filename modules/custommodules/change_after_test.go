package custommodules

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
)

// A record without a value to convert is gone through as well, and counts as written by then: the job that builds
// another index meanwhile passes over it.
func TestChangeType_LeavesNoRecordOutOfAnIndexThatIsBuilding(t *testing.T) {
	t.Parallel()
	eachStill(t, func(t *testing.T, s *service, ctx context.Context) {
		module, fields, err := s.createModule(ctx, newModule{Name: "Wide", Fields: append([]newField{
			{Key: "n", Type: "text", Indexed: true}, {Key: "more", Type: "text"},
		}, fillers()...)})
		require.NoError(t, err)
		_, err = s.createRecord(ctx, database.NewID(), module.ID, []byte(`{"more":"words of it"}`))
		require.NoError(t, err)
		more, err := s.changeField(ctx, module.ID, fields[1].ID, always{}, fieldChanges{indexed: new(true), searchable: new(true)})
		require.NoError(t, err)
		require.True(t, more.overflows())
		row := begun(ctx, t, s, module.ID, fields[0].ID, changeSpec{Change: changeType, Type: "integer"}, changeDecision{})
		require.NoError(t, s.applyRecords(ctx, changeRecords{Change: row.ID}))
		silent(ctx, t, s)
		require.NoError(t, s.build(ctx, buildIndex{Module: module.ID, Field: more.ID, Since: *more.SlotSince}))
		silent(ctx, t, s)
		require.Equal(t, []string{"words of it"}, listedKeys(ctx, t, s, module.ID, "more", "filter[more]=words of it"))
		require.Equal(t, []string{"words of it"}, listedKeys(ctx, t, s, module.ID, "more", "q=words"))
	})
}

// That a field was set to null later says nothing of the time before it was there.
func TestChangeType_ANullOfTheLatestTypeHidesNoValueOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, newField{Key: "n", Type: "text"}, `{"n":"soon"}`)
		cleared := changeDecision{OnFailure: clearFailing}
		row := changed(ctx, t, s, module.ID, f.ID, changeSpec{Change: changeType, Type: "integer"}, cleared)
		row = changed(ctx, t, s, module.ID, *row.IncomingID, changeSpec{Change: changeType, Type: "decimal"}, cleared)
		require.Equal(t, changeApplied, row.State, row.Problem)
		_, err := s.updateRecord(ctx, ids[0], []byte(`{"n":null,"note":"x"}`), always{})
		require.NoError(t, err)
		require.JSONEq(t, `{"n":"soon"}`, payloadOf(ctx, t, s, ids[0], 1))
		require.NotContains(t, payloadOf(ctx, t, s, ids[0], 2), "soon")
		_, err = s.revertRecord(ctx, ids[0], 1, nil, always{})
		require.ErrorIs(t, err, errInvalidPayload)
		silent(ctx, t, s)
	})
}

// A plan reads the records in batches, and sums up what it found in each.
func TestChangeType_CountsAndConvertsMoreThanABatch(t *testing.T) {
	t.Parallel()
	eachStill(t, func(t *testing.T, s *service, ctx context.Context) {
		const records, failing = planBatch + 30, (planBatch + 30) / 10
		payloads := many(records, `{"n":"%d"}`)
		for i := range failing {
			payloads[i*10] = `{"n":"x"}`
		}
		module, f, ids := parts(ctx, t, s, newField{Key: "n", Type: "text", Indexed: true}, payloads...)
		plan, err := s.planChange(ctx, module.ID, f.ID, changeSpec{Change: changeType, Type: "integer"})
		require.NoError(t, err)
		report := plan.report()
		require.Equal(t, []int64{records, records, records - failing, failing}, []int64{report.Records, report.WithValue, report.Converts, report.Fails})
		require.Len(t, report.Samples, 2*mostSamples, "ten of each outcome")

		row, err := s.applyChange(ctx, module.ID, f.ID, plan.ID, changeDecision{OnFailure: defaultFailing, Default: []byte("7")})
		require.NoError(t, err)
		_, err = s.applySome(ctx, row.ID)
		require.NoError(t, err)
		killed := errors.New("killed")
		require.ErrorIs(t, s.db.InTx(ctx, func(ctx context.Context) error {
			half, err := s.repo.holdChange(ctx, row.ID)
			require.NoError(t, err)
			done, err := s.applyBatch(ctx, &half)
			require.NoError(t, err)
			require.Equal(t, changeBatch, done)

			return killed // before any of it is kept
		}), killed)
		require.NoError(t, s.applyRecords(ctx, changeRecords{Change: row.ID}))
		row, err = s.repo.fieldChange(ctx, module.ID, row.ID)
		require.NoError(t, err)
		require.Equal(t, changeApplied, row.State, row.Problem)
		require.Equal(t, []int64{records, records, records, failing}, []int64{row.Total, row.Done, row.Changed, row.Failed})
		for i, id := range ids {
			got, err := s.readRecord(ctx, id)
			require.NoError(t, err)
			require.EqualValues(t, 2, got.Version)
			want := fmt.Sprintf(`{"n":%d}`, i)
			if i%10 == 0 {
				want = `{"n":7}`
			}
			require.JSONEq(t, want, string(got.definition.appendPayload(nil, got.Data)))
		}
		require.JSONEq(t, `{"n":"x"}`, payloadOf(ctx, t, s, ids[0], 1))
		silent(ctx, t, s)
	})
}
