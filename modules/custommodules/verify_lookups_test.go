package custommodules

import (
	"context"
	"slices"
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

func TestVerify_LooksUpAnewAndPassesOverWhatIsStale(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		dealers, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Dealers", Fields: []definition.NewField{{Key: "name", Type: "text"}}})
		require.NoError(t, err)
		lots, fields, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Lots", Fields: []definition.NewField{
			{Key: "dealer", Type: "reference", Options: rawjson.Object(`{"module_uuid":"` + dealers.ID.String() + `"}`)},
			{Key: "who", Type: "lookup", Options: rawjson.Object(`{"reference":"dealer","field":"name"}`)},
		}})
		require.NoError(t, err)
		dealer, err := s.records.CreateRecord(ctx, uuid.New(), dealers.ID, []byte(`{"name":"Ann"}`))
		require.NoError(t, err)
		lot, err := s.records.CreateRecord(ctx, uuid.New(), lots.ID, []byte(`{"dealer":{"record_uuid":"`+dealer.ID.String()+`"}}`))
		require.NoError(t, err)
		found := func() (all []verify.FindingKind) {
			_, err := s.verifier.Verify(ctx, principal.CompanyOf(ctx), func(f verify.Finding) { all = append(all, f.Kind) })
			require.NoError(t, err)

			return all
		}
		require.Empty(t, found())
		_, err = s.records.UpdateRecord(ctx, dealer.ID, []byte(`{"name":"Anna"}`), records.Always{})
		require.NoError(t, err)
		require.Empty(t, found(), "stale or computed, it is in order")
		require.Eventually(t, func() bool {
			fresh, err := s.repo.Freshness(ctx, []uuid.UUID{lot.ID}, fields[1].ID)

			return err == nil && !fresh[lot.ID].Stale
		}, time.Minute, 5*time.Millisecond)
		require.Empty(t, found())

		plant := func() {
			require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
				row, err := s.repo.LockRecord(ctx, lot.ID, false)
				if err != nil {
					return err
				}

				return s.repo.SetRolled(ctx, row, []byte(`{"1":{"record_uuid":"`+dealer.ID.String()+`"},"2":"Zoe"}`), s.clock.Now())
			}))
		}
		require.Eventually(t, func() bool { // a second job that has read the same marks may compute it once more
			plant()

			return slices.Equal(found(), []verify.FindingKind{verify.WrongLookup})
		}, time.Minute, 5*time.Millisecond)
		require.NoError(t, s.rollups.RollUpRecord(ctx, records.StaleRecord{Record: lot.ID, References: []uuid.UUID{fields[0].ID}}))
		require.Empty(t, found())
	})
}
