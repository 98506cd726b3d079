package custommodules

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/verify"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestVerify_FindsMarksThatNoJobHasSeenToAndRepairComputesThem(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parents"})
		require.NoError(t, err)
		there, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{}`))
		require.NoError(t, err)
		deleted, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{}`))
		require.NoError(t, err)
		require.NoError(t, s.records.DeleteRecord(ctx, deleted.ID, records.Always{}))
		mark := func(record, id uuid.UUID) {
			require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
				return s.db.Raw(ctx, "damage").Exec("INSERT INTO custom_modules_rollup_marks (company_id, id, record_id, reference_id) VALUES (?, ?, ?, ?)",
					principal.CompanyOf(ctx), id, record, uuid.New()).Error
			}))
		}
		mark(there.ID, database.NewID())
		require.Empty(t, findings(ctx, t, s.verifier.Verify), "its job is about to come")

		old := s.clock.Now().Add(-time.Hour)
		for i, record := range []uuid.UUID{there.ID, deleted.ID, uuid.New()} {
			mark(record, database.FirstID(old.Add(time.Duration(i)*time.Second)))
		}
		require.Equal(t, []verify.FindingKind{verify.WrongMark, verify.WrongMark, verify.WrongMark}, findings(ctx, t, s.verifier.Verify))
		require.Equal(t, []verify.FindingKind{verify.WrongMark, verify.WrongMark, verify.WrongMark}, findings(ctx, t, s.verifier.Repair))
		require.Empty(t, findings(ctx, t, s.verifier.Verify))
	})
}
