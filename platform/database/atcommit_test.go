package database_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

// later leaves a thing to the end of the transaction in ctx.
func (f fixture) later(ctx context.Context, name string) error {
	row := thing{ID: database.NewID(), Name: name, At: new(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), Doc: database.JSON(`{"a": 1}`)}

	return f.AtCommit(ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&row) })
}

func TestAtCommit_WritesWithTheTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.later(ctx, "a"))
			require.NoError(t, f.InTx(ctx, func(ctx context.Context) error { return f.later(ctx, "joined") }))
			require.ErrorIs(t, f.Savepoint(ctx, func(ctx context.Context) error {
				require.NoError(t, f.later(ctx, "undone"))

				return errBoom
			}), errBoom)
			require.Empty(t, f.count(t, ctx), "nothing is there before the end")

			return f.later(ctx, "z")
		}))
		require.Equal(t, []string{"a", "joined", "z"}, f.names(t))
		var doc string
		require.NoError(t, f.Conn(f.ctx).Model(&thing{}).Where("name = ?", "a").Pluck("doc", &doc).Error)
		require.JSONEq(t, `{"a": 1}`, doc)

		require.ErrorIs(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.later(ctx, "never"))

			return errBoom
		}), errBoom)
		require.Error(t, f.later(f.ctx, "outside"))
		require.Len(t, f.names(t), 3)
	})
}

func TestAtCommit_FailsTheTransactionAsAWhole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		err := f.InTx(f.ctx, func(ctx context.Context) error {
			first := thing{ID: uuid.New(), Name: "at once"}
			if err := f.Conn(ctx).Create(&first).Error; err != nil {
				return err
			}
			require.NoError(t, f.later(ctx, "b"))
			require.NoError(t, f.later(ctx, "b"))

			return f.later(ctx, "c")
		})
		require.ErrorIs(t, err, database.ErrDuplicate)
		require.Empty(t, f.names(t))
	})
}

func TestAtCommit_KeepsCompaniesApart(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		theirs := f.add(t, f.other, "theirs")
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.Error(t, f.AtCommit(ctx, func(tx *gorm.DB) *gorm.DB {
				return tx.Exec("DELETE FROM things")
			}), "SQL by hand says why")
			require.NoError(t, f.AtCommit(ctx, func(tx *gorm.DB) *gorm.DB {
				return database.Unchecked(tx, "test").Exec("UPDATE things SET amount = ? WHERE id = ?", 7, theirs.ID)
			}))

			return f.AtCommit(ctx, func(tx *gorm.DB) *gorm.DB { return tx.Where("id = ?", theirs.ID).Delete(&thing{}) })
		}))
		require.Equal(t, 1, f.count(t, f.other))
		require.Error(t, f.InTx(t.Context(), func(ctx context.Context) error { return f.later(ctx, "nobody's") }))
	})
}
