package custommodules

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/verify"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// silent requires that verify finds nothing, once the jobs have run that are on their way.
func silent(ctx context.Context, t *testing.T, s *service) {
	t.Helper()
	var found []verify.Finding
	sound := func() bool {
		found = nil
		_, err := s.verifier.Verify(ctx, principal.CompanyOf(ctx), func(f verify.Finding) { found = append(found, f) })

		return err == nil && len(found) == 0
	}
	if !sound() {
		require.Eventuallyf(t, sound, time.Minute, 20*time.Millisecond, "%v", &found)
	}
}

// together runs work n times at once and returns the errors.
func together(n int, work func(i int) error) []error {
	failures := make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			failures[i] = work(i)
		})
	}
	close(start)
	all.Wait()

	return failures
}

// expected requires that an error, if there is one, is an answer and no failure of the service.
func expected(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		_, answer := errors.AsType[*errs.Error](err)
		require.Truef(t, answer, "%v", err)
	}
}

func TestUnique_ManyUpsertsOfAValueMakeOneRecord(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: []definition.NewField{
			{Key: "code", Type: "text", Unique: true}, {Key: "size", Type: "integer", Indexed: true},
		}})
		require.NoError(t, err)
		const writers = 32
		for _, err := range together(writers, func(i int) error {
			var items []bulk.Item
			for k := range 3 {
				items = append(items, bulk.Item{Do: bulk.Upsert, By: "code", Payload: fmt.Appendf(nil, `{"code":"c%d","size":%d}`, k, i)})
			}
			_, err := s.bulk(ctx, module.ID, items, i%4 < 2)

			return err
		}) {
			require.NoError(t, err)
		}
		var rows []definition.RecordRow
		require.NoError(t, s.db.Conn(ctx).Select(store.RecordColumns).Where("module_id = ?", module.ID).Find(&rows).Error)
		require.Len(t, rows, 3)
		for _, row := range rows {
			require.LessOrEqual(t, row.Version, int64(writers))
		}
		silent(ctx, t, s)
	})
}

func TestBulk_IsTriedAgainAsAWholeAfterADeadlock(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		if s.db.Dialect() == database.SQLite {
			return // one transaction writes at a time
		}
		module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: []definition.NewField{{Key: "code", Type: "text", Unique: true}}})
		require.NoError(t, err)
		for _, atomic := range []bool{true, false} {
			code := func(k int) bulk.Item {
				return bulk.Item{Do: bulk.Upsert, By: "code", Payload: fmt.Appendf(nil, `{"code":"%t %d"}`, atomic, k)}
			}
			outcome := make(chan error, 1)
			require.NoError(t, s.db.InTx(ctx, func(tx context.Context) error {
				// Who waits for long enough looks for a deadlock, and gives way: it is not to be this one.
				if err := s.db.Raw(tx, "a setting").Exec("SET LOCAL deadlock_timeout = '1h'").Error; err != nil {
					return err
				}
				if _, err := s.bulk(tx, module.ID, []bulk.Item{code(1)}, atomic); err != nil {
					return err
				}
				go func() {
					outcomes, err := s.bulk(ctx, module.ID, []bulk.Item{code(2), code(1), code(3)}, atomic)
					for _, one := range outcomes {
						err = errors.Join(err, one.Err)
					}
					outcome <- err
				}()
				waiting(ctx, t, s)
				_, err := s.bulk(tx, module.ID, []bulk.Item{code(2)}, atomic)

				return err
			}))
			require.NoError(t, <-outcome)
		}
		silent(ctx, t, s)
	})
}

func TestDefinition_ChangesUnderLoadAndNoValueIsInAWrongSlot(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		parts := []definition.NewField{
			{Key: "a", Type: "integer", Indexed: true}, {Key: "b", Type: "text", Unique: true}, {Key: "c", Type: "integer"},
		}
		s.underLoad(ctx, t, modeling.NewModule{Name: "Parts", Fields: parts})
	})
}

// The same where the slots are taken, but for one that comes and goes: a field is beside the records, in one
// of them, or nowhere.
func TestDefinition_ChangesUnderLoadAndNoValueStaysInAWrongIndex(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		spec := modeling.NewModule{Name: "Parts", Fields: []definition.NewField{
			{Key: "a", Type: "integer", Indexed: true}, {Key: "b", Type: "text", Unique: true}, {Key: "c", Type: "integer"},
		}}
		for _, f := range fillers() {
			if f.Key != "filler_numeric_1" {
				spec.Fields = append(spec.Fields, f)
			}
		}
		module := s.underLoad(ctx, t, spec)
		fields, err := s.repo.FieldsOf(ctx, module)
		require.NoError(t, err)
		kept := []uuid.UUID{uuid.Nil}
		for _, f := range fields {
			if f.Overflows() {
				kept = append(kept, f.ID)
			}
		}
		require.Eventually(t, func() bool { // also of fields that are deleted
			var left int64

			return s.db.Conn(ctx).Model(&store.IndexRow{}).Where("field_id NOT IN ?", kept).Count(&left).Error == nil && left == 0
		}, time.Minute, 20*time.Millisecond)
	})
}

