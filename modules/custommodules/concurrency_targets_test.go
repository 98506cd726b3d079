package custommodules

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
)

// referringTo is the definition of a module whose records refer to those of another.
func referringTo(name string, target uuid.UUID) newModule {
	return newModule{Name: name, Fields: []newField{
		{Key: "target", Type: "reference", Options: fmt.Appendf(nil, `{"module_uuid":"%s"}`, target)},
	}}
}

func TestCreateModule_NeverRefersToAModuleThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		for round := range 4 {
			target, _, err := s.createModule(ctx, newModule{Name: fmt.Sprintf("Targets %d", round)})
			require.NoError(t, err)
			other, _, err := s.createModule(ctx, newModule{Name: fmt.Sprintf("Others %d", round)})
			require.NoError(t, err)
			referring := referringTo("", target.ID).Fields[0]
			failures := together(9, func(i int) error {
				switch i {
				case 4:
					return s.deleteModule(ctx, target.ID, always{})
				case 5:
					_, err := s.addField(ctx, other.ID, referring)

					return err
				default:
					_, _, err := s.createModule(ctx, referringTo(fmt.Sprintf("Pointers %d %d", round, i), target.ID))

					return err
				}
			})
			made := 0
			for i, err := range failures {
				expected(t, err)
				if i != 4 && err == nil {
					made++
				} else if i != 4 {
					require.ErrorIs(t, err, errInvalidDefinition)
				}
			}
			if made > 0 {
				require.ErrorIs(t, failures[4], errModuleInUse)
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
		target, _, err := s.createModule(ctx, newModule{Name: "Targets"})
		require.NoError(t, err)
		outcome := make(chan error, 1)
		require.NoError(t, s.db.InTx(ctx, func(tx context.Context) error {
			if _, _, err := s.createModule(tx, referringTo("Pointers", target.ID)); err != nil {
				return err
			}
			go func() { outcome <- s.deleteModule(ctx, target.ID, always{}) }()
			waiting(ctx, t, s)

			return nil
		}))
		require.ErrorIs(t, <-outcome, errModuleInUse)

		other, _, err := s.createModule(ctx, newModule{Name: "Other targets"})
		require.NoError(t, err)
		require.NoError(t, s.db.InTx(ctx, func(tx context.Context) error {
			if err := s.deleteModule(tx, other.ID, always{}); err != nil {
				return err
			}
			go func() {
				_, _, err := s.createModule(ctx, referringTo("Late pointers", other.ID))
				outcome <- err
			}()
			waiting(ctx, t, s)

			return nil
		}))
		require.ErrorIs(t, <-outcome, errInvalidDefinition)
	})
}
