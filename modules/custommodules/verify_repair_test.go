package custommodules

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/verify"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// shelf makes a module whose records are found by their title, with three of them.
func shelf(ctx context.Context, t *testing.T, s *service) (module definition.ModuleRow, fields []definition.FieldRow, shelved []records.Stored) {
	t.Helper()
	module, fields, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Shelf", Fields: []definition.NewField{
		{Key: "title", Type: "text", Searchable: true}, {Key: "note", Type: "text"}, {Key: "place", Type: "text"},
	}})
	require.NoError(t, err)
	for i := range 3 {
		made, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, fmt.Appendf(nil, `{"title":"Blue Ridge %d","note":"Green"}`, i))
		require.NoError(t, err)
		shelved = append(shelved, made)
	}

	return module, fields, shelved
}

// findings returns what verify or repair finds, as kinds.
func findings(ctx context.Context, t *testing.T, run func(context.Context, uuid.UUID, func(verify.Finding)) (int64, error)) (kinds []verify.FindingKind) {
	t.Helper()
	_, err := run(ctx, principal.CompanyOf(ctx), func(f verify.Finding) { kinds = append(kinds, f.Kind) })
	require.NoError(t, err)

	return kinds
}

func TestRepair_MendsCountsAndWords(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, made := shelf(ctx, t, s)
		require.NoError(t, s.records.DeleteRecord(ctx, made[2].ID, records.Always{}))
		require.Empty(t, findings(ctx, t, s.verifier.Verify))
		other := "'" + definition.SearchMark(module.ID) + "extra'"
		for _, tc := range []struct {
			damage string
			args   []any
			kind   verify.FindingKind
		}{
			{"DELETE FROM custom_modules_search WHERE record_id = ?", []any{made[0].ID}, verify.WrongWords},
			{"UPDATE custom_modules_search SET words = " + other + " WHERE record_id = ?", []any{made[1].ID}, verify.WrongWords},
			{
				`INSERT INTO custom_modules_search (company_id, module_id, record_id, words) VALUES (?, ?, ?, ` + other + `)`,
				[]any{principal.CompanyOf(ctx), module.ID, made[2].ID},
				verify.WrongWords,
			},
			{"UPDATE custom_modules_usage SET records = records + 7 WHERE module_id = ?", []any{module.ID}, verify.WrongUsage},
			{"DELETE FROM custom_modules_usage WHERE module_id = ?", []any{module.ID}, verify.WrongUsage},
			{
				"INSERT INTO custom_modules_usage (company_id, module_id, shard, records) VALUES (?, ?, 3, 9)",
				[]any{principal.CompanyOf(ctx), uuid.New()},
				verify.WrongUsage,
			},
		} {
			require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error { return s.db.Raw(ctx, "damage").Exec(tc.damage, tc.args...).Error }))
			require.Containsf(t, findings(ctx, t, s.verifier.Verify), tc.kind, "%s", tc.damage)
			require.Containsf(t, findings(ctx, t, s.verifier.Repair), tc.kind, "%s", tc.damage)
			require.Emptyf(t, findings(ctx, t, s.verifier.Verify), "%s", tc.damage)
		}
		used, err := s.repo.Usage(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 2, used)
	})
}

func TestRepair_OfCountsDoesNotMindWhoWritesMeanwhile(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, _ := shelf(ctx, t, s)
		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
			return s.db.Raw(ctx, "damage").Exec("UPDATE custom_modules_usage SET records = records - 5 WHERE module_id = ?", module.ID).Error
		}))
		const writers, repairers = 6, 3
		for _, err := range together(writers+repairers, func(i int) error {
			if i < repairers {
				_, err := s.verifier.Repair(ctx, principal.CompanyOf(ctx), func(verify.Finding) {})

				return err
			}
			for n := range 20 {
				made, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, fmt.Appendf(nil, `{"title":"%d %d"}`, i, n))
				if err == nil && n%3 == 0 {
					err = s.records.DeleteRecord(ctx, made.ID, records.Always{})
				}
				if err != nil {
					return err
				}
			}

			return nil
		}) {
			require.NoError(t, err)
		}
		require.Empty(t, findings(ctx, t, s.verifier.Verify))
	})
}

func TestSearch_FindsARecordThatIsChangedWhileItsWordsAreIndexed(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, fields, made := shelf(ctx, t, s)
		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error { // the job comes later
			if _, err := s.modeling.ChangeField(ctx, module.ID, fields[1].ID, records.Always{}, modeling.FieldChanges{Searchable: new(true)}); err != nil {
				return err
			}
			_, err := s.records.UpdateRecord(ctx, made[0].ID, []byte(`{"place":"A"}`), records.Always{})

			return err
		}))
		silent(ctx, t, s)
		ids, err := s.repo.Matching(ctx, module.ID, definition.SearchWords("green"), 10)
		require.NoError(t, err)
		require.Contains(t, ids, made[0].ID)

		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
			for _, f := range fields[:2] {
				if _, err := s.modeling.ChangeField(ctx, module.ID, f.ID, records.Always{}, modeling.FieldChanges{Searchable: new(false)}); err != nil {
					return err
				}
			}
			_, err := s.records.UpdateRecord(ctx, made[0].ID, []byte(`{"place":"B"}`), records.Always{})

			return err
		}))
		silent(ctx, t, s)
		ids, err = s.repo.Matching(ctx, module.ID, definition.SearchWords("green"), 10)
		require.NoError(t, err)
		require.NotContains(t, ids, made[0].ID)
	})
}

func TestVerifyCommand_RepairsAndSucceeds(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, _ := shelf(ctx, t, s)
		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
			return s.db.Raw(ctx, "damage").Exec("DELETE FROM custom_modules_usage WHERE module_id = ?", module.ID).Error
		}))
		var out bytes.Buffer
		require.ErrorIs(t, s.verifier.VerifyCommand(ctx, &out, nil), verify.ErrRecordsWrong)
		want := fmt.Sprintf("usage: company %s module %s: The module is counted with 0 records and has 3.", principal.CompanyOf(ctx), module.ID)
		require.Equal(t, want+"\n3 records, 1 findings\n", out.String())
		out.Reset()
		require.NoError(t, s.verifier.VerifyCommand(ctx, &out, []string{"--repair=true"}))
		require.Equal(t, want+" Mended.\n3 records, 1 findings, 1 repaired\n", out.String())
	})
}
