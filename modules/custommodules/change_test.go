package custommodules

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/fieldchange"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// changed plans a change and applies it, and waits for its end.
func changed(ctx context.Context, t require.TestingT, s *service, module, field uuid.UUID, spec fieldchange.ChangeSpec, d fieldchange.ChangeDecision) definition.ChangeRow {
	plan, err := s.changes.PlanChange(ctx, module, field, spec)
	require.NoError(t, err)
	require.Equal(t, definition.ChangePlanned, plan.State)
	row, err := s.changes.ApplyChange(ctx, module, field, plan.ID, d)
	require.NoError(t, err)

	return ended(ctx, t, s, row)
}

// ended waits until a change is not being applied any more.
func ended(ctx context.Context, t require.TestingT, s *service, row definition.ChangeRow) definition.ChangeRow {
	require.Eventually(t, func() bool {
		now, err := s.repo.FieldChange(ctx, row.ModuleID, row.ID)
		row = now

		return err == nil && now.State != definition.ChangeApplying
	}, time.Minute, 5*time.Millisecond)

	return row
}

// parts makes a module with one field and a record for each payload.
func parts(ctx context.Context, t require.TestingT, s *service, field definition.NewField, payloads ...string) (definition.ModuleRow, definition.FieldRow, []uuid.UUID) {
	module, fields, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts " + uuid.NewString(), Fields: []definition.NewField{field, {Key: "note", Type: "text"}}})
	require.NoError(t, err)
	var ids []uuid.UUID
	for _, payload := range payloads {
		made, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(payload))
		require.NoError(t, err)
		ids = append(ids, made.ID)
	}

	return module, fields[0], ids
}

func payloadOf(ctx context.Context, t require.TestingT, s *service, id uuid.UUID, version int64) string {
	got, err := s.records.ReadRecord(ctx, id)
	require.NoError(t, err)
	if version > 0 {
		got, err = s.records.AsOf(ctx, id, version)
		require.NoError(t, err)
	}

	return string(got.Definition.AppendPayload(nil, got.Data))
}

func TestChangeType_ConvertsEveryRecordAndKeepsWhatWas(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, year, ids := parts(ctx, t, s, definition.NewField{Key: "year", Type: "text", Indexed: true, Options: rawjson.Object(`{"trim":false}`)},
			`{"year":"2019"}`, `{"year":" 2020 ","note":"x"}`, `{"note":"none"}`, `{"year":"soon"}`)
		plan, err := s.changes.PlanChange(ctx, module.ID, year.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"})
		require.NoError(t, err)
		report := shownChange(plan, false).Report
		require.Equal(t, []int64{4, 3, 2, 1, 1}, []int64{report.Records, report.WithValue, report.Converts, report.Loses, report.Fails})
		require.Equal(t, "The year must be a whole number.", report.Samples[2].Problem)
		_, err = s.changes.ApplyChange(ctx, module.ID, year.ID, plan.ID, fieldchange.ChangeDecision{})
		require.ErrorIs(t, err, definition.ErrChangeUndecided)
		row, err := s.changes.ApplyChange(ctx, module.ID, year.ID, plan.ID, fieldchange.ChangeDecision{OnFailure: definition.ClearFailing})
		require.NoError(t, err)
		row = ended(ctx, t, s, row)
		require.Equal(t, definition.ChangeApplied, row.State, row.Problem)
		require.Equal(t, []int64{4, 4, 3, 1}, []int64{row.Total, row.Done, row.Changed, row.Failed})

		for i, want := range []string{`{"year":2019}`, `{"note":"x","year":2020}`, `{"note":"none"}`, `{"year":null}`} {
			require.Equal(t, want, payloadOf(ctx, t, s, ids[i], 0))
		}
		require.Equal(t, []string{"2019", "2020", "", ""}, listedKeys(ctx, t, s, module.ID, "year", "sort=year"))
		require.JSONEq(t, `{"year":"soon"}`, payloadOf(ctx, t, s, ids[3], 1), "as it was then")
		_, err = s.records.RevertRecord(ctx, ids[3], 1, nil, records.Always{})
		require.ErrorIs(t, err, definition.ErrInvalidPayload)
		_, err = s.records.UpdateRecord(ctx, ids[0], []byte(`{"year":7,"note":"n"}`), records.Always{})
		require.NoError(t, err)
		require.JSONEq(t, `{"year":2019}`, payloadOf(ctx, t, s, ids[0], 2))
		require.JSONEq(t, `{"year":"2019"}`, payloadOf(ctx, t, s, ids[0], 1))
		_, err = s.records.RevertRecord(ctx, ids[0], 1, []string{"year"}, records.Always{})
		require.NoError(t, err)
		require.JSONEq(t, `{"year":2019,"note":"n"}`, payloadOf(ctx, t, s, ids[0], 0))
		silent(ctx, t, s)
	})
}

