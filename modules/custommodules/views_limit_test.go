package custommodules

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
)

func TestViews_StayWithinTheirLimitWhenManyAreSavedAtOnce(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, err := s.createModule(ctx, newModule{Name: "Loads"})
		require.NoError(t, err)
		row, err := s.createView(ctx, module.ID, newView{Name: "First", Shared: true})
		require.NoError(t, err)
		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
			for range mostViews - 2 {
				row.ID = database.NewID()
				if err := s.repo.insertView(ctx, row); err != nil {
					return err
				}
			}

			return nil
		}))
		results := make(chan error, 5)
		for range cap(results) {
			go func() {
				_, err := s.createView(ctx, module.ID, newView{Name: "One more", Shared: true})
				results <- err
			}()
		}
		made := 0
		for range cap(results) {
			if err := <-results; err == nil {
				made++
			} else {
				require.ErrorIs(t, err, errTooManyViews)
			}
		}
		require.Equal(t, 1, made)
	})
}
