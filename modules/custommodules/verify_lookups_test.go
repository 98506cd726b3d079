package custommodules

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

func TestVerify_LooksUpAnewAndPassesOverWhatIsStale(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		dealers, _, err := s.createModule(ctx, newModule{Name: "Dealers", Fields: []newField{{Key: "name", Type: "text"}}})
		require.NoError(t, err)
		lots, fields, err := s.createModule(ctx, newModule{Name: "Lots", Fields: []newField{
			{Key: "dealer", Type: "reference", Options: rawjson.Object(`{"module_uuid":"` + dealers.ID.String() + `"}`)},
			{Key: "who", Type: "lookup", Options: rawjson.Object(`{"reference":"dealer","field":"name"}`)},
		}})
		require.NoError(t, err)
		dealer, err := s.createRecord(ctx, uuid.New(), dealers.ID, []byte(`{"name":"Ann"}`))
		require.NoError(t, err)
		lot, err := s.createRecord(ctx, uuid.New(), lots.ID, []byte(`{"dealer":{"record_uuid":"`+dealer.ID.String()+`"}}`))
		require.NoError(t, err)
		found := func() (all []findingKind) {
			_, err := s.verify(ctx, principal.CompanyOf(ctx), func(f finding) { all = append(all, f.Kind) })
			require.NoError(t, err)

			return all
		}
		require.Empty(t, found())
		_, err = s.updateRecord(ctx, dealer.ID, []byte(`{"name":"Anna"}`), always{})
		require.NoError(t, err)
		require.Empty(t, found(), "stale or computed, it is in order")
		require.Eventually(t, func() bool {
			fresh, err := s.repo.freshness(ctx, []uuid.UUID{lot.ID}, fields[1].ID)

			return err == nil && !fresh[lot.ID].Stale
		}, 20*time.Second, 5*time.Millisecond)
		require.Empty(t, found())

		plant := func() {
			require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
				row, err := s.repo.held(ctx, lot.ID, false)
				if err != nil {
					return err
				}

				return s.repo.setRolled(ctx, row, []byte(`{"1":{"record_uuid":"`+dealer.ID.String()+`"},"2":"Zoe"}`), s.clock.Now())
			}))
		}
		require.Eventually(t, func() bool { // a second job that has read the same marks may compute it once more
			plant()

			return slices.Equal(found(), []findingKind{wrongLookup})
		}, 20*time.Second, 5*time.Millisecond)
		require.NoError(t, s.rollUpRecord(ctx, staleRecord{record: lot.ID, references: []uuid.UUID{fields[0].ID}}))
		require.Empty(t, found())
	})
}