func TestChangeRequired_FillsWhatIsLacking(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "n", Type: "integer"}, `{"n":1}`, `{}`)
		row := changed(ctx, t, s, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeRequired}, fieldchange.ChangeDecision{Fill: []byte("5")})
		require.Equal(t, definition.ChangeApplied, row.State, row.Problem)
		require.JSONEq(t, `{"n":5}`, payloadOf(ctx, t, s, ids[1], 0))
		require.JSONEq(t, `{}`, payloadOf(ctx, t, s, ids[1], 1))
		_, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{}`))
		require.ErrorIs(t, err, definition.ErrInvalidPayload)
		silent(ctx, t, s)
	})
}

func TestChangeUnique_NamesDuplicatesAndClearsThemWhenAsked(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "code", Type: "text"}, `{"code":"a"}`, `{"code":"a"}`, `{"code":"b"}`, `{}`, `{}`)
		plan, err := s.changes.PlanChange(ctx, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeUnique})
		require.NoError(t, err)
		report := shownChange(plan, false).Report
		require.Equal(t, []fieldchange.Duplicates{{Value: "a", Count: 2, Records: ids[:2]}}, report.Groups)
		_, err = s.changes.ApplyChange(ctx, module.ID, f.ID, plan.ID, fieldchange.ChangeDecision{})
		require.ErrorIs(t, err, definition.ErrChangeUndecided)
		row, err := s.changes.ApplyChange(ctx, module.ID, f.ID, plan.ID, fieldchange.ChangeDecision{OnFailure: definition.ClearFailing})
		require.NoError(t, err)
		require.Equal(t, definition.ChangeApplied, ended(ctx, t, s, row).State)
		require.JSONEq(t, `{"code":"a"}`, payloadOf(ctx, t, s, ids[0], 0))
		require.JSONEq(t, `{"code":null}`, payloadOf(ctx, t, s, ids[1], 0))
		_, err = s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{"code":"b"}`))
		require.ErrorIs(t, err, definition.ErrValueTaken)
		silent(ctx, t, s)
	})
}

func TestChangeDelete_TellsWhatUsesTheFieldAndKeepsItsValuesInTheHistory(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "n", Type: "integer", Indexed: true}, `{"n":1}`, `{}`)
		twice, err := s.modeling.AddField(ctx, module.ID, definition.NewField{Key: "twice", Type: "formula", Options: rawjson.Object(`{"formula":"n * 2","result":"integer"}`)})
		require.NoError(t, err)
		plan, err := s.changes.PlanChange(ctx, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeDelete})
		require.NoError(t, err)
		require.Equal(t, []fieldchange.FieldUse{{Kind: "formula", Name: "twice", Blocks: true}, {Kind: "index"}}, shownChange(plan, false).Report.Uses)
		_, err = s.changes.ApplyChange(ctx, module.ID, f.ID, plan.ID, fieldchange.ChangeDecision{})
		require.ErrorIs(t, err, definition.ErrFieldInUse)
		require.NoError(t, s.modeling.DeleteField(ctx, module.ID, twice.ID, records.Always{}))
		_, err = s.changes.ApplyChange(ctx, module.ID, f.ID, plan.ID, fieldchange.ChangeDecision{})
		require.ErrorIs(t, err, definition.ErrChangeStale)
		row := changed(ctx, t, s, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeDelete}, fieldchange.ChangeDecision{})
		require.Equal(t, definition.ChangeApplied, row.State)
		require.EqualValues(t, 1, row.Changed)
		require.JSONEq(t, `{}`, payloadOf(ctx, t, s, ids[0], 0))
		history, err := s.repo.HistoryAfter(ctx, ids[0], 1)
		require.NoError(t, err)
		require.Contains(t, string(history[0].Changes), fmt.Sprintf(`"%d"`, f.Number))
		silent(ctx, t, s)
	})
}

func TestChangeType_ATextThatComesToNothingIsNothing(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text"}, `{"n":""}`, `{"n":"  "}`, `{"n":null}`)
		row := changed(ctx, t, s, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"}, fieldchange.ChangeDecision{})
		require.EqualValues(t, 2, row.Changed)
		require.JSONEq(t, `{"n":null}`, payloadOf(ctx, t, s, ids[0], 0))
		require.JSONEq(t, `{"n":null}`, payloadOf(ctx, t, s, ids[1], 0))
		require.JSONEq(t, `{"n":""}`, payloadOf(ctx, t, s, ids[0], 1))
		silent(ctx, t, s)
	})
}

func TestChangeType_WhatWasClearedStaysSoInALaterType(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text"}, `{"n":"x"}`)
		cleared := fieldchange.ChangeDecision{OnFailure: definition.ClearFailing}
		row := changed(ctx, t, s, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"}, cleared)
		row = changed(ctx, t, s, module.ID, *row.IncomingID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "decimal"}, cleared)
		require.Zero(t, row.Changed)
		_, err := s.records.UpdateRecord(ctx, ids[0], []byte(`{"n":"5"}`), records.Always{})
		require.NoError(t, err)
		require.JSONEq(t, `{"n":"x"}`, payloadOf(ctx, t, s, ids[0], 1))
		require.JSONEq(t, `{}`, payloadOf(ctx, t, s, ids[0], 2))
		require.JSONEq(t, `{"n":"5.00"}`, payloadOf(ctx, t, s, ids[0], 3))
	})
}