// underLoad changes a module with the fields a, b and c while many write its records, and wants all to agree
// in the end.
func (s *service) underLoad(ctx context.Context, t *testing.T, spec modeling.NewModule) uuid.UUID {
	t.Helper()
	const writers, changes = 16, 24
	module, _, err := s.modeling.CreateModule(ctx, spec)
	require.NoError(t, err)
	var ended atomic.Bool
	var written atomic.Int64
	write := func(i int) error {
		var mine []uuid.UUID
		for n := 0; !ended.Load() || n < 3; n++ {
			payload := fmt.Appendf(nil, `{"a":%d,"c":%d,"b":"%d %d"}`, n, -n, i, n)
			made, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, payload)
			if err == nil {
				mine = append(mine, made.ID)
				written.Add(1)
			}
			if err == nil && n%2 == 1 {
				_, err = s.records.UpdateRecord(ctx, mine[n%len(mine)], fmt.Appendf(nil, `{"a":%d,"c":%d}`, n+1, n), records.Always{})
			}
			if err == nil && n%4 == 2 {
				err = s.records.DeleteRecord(ctx, mine[0], records.Always{})
			}
			if err == nil && n%8 == 6 {
				_, err = s.records.RestoreRecord(ctx, mine[0], records.Always{})
			}
			if _, answer := errors.AsType[*errs.Error](err); err != nil && !answer {
				return err
			}
		}

		return nil
	}
	change := func() error {
		defer ended.Store(true)

		return s.changeUnderLoad(ctx, module.ID, changes, &written)
	}
	for _, err := range together(writers+1, func(i int) error {
		if i == writers {
			return change()
		}

		return write(i)
	}) {
		require.NoError(t, err)
	}
	require.Positive(t, written.Load())
	silent(ctx, t, s)
	fields, err := s.repo.FieldsOf(ctx, module.ID)
	require.NoError(t, err)
	for _, f := range fields {
		require.Eventually(t, func() bool {
			now, err := s.repo.Field(ctx, module.ID, f.ID)

			return err == nil && now.IndexState() != definition.IndexBuilding
		}, time.Minute, 20*time.Millisecond)
	}
	silent(ctx, t, s)

	return module.ID
}

// changeUnderLoad changes the fields of a module, each time when a few more records have been written.
func (s *service) changeUnderLoad(ctx context.Context, module uuid.UUID, changes int, written *atomic.Int64) error {
	fields, err := s.repo.FieldsOf(ctx, module)
	if err != nil {
		return err
	}
	a, c := fields[0], fields[2]
	var extra definition.FieldRow
	for n := range changes {
		for before := written.Load(); written.Load() < before+4; { // the writers go on in any case
			if ctx.Err() != nil {
				return ctx.Err()
			}
			runtime.Gosched()
		}
		switch n % 6 {
		case 0: // its slot is free for another one
			_, err = s.modeling.ChangeField(ctx, module, a.ID, records.Always{}, modeling.FieldChanges{Indexed: new(false)})
		case 1:
			_, err = s.modeling.ChangeField(ctx, module, c.ID, records.Always{}, modeling.FieldChanges{Indexed: new(true)})
		case 2:
			extra, err = s.modeling.AddField(ctx, module, definition.NewField{Key: "e" + strconv.Itoa(n), Type: "integer", Indexed: true, Unique: n%12 == 2, Default: []byte("7")})
			if n%12 == 2 { // a unique default is taken at once
				err = errors.Join(err, s.modeling.DeleteField(ctx, module, extra.ID, records.Always{}))
			}
		case 3:
			_, err = s.modeling.ChangeField(ctx, module, a.ID, records.Always{}, modeling.FieldChanges{Indexed: new(true)})
		case 4:
			_, err = s.modeling.ChangeField(ctx, module, c.ID, records.Always{}, modeling.FieldChanges{Indexed: new(false)})
		case 5:
			if n%12 != 5 {
				err = s.modeling.DeleteField(ctx, module, extra.ID, records.Always{})
			}
		}
		if err != nil {
			return fmt.Errorf("change %d: %w", n, err)
		}
	}

	return nil
}

