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

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// begun plans a change and prepares it, and no job runs: the test does what one would do.
func begun(ctx context.Context, t *testing.T, s *service, module, field uuid.UUID, spec changeSpec, d changeDecision) changeRow {
	t.Helper()
	plan, err := s.planChange(ctx, module, field, spec)
	require.NoError(t, err)
	row, err := s.applyChange(ctx, module, field, plan.ID, d)
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
		module, f, ids := parts(ctx, t, s, newField{Key: "n", Type: "text", Indexed: true}, many(changeBatch+5, `{"n":"%d"}`)...)
		row := begun(ctx, t, s, module.ID, f.ID, changeSpec{Change: changeType, Type: "integer"}, changeDecision{})
		left, err := s.applySome(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, someLeft, left)
		require.JSONEq(t, `{"n":"0"}`, payloadOf(ctx, t, s, ids[0], 0), "the old type until the end")
		_, err = s.updateRecord(ctx, ids[0], []byte(`{"n":"x"}`), always{})
		require.ErrorIs(t, err, errInvalidPayload, "right under the old type alone")
		_, err = s.updateRecord(ctx, ids[0], []byte(`{"n":"100"}`), always{})
		require.NoError(t, err)
		_, err = s.updateRecord(ctx, ids[changeBatch], []byte(`{"n":"101"}`), always{})
		require.NoError(t, err)
		_, err = s.createRecord(ctx, database.NewID(), module.ID, []byte(`{"n":"102"}`))
		require.NoError(t, err)
		for _, err := range together(3, func(int) error { return s.applyRecords(ctx, changeRecords{Change: row.ID}) }) {
			require.NoError(t, err)
		}
		row, err = s.repo.fieldChange(ctx, module.ID, row.ID)
		require.NoError(t, err)
		require.Equal(t, changeApplied, row.State, row.Problem)
		require.EqualValues(t, changeBatch+5, row.Done)
		require.EqualValues(t, changeBatch+4, row.Changed, "one was written meanwhile")
		for i, id := range ids {
			got, err := s.readRecord(ctx, id)
			require.NoError(t, err)
			want := int64(2)
			if i == 0 {
				want = 3
			}
			require.Equal(t, want, got.Version, i)
		}
		require.JSONEq(t, `{"n":"200"}`, payloadOf(ctx, t, s, ids[changeBatch], 1))
		require.JSONEq(t, `{"n":101}`, payloadOf(ctx, t, s, ids[changeBatch], 0))
		require.Equal(t, []string{"100", "100", "101", "101", "102", "102"}, listedKeys(ctx, t, s, module.ID, "n", "filter[n][gte]=100&filter[n][lte]=102&sort=n"))
		require.NoError(t, s.forget(ctx, forgetField{Field: f.ID}))
		silent(ctx, t, s)
	})
}

func TestChange_StopsAtARecordThatCameAfterThePlanAndLeavesTheFieldAsItWas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		field       newField
		spec        changeSpec
		good        string
		bad, better string
		refusal     error
	}{
		{"type", newField{Key: "n", Type: "text", Indexed: true}, changeSpec{Change: changeType, Type: "integer"}, `{"n":"1"}`, `{"n":"x"}`, `{"n":"2"}`, errInvalidPayload},
		{"required", newField{Key: "n", Type: "text"}, changeSpec{Change: changeRequired}, `{"n":"1"}`, `{}`, `{"n":"2"}`, errInvalidPayload},
		{"unique", newField{Key: "n", Type: "text"}, changeSpec{Change: changeUnique}, `{"n":"1"}`, `{"n":"1"}`, `{"n":"2"}`, errValueTaken},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			eachStill(t, func(t *testing.T, s *service, ctx context.Context) {
				module, f, _ := parts(ctx, t, s, tc.field, tc.good)
				plan, err := s.planChange(ctx, module.ID, f.ID, tc.spec)
				require.NoError(t, err)
				bad, err := s.createRecord(ctx, database.NewID(), module.ID, []byte(tc.bad))
				require.NoError(t, err)
				row, err := s.applyChange(ctx, module.ID, f.ID, plan.ID, changeDecision{})
				require.NoError(t, err)
				require.NoError(t, s.applyRecords(ctx, changeRecords{Change: row.ID}))
				row, err = s.repo.fieldChange(ctx, module.ID, row.ID)
				require.NoError(t, err)
				require.Equal(t, changeStopped, row.State)
				require.Equal(t, bad.ID, *row.StoppedAt)
				require.Contains(t, row.Problem, "The n ")
				now, err := s.repo.field(ctx, module.ID, f.ID)
				require.NoError(t, err)
				require.False(t, now.Required || now.IsUnique)
				another, err := s.createRecord(ctx, database.NewID(), module.ID, []byte(tc.bad))
				require.NoError(t, err, "as before")
				require.NoError(t, s.deleteRecord(ctx, another.ID, always{}))
				require.NoError(t, s.release(ctx, releaseField{Field: f.ID}))
				silent(ctx, t, s)

				_, err = s.updateRecord(ctx, bad.ID, []byte(tc.better), always{})
				require.NoError(t, err)
				_, err = s.resumeChange(ctx, module.ID, row.ID)
				require.NoError(t, err)
				require.NoError(t, s.applyRecords(ctx, changeRecords{Change: row.ID}))
				row, err = s.repo.fieldChange(ctx, module.ID, row.ID)
				require.NoError(t, err)
				require.Equal(t, changeApplied, row.State, row.Problem)
				_, err = s.createRecord(ctx, database.NewID(), module.ID, []byte(tc.bad))
				require.ErrorIs(t, err, tc.refusal)
			})
		})
	}
}

