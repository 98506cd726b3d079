package database_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

func TestTranslate_NamesWhatIsExpected(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		own := f.add(t, f.ctx, "a")
		again := f.write(f.ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&thing{ID: uuid.New(), Name: "a"}) })
		require.ErrorIs(t, database.Translate(again), database.ErrDuplicate)
		require.Equal(t, "things_company_id_name_key", database.ConstraintOf(again))
		require.Equal(t, "things_company_id_name_key", database.ConstraintOf(fmt.Errorf("x: %w", database.Translate(again))))

		sameID := f.write(f.ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&thing{ID: own.ID, Name: "b"}) })
		require.ErrorIs(t, database.Translate(sameID), database.ErrDuplicate)
		require.Equal(t, "things_pkey", database.ConstraintOf(sameID))

		dangling := f.write(f.ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&part{ID: uuid.New(), ThingID: uuid.New()}) })
		require.ErrorIs(t, database.Translate(dangling), database.ErrReference)

		missing := f.Conn(f.ctx).First(&thing{}, "id = ?", uuid.New()).Error
		require.ErrorIs(t, database.Translate(missing), database.ErrNotFound)

		ended, cancel := context.WithTimeout(f.ctx, -time.Second)
		defer cancel()
		late := database.Translate(f.Conn(ended).Find(&[]thing{}).Error)
		require.ErrorIs(t, late, database.ErrUnavailable)
		require.Equal(t, errs.Unavailable, errs.KindOf(late))
	})
}

func TestTranslate_LeavesTheRestAsItIs(t *testing.T) {
	t.Parallel()
	own := errs.New(errs.Invalid, "x.y", "No.")
	require.NoError(t, database.Translate(nil))
	require.Equal(t, errBoom, database.Translate(errBoom))
	require.Equal(t, error(own), database.Translate(own))
	require.Empty(t, database.ConstraintOf(errBoom))
	require.ErrorIs(t, database.Translate(errors.Join(context.DeadlineExceeded)), database.ErrUnavailable)
	require.Positive(t, database.ErrUnavailable.RetryAfter)
}