// pointedAt makes a module, and one whose records point at its records.
func pointedAt(ctx context.Context, t *testing.T, s *service, way definition.OnDelete) (targets, pointers definition.ModuleRow) {
	t.Helper()
	targets, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Targets", Fields: []definition.NewField{{Key: "name", Type: "text"}}})
	require.NoError(t, err)
	options := fmt.Sprintf(`{"module_uuid":"%s","on_delete":"%s"}`, targets.ID, way)
	pointers, _, err = s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Pointers", Fields: []definition.NewField{
		{Key: "one", Type: "reference", Options: []byte(options)}, {Key: "two", Type: "reference", Options: []byte(options)},
	}})
	require.NoError(t, err)

	return targets, pointers
}

func TestDelete_LeavesNoReferenceBehindWhileOthersComeToRefer(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		for _, way := range []definition.OnDelete{definition.Cascade, definition.SetNull, definition.Restrict} {
			targets, pointers := pointedAt(ctx, t, s, way)
			for range 3 {
				target, err := s.records.CreateRecord(ctx, database.NewID(), targets.ID, []byte(`{"name":"x"}`))
				require.NoError(t, err)
				free, err := s.records.CreateRecord(ctx, database.NewID(), pointers.ID, []byte(`{}`))
				require.NoError(t, err)
				at := fmt.Sprintf(`{"one":{"record_uuid":"%s"}}`, target.ID)
				for _, err := range together(9, func(i int) error {
					switch i {
					case 4:
						return s.records.DeleteRecord(ctx, target.ID, records.Always{})
					case 5:
						_, err := s.records.UpdateRecord(ctx, free.ID, []byte(at), records.Always{})

						return err
					}
					_, err := s.records.CreateRecord(ctx, database.NewID(), pointers.ID, []byte(at))

					return err
				}) {
					expected(t, err)
				}
			}
			silent(ctx, t, s)
			require.NoError(t, s.modeling.DeleteModule(ctx, pointers.ID, records.Always{}))
			require.NoError(t, s.modeling.DeleteModule(ctx, targets.ID, records.Always{}))
		}
	})
}

// A reference is stored between the look at who refers to a record and the end of its deletion, and the
// other way round: nobody needs luck.
func TestDelete_WaitsForAReferenceThatIsBeingMade(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		if s.db.Dialect() == database.SQLite {
			return // one transaction writes at a time
		}
		targets, pointers := pointedAt(ctx, t, s, definition.Restrict)
		target, err := s.records.CreateRecord(ctx, database.NewID(), targets.ID, []byte(`{"name":"x"}`))
		require.NoError(t, err)
		at := fmt.Appendf(nil, `{"one":{"record_uuid":"%s"}}`, target.ID)
		outcome := make(chan error, 1)

		require.NoError(t, s.db.InTx(ctx, func(tx context.Context) error {
			if _, err := s.records.CreateRecord(tx, database.NewID(), pointers.ID, at); err != nil {
				return err
			}
			go func() { outcome <- s.records.DeleteRecord(ctx, target.ID, records.Always{}) }()
			waiting(ctx, t, s)

			return nil
		}))
		require.ErrorIs(t, <-outcome, definition.ErrRecordInUse)

		other, err := s.records.CreateRecord(ctx, database.NewID(), targets.ID, []byte(`{"name":"x"}`))
		require.NoError(t, err)
		at = fmt.Appendf(nil, `{"one":{"record_uuid":"%s"}}`, other.ID)
		require.NoError(t, s.db.InTx(ctx, func(tx context.Context) error {
			if err := s.records.DeleteRecord(tx, other.ID, records.Always{}); err != nil {
				return err
			}
			go func() {
				_, err := s.records.CreateRecord(ctx, database.NewID(), pointers.ID, at)
				outcome <- err
			}()
			waiting(ctx, t, s)

			return nil
		}))
		require.ErrorIs(t, <-outcome, definition.ErrInvalidPayload)
		silent(ctx, t, s)
	})
}

// waiting returns when some transaction waits for another.
func waiting(ctx context.Context, t *testing.T, s *service) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waits int
		err := s.db.SQL().QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waits)

		return err == nil && waits > 0
	}, time.Minute, time.Millisecond)
}

