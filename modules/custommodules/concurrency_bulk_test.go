package custommodules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
)

func TestBulk_UpsertsInOppositeOrderAllSucceed(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: []definition.NewField{
			{Key: "code", Type: "text", Unique: true}, {Key: "size", Type: "integer"},
		}})
		require.NoError(t, err)
		const writers, rounds, keys = 4, 4, 20
		for _, err := range together(writers, func(i int) error {
			var failures []error
			for round := range rounds { // the first makes the records, the others change them
				var items []bulk.Item
				for k := range keys {
					items = append(items, bulk.Item{
						Do: bulk.Upsert, By: "code", Payload: fmt.Appendf(nil, `{"code":"c%d","size":%d}`, k, 100*i+round),
					})
				}
				if (i+round)%2 == 0 {
					slices.Reverse(items)
				}
				outcomes, err := s.bulk(ctx, module.ID, items, i%4 < 2)
				failures = append(failures, err)
				for _, one := range outcomes {
					failures = append(failures, one.Err)
				}
			}

			return errors.Join(failures...)
		}) {
			require.NoError(t, err)
		}
		var records int64
		require.NoError(t, s.db.Conn(ctx).Model(&definition.RecordRow{}).Where("module_id = ?", module.ID).Count(&records).Error)
		require.EqualValues(t, keys, records)
		silent(ctx, t, s)
	})
}

// Who is chosen as the victim may be chance: here nobody is.
func TestBulk_LocksRecordsThatAreThereInOneOrder(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		if s.db.Dialect() == database.SQLite {
			return // one transaction writes at a time
		}
		module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: []definition.NewField{{Key: "code", Type: "text", Unique: true}}})
		require.NoError(t, err)
		upsert := func(code string) bulk.Item {
			return bulk.Item{Do: bulk.Upsert, By: "code", Payload: fmt.Appendf(nil, `{"code":%q}`, code)}
		}
		both := []bulk.Item{upsert("a"), upsert("b")}
		_, err = s.bulk(ctx, module.ID, both, true)
		require.NoError(t, err)
		ahead := func(ctx context.Context, items []bulk.Item) error {
			return (&records.Batch{Service: s.records, Module: module.ID, Items: items}).LockAhead(ctx)
		}
		outcome, runs := make(chan error, 1), 0
		require.NoError(t, s.db.InTx(ctx, func(tx context.Context) error {
			if err := ahead(tx, both); err != nil {
				return err
			}
			go func() {
				outcome <- s.db.InTx(ctx, func(ctx context.Context) error {
					runs++

					return ahead(ctx, []bulk.Item{both[1], both[0]})
				})
			}()
			waiting(ctx, t, s)
			_, err := s.bulk(tx, module.ID, both, true)

			return err
		}))
		require.NoError(t, <-outcome)
		require.Equal(t, 1, runs)
	})
}
