package custommodules

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/verify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

func TestVerify_ComputesRollupsAnewAndPassesOverStaleOnes(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		parents, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parents"})
		require.NoError(t, err)
		children, fields, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Children", Fields: []definition.NewField{
			{Key: "parent", Type: "reference", Options: rawjson.Object(`{"module_uuid":"` + parents.ID.String() + `"}`)},
		}})
		require.NoError(t, err)
		_, err = s.modeling.AddField(ctx, parents.ID, definition.NewField{Key: "n", Type: "rollup", Options: rawjson.Object(
			`{"function":"count","module_uuid":"` + children.ID.String() + `","reference_uuid":"` + fields[0].ID.String() + `"}`)})
		require.NoError(t, err)
		parent, err := s.records.CreateRecord(ctx, uuid.New(), parents.ID, []byte(`{}`))
		require.NoError(t, err)
		_, err = s.records.CreateRecord(ctx, uuid.New(), children.ID, []byte(`{"parent":{"record_uuid":"`+parent.ID.String()+`"}}`))
		require.NoError(t, err)
		found := func() (all []verify.FindingKind) {
			_, err := s.verifier.Verify(ctx, principal.CompanyOf(ctx), func(f verify.Finding) { all = append(all, f.Kind) })
			require.NoError(t, err)

			return all
		}
		require.Empty(t, found(), "stale or computed, it is in order")
		require.Eventually(t, func() bool {
			fresh, err := s.repo.Freshness(ctx, []uuid.UUID{parent.ID})

			return err == nil && !fresh[parent.ID].Stale
		}, time.Minute, 5*time.Millisecond)
		require.Empty(t, found())

		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
			row, err := s.repo.LockRecord(ctx, parent.ID, false)
			if err != nil {
				return err
			}

			return s.repo.SetRolled(ctx, row, []byte(`{"1":7}`), s.clock.Now())
		}))
		require.Equal(t, []verify.FindingKind{verify.WrongRollup}, found())
		require.NoError(t, s.rollups.RollUpRecord(ctx, records.StaleRecord{Record: parent.ID, References: []uuid.UUID{fields[0].ID}}))
		require.Empty(t, found())
	})
}
