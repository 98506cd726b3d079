package custommodules

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

func TestVerify_ComputesRollupsAnewAndPassesOverStaleOnes(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		parents, _, err := s.createModule(ctx, newModule{Name: "Parents"})
		require.NoError(t, err)
		children, fields, err := s.createModule(ctx, newModule{Name: "Children", Fields: []newField{
			{Key: "parent", Type: "reference", Options: rawjson.Object(`{"module_uuid":"` + parents.ID.String() + `"}`)},
		}})
		require.NoError(t, err)
		_, err = s.addField(ctx, parents.ID, newField{Key: "n", Type: "rollup", Options: rawjson.Object(
			`{"function":"count","module_uuid":"` + children.ID.String() + `","reference_uuid":"` + fields[0].ID.String() + `"}`)})
		require.NoError(t, err)
		parent, err := s.createRecord(ctx, uuid.New(), parents.ID, []byte(`{}`))
		require.NoError(t, err)
		_, err = s.createRecord(ctx, uuid.New(), children.ID, []byte(`{"parent":{"record_uuid":"`+parent.ID.String()+`"}}`))
		require.NoError(t, err)
		found := func() (all []findingKind) {
			_, err := s.verify(ctx, principal.CompanyOf(ctx), func(f finding) { all = append(all, f.Kind) })
			require.NoError(t, err)

			return all
		}
		require.Empty(t, found(), "stale or computed, it is in order")
		require.Eventually(t, func() bool {
			fresh, err := s.repo.freshness(ctx, []uuid.UUID{parent.ID})

			return err == nil && !fresh[parent.ID].Stale
		}, 20*time.Second, 5*time.Millisecond)
		require.Empty(t, found())

		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
			row, err := s.repo.held(ctx, parent.ID, false)
			if err != nil {
				return err
			}

			return s.repo.setRolled(ctx, row, []byte(`{"1":7}`), s.clock.Now())
		}))
		require.Equal(t, []findingKind{wrongRollup}, found())
		require.NoError(t, s.rollUpRecord(ctx, staleRecord{record: parent.ID, references: []uuid.UUID{fields[0].ID}}))
		require.Empty(t, found())
	})
}
