package carrying

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

func TestPlaceErrors_NameTheFieldsOfThePlace(t *testing.T) {
	t.Parallel()
	invalid := errs.New(errs.Invalid, "loads.invalid_load", "The given data was invalid.").
		WithField("stops.1.venue.postal_code", "The postal code is unknown.").WithField("note", "The note is too long.")
	err := placeErrors(invalid)
	require.ErrorIs(t, err, store.ErrInvalidDispatch)
	refusal, is := errors.AsType[*errs.Error](err)
	require.True(t, is)
	require.Equal(t, map[string][]string{"place.postal_code": {"The postal code is unknown."}, "note": {"The note is too long."}}, refusal.Fields)
	for _, other := range []error{loadsapi.ErrNotOnBoard, errors.New("the database is gone")} {
		require.Equal(t, other, placeErrors(other))
	}
}
