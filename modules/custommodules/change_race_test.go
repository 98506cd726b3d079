package custommodules

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/fieldchange"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// begun plans a change and prepares it, and no job runs: the test does what one would do.
func begun(ctx context.Context, t *testing.T, s *service, module, field uuid.UUID, spec fieldchange.ChangeSpec, d fieldchange.ChangeDecision) definition.ChangeRow {
	t.Helper()
	plan, err := s.changes.PlanChange(ctx, module, field, spec)
	require.NoError(t, err)
	row, err := s.changes.ApplyChange(ctx, module, field, plan.ID, d)
	require.NoError(t, err)

	return row
}

// eachStill is eachService without anybody at work on jobs.
func eachStill(t *testing.T, test func(t *testing.T, s *service, ctx context.Context)) {
	t.Helper()
	eachService(t, test, moduletest.Set("roles=api"))
}

func many(n int, format string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}

	return all
}

func TestChange_GoesOnWhereItWasAndChangesNoRecordTwice(t *testing.T) {
	t.Parallel()
	eachStill(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text", Indexed: true}, many(fieldchange.ChangeBatch+5, `{"n":"%d"}`)...)
		row := begun(ctx, t, s, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"}, fieldchange.ChangeDecision{})
		left, err := s.changes.ApplySome(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, fieldchange.SomeLeft, left)
		require.JSONEq(t, `{"n":"0"}`, payloadOf(ctx, t, s, ids[0], 0), "the old type until the end")
		_, err = s.records.UpdateRecord(ctx, ids[0], []byte(`{"n":"x"}`), records.Always{})
		require.ErrorIs(t, err, definition.ErrInvalidPayload, "right under the old type alone")
		_, err = s.records.UpdateRecord(ctx, ids[0], []byte(`{"n":"100"}`), records.Always{})
		require.NoError(t, err)
		_, err = s.records.UpdateRecord(ctx, ids[fieldchange.ChangeBatch], []byte(`{"n":"101"}`), records.Always{})
		require.NoError(t, err)
		_, err = s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{"n":"102"}`))
		require.NoError(t, err)
		for _, err := range together(3, func(int) error { return s.changes.ApplyRecords(ctx, modeling.ChangeRecords{Change: row.ID}) }) {
			require.NoError(t, err)
		}
		row, err = s.repo.FieldChange(ctx, module.ID, row.ID)
		require.NoError(t, err)
		require.Equal(t, definition.ChangeApplied, row.State, row.Problem)
		require.EqualValues(t, fieldchange.ChangeBatch+5, row.Done)
		require.EqualValues(t, fieldchange.ChangeBatch+4, row.Changed, "one was written meanwhile")
		for i, id := range ids {
			got, err := s.records.ReadRecord(ctx, id)
			require.NoError(t, err)
			want := int64(2)
			if i == 0 {
				want = 3
			}
			require.Equal(t, want, got.Version, i)
		}
		require.JSONEq(t, `{"n":"200"}`, payloadOf(ctx, t, s, ids[fieldchange.ChangeBatch], 1))
		require.JSONEq(t, `{"n":101}`, payloadOf(ctx, t, s, ids[fieldchange.ChangeBatch], 0))
		require.Equal(t, []string{"100", "100", "101", "101", "102", "102"}, listedKeys(ctx, t, s, module.ID, "n", "filter[n][gte]=100&filter[n][lte]=102&sort=n"))
		require.NoError(t, s.records.Forget(ctx, records.ForgetField{Field: f.ID}))
		silent(ctx, t, s)
	})
}

func TestChange_StopsAtARecordThatCameAfterThePlanAndLeavesTheFieldAsItWas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		field       definition.NewField
		spec        fieldchange.ChangeSpec
		good        string
		bad, better string
		refusal     error
	}{
		{"type", definition.NewField{Key: "n", Type: "text", Indexed: true}, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"}, `{"n":"1"}`, `{"n":"x"}`, `{"n":"2"}`, definition.ErrInvalidPayload},
		{"required", definition.NewField{Key: "n", Type: "text"}, fieldchange.ChangeSpec{Change: definition.ChangeRequired}, `{"n":"1"}`, `{}`, `{"n":"2"}`, definition.ErrInvalidPayload},
		{"unique", definition.NewField{Key: "n", Type: "text"}, fieldchange.ChangeSpec{Change: definition.ChangeUnique}, `{"n":"1"}`, `{"n":"1"}`, `{"n":"2"}`, definition.ErrValueTaken},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			eachStill(t, func(t *testing.T, s *service, ctx context.Context) {
				module, f, _ := parts(ctx, t, s, tc.field, tc.good)
				plan, err := s.changes.PlanChange(ctx, module.ID, f.ID, tc.spec)
				require.NoError(t, err)
				bad, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(tc.bad))
				require.NoError(t, err)
				row, err := s.changes.ApplyChange(ctx, module.ID, f.ID, plan.ID, fieldchange.ChangeDecision{})
				require.NoError(t, err)
				require.NoError(t, s.changes.ApplyRecords(ctx, modeling.ChangeRecords{Change: row.ID}))
				row, err = s.repo.FieldChange(ctx, module.ID, row.ID)
				require.NoError(t, err)
				require.Equal(t, definition.ChangeStopped, row.State)
				require.Equal(t, bad.ID, *row.StoppedAt)
				require.Contains(t, row.Problem, "The n ")
				now, err := s.repo.Field(ctx, module.ID, f.ID)
				require.NoError(t, err)
				require.False(t, now.Required || now.IsUnique)
				another, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(tc.bad))
				require.NoError(t, err, "as before")
				require.NoError(t, s.records.DeleteRecord(ctx, another.ID, records.Always{}))
				require.NoError(t, s.changes.Release(ctx, fieldchange.ReleaseField{Field: f.ID}))
				silent(ctx, t, s)

				_, err = s.records.UpdateRecord(ctx, bad.ID, []byte(tc.better), records.Always{})
				require.NoError(t, err)
				_, err = s.changes.ResumeChange(ctx, module.ID, row.ID)
				require.NoError(t, err)
				require.NoError(t, s.changes.ApplyRecords(ctx, modeling.ChangeRecords{Change: row.ID}))
				row, err = s.repo.FieldChange(ctx, module.ID, row.ID)
				require.NoError(t, err)
				require.Equal(t, definition.ChangeApplied, row.State, row.Problem)
				_, err = s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(tc.bad))
				require.ErrorIs(t, err, tc.refusal)
			})
		})
	}
}

func TestChange_IsCancelledAndResumedTwice(t *testing.T) {
	t.Parallel()
	eachStill(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text", Unique: true, Indexed: true}, many(fieldchange.ChangeBatch+1, `{"n":"%d"}`)...)
		row := begun(ctx, t, s, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"}, fieldchange.ChangeDecision{})
		_, err := s.modeling.AddField(ctx, module.ID, definition.NewField{Key: "more", Type: "text"})
		require.ErrorIs(t, err, definition.ErrChangeRunning)
		for range 2 {
			_, err := s.changes.ApplySome(ctx, row.ID)
			require.NoError(t, err)
			row, err = s.changes.CancelChange(ctx, module.ID, row.ID)
			require.NoError(t, err)
			require.Equal(t, definition.ChangeCancelled, row.State)
			left, err := s.changes.ApplySome(ctx, row.ID)
			require.NoError(t, err)
			require.Equal(t, fieldchange.OverAlready, left)
			_, err = s.records.UpdateRecord(ctx, ids[0], []byte(`{"n":"x"}`), records.Always{})
			require.NoError(t, err)
			_, err = s.records.UpdateRecord(ctx, ids[0], []byte(`{"n":"0"}`), records.Always{})
			require.NoError(t, err)
			silent(ctx, t, s)
			row, err = s.changes.ResumeChange(ctx, module.ID, row.ID)
			require.NoError(t, err)
		}
		require.NoError(t, s.changes.ApplyRecords(ctx, modeling.ChangeRecords{Change: row.ID}))
		require.JSONEq(t, `{"n":0}`, payloadOf(ctx, t, s, ids[0], 0))
		require.JSONEq(t, `{"n":"0"}`, payloadOf(ctx, t, s, ids[0], 1))
		_, err = s.changes.CancelChange(ctx, module.ID, row.ID)
		require.ErrorIs(t, err, definition.ErrChangeState)
		_, err = s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{"n":7}`))
		require.ErrorIs(t, err, definition.ErrValueTaken)
		silent(ctx, t, s)
	})
}

