package custommodules

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/fieldchange"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/database"
)

// A record without a value to convert is gone through as well, and counts as written by then: the job that builds
// another index meanwhile passes over it.
func TestChangeType_LeavesNoRecordOutOfAnIndexThatIsBuilding(t *testing.T) {
	t.Parallel()
	eachStill(t, func(t *testing.T, s *service, ctx context.Context) {
		module, fields, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Wide", Fields: append([]definition.NewField{
			{Key: "n", Type: "text", Indexed: true}, {Key: "more", Type: "text"},
		}, fillers()...)})
		require.NoError(t, err)
		_, err = s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{"more":"words of it"}`))
		require.NoError(t, err)
		more, err := s.modeling.ChangeField(ctx, module.ID, fields[1].ID, records.Always{}, modeling.FieldChanges{Indexed: new(true), Searchable: new(true)})
		require.NoError(t, err)
		require.True(t, more.Overflows())
		row := begun(ctx, t, s, module.ID, fields[0].ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"}, fieldchange.ChangeDecision{})
		require.NoError(t, s.changes.ApplyRecords(ctx, modeling.ChangeRecords{Change: row.ID}))
		silent(ctx, t, s)
		require.NoError(t, s.modeling.Build(ctx, modeling.BuildIndex{Module: module.ID, Field: more.ID, Since: *more.SlotSince}))
		silent(ctx, t, s)
		require.Equal(t, []string{"words of it"}, listedKeys(ctx, t, s, module.ID, "more", "filter[more]=words of it"))
		require.Equal(t, []string{"words of it"}, listedKeys(ctx, t, s, module.ID, "more", "q=words"))
	})
}

// That a field was set to null later says nothing of the time before it was there.
func TestChangeType_ANullOfTheLatestTypeHidesNoValueOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text"}, `{"n":"soon"}`)
		cleared := fieldchange.ChangeDecision{OnFailure: definition.ClearFailing}
		row := changed(ctx, t, s, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"}, cleared)
		row = changed(ctx, t, s, module.ID, *row.IncomingID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "decimal"}, cleared)
		require.Equal(t, definition.ChangeApplied, row.State, row.Problem)
		_, err := s.records.UpdateRecord(ctx, ids[0], []byte(`{"n":null,"note":"x"}`), records.Always{})
		require.NoError(t, err)
		require.JSONEq(t, `{"n":"soon"}`, payloadOf(ctx, t, s, ids[0], 1))
		require.NotContains(t, payloadOf(ctx, t, s, ids[0], 2), "soon")
		_, err = s.records.RevertRecord(ctx, ids[0], 1, nil, records.Always{})
		require.ErrorIs(t, err, definition.ErrInvalidPayload)
		silent(ctx, t, s)
	})
}

// A plan reads the records in batches, and sums up what it found in each.
func TestChangeType_CountsAndConvertsMoreThanABatch(t *testing.T) {
	t.Parallel()
	eachStill(t, func(t *testing.T, s *service, ctx context.Context) {
		const records, failing = fieldchange.PlanBatch + 30, (fieldchange.PlanBatch + 30) / 10
		payloads := many(records, `{"n":"%d"}`)
		for i := range failing {
			payloads[i*10] = `{"n":"x"}`
		}
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text", Indexed: true}, payloads...)
		plan, err := s.changes.PlanChange(ctx, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"})
		require.NoError(t, err)
		report := fieldchange.ReportOf(plan)
		require.Equal(t, []int64{records, records, records - failing, failing}, []int64{report.Records, report.WithValue, report.Converts, report.Fails})
		require.Len(t, report.Samples, 2*fieldchange.MostSamples, "ten of each outcome")

		row, err := s.changes.ApplyChange(ctx, module.ID, f.ID, plan.ID, fieldchange.ChangeDecision{OnFailure: definition.DefaultFailing, Default: []byte("7")})
		require.NoError(t, err)
		_, err = s.changes.ApplySome(ctx, row.ID)
		require.NoError(t, err)
		killed := errors.New("killed")
		require.ErrorIs(t, s.db.InTx(ctx, func(ctx context.Context) error {
			half, err := s.repo.HoldChange(ctx, row.ID)
			require.NoError(t, err)
			done, err := s.changes.ApplyBatch(ctx, &half)
			require.NoError(t, err)
			require.Equal(t, fieldchange.ChangeBatch, done)

			return killed // before any of it is kept
		}), killed)
		require.NoError(t, s.changes.ApplyRecords(ctx, modeling.ChangeRecords{Change: row.ID}))
		row, err = s.repo.FieldChange(ctx, module.ID, row.ID)
		require.NoError(t, err)
		require.Equal(t, definition.ChangeApplied, row.State, row.Problem)
		require.Equal(t, []int64{records, records, records, failing}, []int64{row.Total, row.Done, row.Changed, row.Failed})
		for i, id := range ids {
			got, err := s.records.ReadRecord(ctx, id)
			require.NoError(t, err)
			require.EqualValues(t, 2, got.Version)
			want := fmt.Sprintf(`{"n":%d}`, i)
			if i%10 == 0 {
				want = `{"n":7}`
			}
			require.JSONEq(t, want, string(got.Definition.AppendPayload(nil, got.Data)))
		}
		require.JSONEq(t, `{"n":"x"}`, payloadOf(ctx, t, s, ids[0], 1))
		silent(ctx, t, s)
	})
}
