package database_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// plenty is more rows than are found at a time.
const plenty = 230

// addPlenty stores things of the fixture's two companies.
func (f fixture) addPlenty(t *testing.T) {
	t.Helper()
	for i, ctx := range []context.Context{f.ctx, f.other} {
		rows := make([]thing, plenty)
		for j := range rows {
			rows[j] = thing{ID: database.NewID(), Name: fmt.Sprintf("%d-%d", i, j)}
		}
		require.NoError(t, f.InTx(ctx, func(ctx context.Context) error { return f.Conn(ctx).Create(&rows).Error }))
	}
}

func TestEach_CallsOnceForEachRowOfEveryCompanyAsThatCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		f.addPlenty(t)
		across := database.AcrossCompanies(t.Context(), "a test")
		calls := map[uuid.UUID]int{}
		err := f.Each(across, f.Conn(across).Model(&thing{}).Where("amount = 0"), func(ctx context.Context, id uuid.UUID) error {
			row, err := database.One[thing](f.Conn(ctx), errBoom, "id = ?", id)
			who, _ := principal.From(ctx)
			require.Equal(t, row.CompanyID, who.Company)
			seen, err2 := database.Count(f.Conn(ctx).Model(&thing{}).Where("company_id <> ?", who.Company))
			require.NoError(t, err2)
			require.Zero(t, seen, "the rows of other companies are out of reach, whatever the context was")
			calls[id]++

			return err
		})
		require.NoError(t, err)
		require.Len(t, calls, 2*plenty)
		for _, times := range calls {
			require.Equal(t, 1, times)
		}
	})
}

func TestEach_KeepsWhatWasDoneBeforeAFailure(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		f.add(t, f.ctx, "first")
		f.add(t, f.ctx, "second")
		across := database.AcrossCompanies(t.Context(), "a test")
		done := 0
		err := f.Each(t.Context(), f.Conn(across).Model(&thing{}), func(ctx context.Context, id uuid.UUID) error {
			if done++; done == 2 {
				return errBoom
			}

			return database.RequireAffected(f.Conn(ctx).Where("id = ?", id).Delete(&thing{}), errBoom)
		})
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, 1, f.count(t, f.ctx))
	})
}

func TestDrain_GoesOnUntilNothingIsFound(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		f.addPlenty(t)
		across := database.AcrossCompanies(t.Context(), "a test")
		err := f.Drain(t.Context(), f.Conn(across).Model(&thing{}).Order("name"), func(ctx context.Context, ids []uuid.UUID) error {
			tx := f.Conn(ctx).Where("id IN ?", ids).Delete(&thing{})
			require.EqualValues(t, len(ids), tx.RowsAffected, "all are of the company that is at work")

			return tx.Error
		})
		require.NoError(t, err)
		require.Zero(t, f.count(t, f.ctx)+f.count(t, f.other))
	})
}

func TestFinding_SaysWhatIsNotThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		row := f.add(t, f.ctx, "one")

		_, err := database.One[thing](f.Conn(f.other), errBoom, "id = ?", row.ID)
		require.ErrorIs(t, err, errBoom)
		none, err := database.IfAny[thing](f.Conn(f.other), "id = ?", row.ID)
		require.NoError(t, err)
		require.Nil(t, none)
		some, err := database.IfAny[thing](f.Conn(f.ctx), "id = ?", row.ID)
		require.NoError(t, err)
		require.Equal(t, "one", some.Name)
		n, err := database.Count(f.Conn(f.ctx).Model(&thing{}))
		require.NoError(t, err)
		require.EqualValues(t, 1, n)

		err = f.InTx(f.ctx, func(ctx context.Context) error {
			return database.DuplicateAs(f.Conn(ctx).Create(&thing{ID: database.NewID(), Name: "one"}).Error, errBoom)
		})
		require.ErrorIs(t, err, errBoom)
		err = f.InTx(f.other, func(ctx context.Context) error {
			return database.RequireAffected(f.Conn(ctx).Model(&thing{}).Where("id = ?", row.ID).Update("amount", 1), errBoom)
		})
		require.ErrorIs(t, err, errBoom)
	})
}