func TestChange_OfAPlanThatIsStaleIsRefused(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, _ := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text"}, `{"n":"1"}`)
		plan, err := s.changes.PlanChange(ctx, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"})
		require.NoError(t, err)
		_, err = s.modeling.ChangeField(ctx, module.ID, f.ID, records.Always{}, modeling.FieldChanges{Help: new("A number")})
		require.NoError(t, err)
		_, err = s.changes.ApplyChange(ctx, module.ID, f.ID, plan.ID, fieldchange.ChangeDecision{})
		require.ErrorIs(t, err, definition.ErrChangeStale)
		other, _, _ := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text"})
		_, err = s.changes.ApplyChange(ctx, other.ID, f.ID, plan.ID, fieldchange.ChangeDecision{})
		require.ErrorIs(t, err, definition.ErrChangeNotFound)
	})
}

func TestChange_ARestoredRecordIsConvertedWhenItComesBack(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text", Indexed: true}, `{"n":"1"}`, `{"n":"x"}`)
		for _, id := range ids {
			require.NoError(t, s.records.DeleteRecord(ctx, id, records.Always{}))
		}
		row := changed(ctx, t, s, module.ID, f.ID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "integer"}, fieldchange.ChangeDecision{})
		require.Equal(t, definition.ChangeApplied, row.State)
		row = changed(ctx, t, s, module.ID, *row.IncomingID, fieldchange.ChangeSpec{Change: definition.ChangeType, Type: "decimal"}, fieldchange.ChangeDecision{})
		require.Equal(t, definition.ChangeApplied, row.State)
		_, err := s.records.RestoreRecord(ctx, ids[0], records.Always{})
		require.NoError(t, err)
		require.JSONEq(t, `{"n":"1.00"}`, payloadOf(ctx, t, s, ids[0], 0))
		require.JSONEq(t, `{"n":"1"}`, payloadOf(ctx, t, s, ids[0], 1))
		lost, err := s.records.RestoreRecord(ctx, ids[1], records.Always{})
		require.NoError(t, err)
		require.Equal(t, map[string][]string{"payload.n": {"The n of then must be a whole number."}}, lost.Warnings)
		require.JSONEq(t, `{"n":null}`, payloadOf(ctx, t, s, ids[1], 0))
		require.JSONEq(t, `{"n":"x"}`, payloadOf(ctx, t, s, ids[1], 1))
		silent(ctx, t, s)
	})
}

