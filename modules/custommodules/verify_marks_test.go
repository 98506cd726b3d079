package custommodules

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestVerify_FindsMarksThatNoJobHasSeenToAndRepairComputesThem(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, err := s.createModule(ctx, newModule{Name: "Parents"})
		require.NoError(t, err)
		there, err := s.createRecord(ctx, database.NewID(), module.ID, []byte(`{}`))
		require.NoError(t, err)
		deleted, err := s.createRecord(ctx, database.NewID(), module.ID, []byte(`{}`))
		require.NoError(t, err)
		require.NoError(t, s.deleteRecord(ctx, deleted.ID, always{}))
		mark := func(record, id uuid.UUID) {
			require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
				return s.db.Raw(ctx, "damage").Exec("INSERT INTO custom_modules_rollup_marks (company_id, id, record_id, reference_id) VALUES (?, ?, ?, ?)",
					principal.CompanyOf(ctx), id, record, uuid.New()).Error
			}))
		}
		mark(there.ID, database.NewID())
		require.Empty(t, findings(ctx, t, s.verify), "its job is about to come")

		old := s.clock.Now().Add(-time.Hour)
		for i, record := range []uuid.UUID{there.ID, deleted.ID, uuid.New()} {
			mark(record, database.FirstID(old.Add(time.Duration(i)*time.Second)))
		}
		require.Equal(t, []findingKind{wrongMark, wrongMark, wrongMark}, findings(ctx, t, s.verify))
		require.Equal(t, []findingKind{wrongMark, wrongMark, wrongMark}, findings(ctx, t, s.repair))
		require.Empty(t, findings(ctx, t, s.verify))
	})
}