func TestChange_IsCancelledAndResumedTwice(t *testing.T) {
	t.Parallel()
	eachStill(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, newField{Key: "n", Type: "text", Unique: true, Indexed: true}, many(changeBatch+1, `{"n":"%d"}`)...)
		row := begun(ctx, t, s, module.ID, f.ID, changeSpec{Change: changeType, Type: "integer"}, changeDecision{})
		_, err := s.addField(ctx, module.ID, newField{Key: "more", Type: "text"})
		require.ErrorIs(t, err, errChangeRunning)
		for range 2 {
			_, err := s.applySome(ctx, row.ID)
			require.NoError(t, err)
			row, err = s.cancelChange(ctx, module.ID, row.ID)
			require.NoError(t, err)
			require.Equal(t, changeCancelled, row.State)
			left, err := s.applySome(ctx, row.ID)
			require.NoError(t, err)
			require.Equal(t, overAlready, left)
			_, err = s.updateRecord(ctx, ids[0], []byte(`{"n":"x"}`), always{})
			require.NoError(t, err)
			_, err = s.updateRecord(ctx, ids[0], []byte(`{"n":"0"}`), always{})
			require.NoError(t, err)
			silent(ctx, t, s)
			row, err = s.resumeChange(ctx, module.ID, row.ID)
			require.NoError(t, err)
		}
		require.NoError(t, s.applyRecords(ctx, changeRecords{Change: row.ID}))
		require.JSONEq(t, `{"n":0}`, payloadOf(ctx, t, s, ids[0], 0))
		require.JSONEq(t, `{"n":"0"}`, payloadOf(ctx, t, s, ids[0], 1))
		_, err = s.cancelChange(ctx, module.ID, row.ID)
		require.ErrorIs(t, err, errChangeState)
		_, err = s.createRecord(ctx, database.NewID(), module.ID, []byte(`{"n":7}`))
		require.ErrorIs(t, err, errValueTaken)
		silent(ctx, t, s)
	})
}

func TestChange_OfAPlanThatIsStaleIsRefused(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, _ := parts(ctx, t, s, newField{Key: "n", Type: "text"}, `{"n":"1"}`)
		plan, err := s.planChange(ctx, module.ID, f.ID, changeSpec{Change: changeType, Type: "integer"})
		require.NoError(t, err)
		_, err = s.changeField(ctx, module.ID, f.ID, always{}, fieldChanges{help: new("A number")})
		require.NoError(t, err)
		_, err = s.applyChange(ctx, module.ID, f.ID, plan.ID, changeDecision{})
		require.ErrorIs(t, err, errChangeStale)
		other, _, _ := parts(ctx, t, s, newField{Key: "n", Type: "text"})
		_, err = s.applyChange(ctx, other.ID, f.ID, plan.ID, changeDecision{})
		require.ErrorIs(t, err, errChangeNotFound)
	})
}

func TestChange_ARestoredRecordIsConvertedWhenItComesBack(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, f, ids := parts(ctx, t, s, newField{Key: "n", Type: "text", Indexed: true}, `{"n":"1"}`, `{"n":"x"}`)
		for _, id := range ids {
			require.NoError(t, s.deleteRecord(ctx, id, always{}))
		}
		row := changed(ctx, t, s, module.ID, f.ID, changeSpec{Change: changeType, Type: "integer"}, changeDecision{})
		require.Equal(t, changeApplied, row.State)
		row = changed(ctx, t, s, module.ID, *row.IncomingID, changeSpec{Change: changeType, Type: "decimal"}, changeDecision{})
		require.Equal(t, changeApplied, row.State)
		_, err := s.restoreRecord(ctx, ids[0], always{})
		require.NoError(t, err)
		require.JSONEq(t, `{"n":"1.00"}`, payloadOf(ctx, t, s, ids[0], 0))
		require.JSONEq(t, `{"n":"1"}`, payloadOf(ctx, t, s, ids[0], 1))
		lost, err := s.restoreRecord(ctx, ids[1], always{})
		require.NoError(t, err)
		require.Equal(t, map[string][]string{"payload.n": {"The n of then must be a whole number."}}, lost.warnings)
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
		module, f, _ := parts(ctx, t, s, newField{Key: "n", Type: "text", Unique: true, Indexed: true}, many(300, `{"n":"9%d"}`)...)
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
					made, failed := s.createRecord(ctx, database.NewID(), module.ID, []byte(text))
					if err = failed; err == nil {
						mine = append(mine, made.ID)
					}
				} else {
					_, err = s.updateRecord(ctx, mine[n%mostMade], []byte(text), always{})
				}
				if err == nil {
					written.Add(1)
				}
				if err == nil && n%3 == 0 && len(mine) > 0 {
					_, err = s.updateRecord(ctx, mine[n%len(mine)], []byte(`{"note":"x"}`), always{})
				}
				if err == nil && n%5 == 0 && len(mine) > 0 {
					err = s.deleteRecord(ctx, mine[0], always{})
				}
				if err == nil && n%7 == 0 && len(mine) > 0 {
					_, err = s.restoreRecord(ctx, mine[0], always{})
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
				spec := changeSpec{Change: changeType, Type: []typeName{"integer", "text"}[n%2]}
				plan, err := s.planChange(ctx, module.ID, f.ID, spec)
				if err != nil {
					return err
				}
				row, err := s.applyChange(ctx, module.ID, f.ID, plan.ID, changeDecision{})
				for err == nil && row.State == changeApplying {
					time.Sleep(5 * time.Millisecond) //nolint:forbidigo // it is waited for a condition
					row, err = s.repo.fieldChange(ctx, module.ID, row.ID)
				}
				if err != nil || row.State != changeApplied {
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