// Writers go on while the type of what they write changes there and back: they see one of the two types, and what
// they are told is stored is.
func TestChange_UnderLoadAgreesWithItself(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		const writers, changes, mostMade = 4, 4, 60
		module, f, _ := parts(ctx, t, s, definition.NewField{Key: "n", Type: "text", Unique: true, Indexed: true}, many(300, `{"n":"9%d"}`)...)
		var over atomic.Bool
		var written atomic.Int64
		write := func(i int) error {
			var mine []uuid.UUID
			for n := 0; !over.Load(); n++ {
				number := i*1_000_000 + n
				text := fmt.Sprintf(`{"n":"%d"}`, number)
				if n%2 == 1 {
					text = fmt.Sprintf(`{"n":%d}`, number)
				}
				var err error
				if len(mine) < mostMade {
					made, failed := s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(text))
					if err = failed; err == nil {
						mine = append(mine, made.ID)
					}
				} else {
					_, err = s.records.UpdateRecord(ctx, mine[n%mostMade], []byte(text), records.Always{})
				}
				if err == nil {
					written.Add(1)
				}
				if err == nil && n%3 == 0 && len(mine) > 0 {
					_, err = s.records.UpdateRecord(ctx, mine[n%len(mine)], []byte(`{"note":"x"}`), records.Always{})
				}
				if err == nil && n%5 == 0 && len(mine) > 0 {
					err = s.records.DeleteRecord(ctx, mine[0], records.Always{})
				}
				if err == nil && n%7 == 0 && len(mine) > 0 {
					_, err = s.records.RestoreRecord(ctx, mine[0], records.Always{})
				}
				if _, answer := errors.AsType[*errs.Error](err); err != nil && !answer {
					return err
				}
			}

			return nil
		}
		change := func() error {
			defer over.Store(true)
			for n := range changes {
				spec := fieldchange.ChangeSpec{Change: definition.ChangeType, Type: []definition.TypeName{"integer", "text"}[n%2]}
				plan, err := s.changes.PlanChange(ctx, module.ID, f.ID, spec)
				if err != nil {
					return err
				}
				row, err := s.changes.ApplyChange(ctx, module.ID, f.ID, plan.ID, fieldchange.ChangeDecision{})
				for err == nil && row.State == definition.ChangeApplying {
					time.Sleep(5 * time.Millisecond) //nolint:forbidigo // it is waited for a condition
					row, err = s.repo.FieldChange(ctx, module.ID, row.ID)
				}
				if err != nil || row.State != definition.ChangeApplied {
					return fmt.Errorf("change %d: %s at %v: %s: %w", n, row.State, row.StoppedAt, row.Problem, err)
				}
				f.ID = *row.IncomingID
			}

			return nil
		}
		for _, err := range together(writers+1, func(i int) error {
			if i == writers {
				return change()
			}

			return write(i + 1)
		}) {
			require.NoError(t, err)
		}
		require.Positive(t, written.Load())
		silent(ctx, t, s)
	})
}
