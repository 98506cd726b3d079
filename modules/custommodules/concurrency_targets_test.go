package custommodules

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/database"
)

// referringTo is the definition of a module whose records refer to those of another.
func referringTo(name string, target uuid.UUID) modeling.NewModule {
	return modeling.NewModule{Name: name, Fields: []definition.NewField{
		{Key: "target", Type: "reference", Options: fmt.Appendf(nil, `{"module_uuid":"%s"}`, target)},
	}}
}

func TestCreateModule_NeverRefersToAModuleThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		for round := range 4 {
			target, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: fmt.Sprintf("Targets %d", round)})
			require.NoError(t, err)
			other, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: fmt.Sprintf("Others %d", round)})
			require.NoError(t, err)
			referring := referringTo("", target.ID).Fields[0]
			failures := together(9, func(i int) error {
				switch i {
				case 4:
					return s.modeling.DeleteModule(ctx, target.ID, records.Always{})
				case 5:
					_, err := s.modeling.AddField(ctx, other.ID, referring)

					return err
				default:
					_, _, err := s.modeling.CreateModule(ctx, referringTo(fmt.Sprintf("Pointers %d %d", round, i), target.ID))

					return err
				}
			})
			made := 0
			for i, err := range failures {
				expected(t, err)
				if i != 4 && err == nil {
					made++
				} else if i != 4 {
					require.ErrorIs(t, err, definition.ErrInvalidDefinition)
				}
			}
			if made > 0 {
				require.ErrorIs(t, failures[4], definition.ErrModuleInUse)
			} else {
				require.NoError(t, failures[4])
			}
		}
	})
}

func TestDeleteModule_WaitsForAReferenceThatIsBeingDefined(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		if s.db.Dialect() == database.SQLite {
			return // one transaction writes at a time
		}
		target, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Targets"})
		require.NoError(t, err)
		outcome := make(chan error, 1)
		require.NoError(t, s.db.InTx(ctx, func(tx context.Context) error {
			if _, _, err := s.modeling.CreateModule(tx, referringTo("Pointers", target.ID)); err != nil {
				return err
			}
			go func() { outcome <- s.modeling.DeleteModule(ctx, target.ID, records.Always{}) }()
			waiting(ctx, t, s)

			return nil
		}))
		require.ErrorIs(t, <-outcome, definition.ErrModuleInUse)

		other, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Other targets"})
		require.NoError(t, err)
		require.NoError(t, s.db.InTx(ctx, func(tx context.Context) error {
			if err := s.modeling.DeleteModule(tx, other.ID, records.Always{}); err != nil {
				return err
			}
			go func() {
				_, _, err := s.modeling.CreateModule(ctx, referringTo("Late pointers", other.ID))
				outcome <- err
			}()
			waiting(ctx, t, s)

			return nil
		}))
		require.ErrorIs(t, <-outcome, definition.ErrInvalidDefinition)
	})
}