func TestIndex_WaitsForWhoWritesByTheDefinitionBefore(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		if s.db.Dialect() == database.SQLite {
			return // one transaction writes at a time
		}
		module, fields, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: []definition.NewField{
			{Key: "a", Type: "integer"}, {Key: "b", Type: "text", Unique: true},
		}})
		require.NoError(t, err)
		require.NoError(t, s.db.InTx(ctx, func(tx context.Context) error {
			if _, err := s.records.CreateRecord(tx, database.NewID(), module.ID, []byte(`{"a":1,"b":"x"}`)); err != nil {
				return err
			}
			changed, err := s.modeling.ChangeField(ctx, module.ID, fields[0].ID, records.Always{}, modeling.FieldChanges{Indexed: new(true)})
			if err != nil {
				return err
			}
			soon, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
			defer cancel()
			err = s.modeling.Build(soon, modeling.BuildIndex{Module: module.ID, Field: changed.ID, Since: *changed.SlotSince})
			require.ErrorIs(t, err, context.DeadlineExceeded)

			return s.modeling.DeleteField(ctx, module.ID, fields[1].ID, records.Always{})
		}))
		require.Eventually(t, func() bool {
			now, err := s.repo.Field(ctx, module.ID, fields[0].ID)

			return err == nil && now.SlotReady
		}, time.Minute, 20*time.Millisecond)
		silent(ctx, t, s)
	})
}

func TestDelete_CascadesInOppositeOrderDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		targets, pointers := pointedAt(ctx, t, s, definition.Cascade)
		for range 2 {
			var ends [2]uuid.UUID
			for i := range ends {
				made, err := s.records.CreateRecord(ctx, database.NewID(), targets.ID, []byte(`{}`))
				require.NoError(t, err)
				ends[i] = made.ID
			}
			for i := range 4 { // each waits for records that the other has, in the order of the fields
				_, err := s.records.CreateRecord(ctx, database.NewID(), pointers.ID, fmt.Appendf(nil,
					`{"one":{"record_uuid":"%s"},"two":{"record_uuid":"%s"}}`, ends[i%2], ends[1-i%2]))
				require.NoError(t, err)
			}
			for _, err := range together(2, func(i int) error { return s.records.DeleteRecord(ctx, ends[i], records.Always{}) }) {
				require.NoError(t, err)
			}
			var left int64
			require.NoError(t, s.db.Conn(ctx).Model(&definition.RecordRow{}).Where("deleted_at IS NULL").Count(&left).Error)
			require.Zero(t, left)
		}
		silent(ctx, t, s)
	})
}

func TestRestore_OfAModuleGoesOnWithItsIndexes(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, fields, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: []definition.NewField{{Key: "a", Type: "integer"}}})
		require.NoError(t, err)
		_, err = s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{"a":1}`))
		require.NoError(t, err)
		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error { // the job finds no module
			_, err := s.modeling.ChangeField(ctx, module.ID, fields[0].ID, records.Always{}, modeling.FieldChanges{Indexed: new(true)})
			if err != nil {
				return err
			}

			return s.modeling.DeleteModule(ctx, module.ID, records.Always{})
		}))
		require.NoError(t, s.modeling.Build(ctx, modeling.BuildIndex{Module: module.ID, Field: fields[0].ID, Since: 2}))
		_, _, err = s.modeling.RestoreModule(ctx, module.ID)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			now, err := s.repo.Field(ctx, module.ID, fields[0].ID)

			return err == nil && now.SlotReady
		}, time.Minute, 20*time.Millisecond)
		silent(ctx, t, s)
	})
}

func TestDelete_GoesByWhatFieldsSayAtPresent(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		targets, pointers := pointedAt(ctx, t, s, definition.Restrict)
		target, err := s.records.CreateRecord(ctx, database.NewID(), targets.ID, []byte(`{}`))
		require.NoError(t, err)
		_, err = s.records.CreateRecord(ctx, database.NewID(), pointers.ID, fmt.Appendf(nil, `{"one":{"record_uuid":"%s"}}`, target.ID))
		require.NoError(t, err)
		fields, err := s.repo.FieldsOf(ctx, pointers.ID)
		require.NoError(t, err)
		_, err = s.modeling.ChangeField(ctx, pointers.ID, fields[0].ID, records.Always{}, modeling.FieldChanges{Options: []byte(`{"on_delete":"cascade"}`)})
		require.NoError(t, err)
		require.NoError(t, s.records.DeleteRecord(ctx, target.ID, records.Always{}), "what is in memory says restrict")

		other, err := s.records.CreateRecord(ctx, database.NewID(), targets.ID, []byte(`{}`))
		require.NoError(t, err)
		_, err = s.records.CreateRecord(ctx, database.NewID(), pointers.ID, fmt.Appendf(nil, `{"one":{"record_uuid":"%s"}}`, other.ID))
		require.NoError(t, err)
		require.NoError(t, s.modeling.DeleteModule(ctx, pointers.ID, records.Always{}))
		require.NoError(t, s.records.DeleteRecord(ctx, other.ID, records.Always{}), "nobody sees the one that refers to it")
	})
}
