package errs_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
)

var errTooLong = errs.New(errs.Invalid, "sms.too_long", "The message is too long.")

func TestWith_LeavesTheDeclaredFailureAsItWas(t *testing.T) {
	t.Parallel()
	first := errTooLong.WithField("body", "Too long.").WithDetail("limit", 1600)
	second := first.WithField("body", "Really.").WithRetryAfter(time.Second).WithMessage("at most %d", 5)

	require.Empty(t, errTooLong.Fields)
	require.Equal(t, map[string][]string{"body": {"Too long."}}, first.Fields)
	require.Equal(t, map[string][]string{"body": {"Too long.", "Really."}}, second.Fields)
	require.Equal(t, map[string]any{"limit": 1600}, second.Details)
	require.Equal(t, "at most 5", second.Message)
	require.Equal(t, "The message is too long.", errTooLong.Message)
}

func TestIs_ComparesByCode(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("message 7: %w", errTooLong.WithCause(errors.New("boom")))

	require.ErrorIs(t, wrapped, errTooLong)
	require.NotErrorIs(t, wrapped, errs.New(errs.Invalid, "sms.other", ""))
	require.NotErrorIs(t, wrapped, errors.New("sms.too_long"))
}

func TestError_NamesTheCauseForTheLog(t *testing.T) {
	t.Parallel()
	cause := errors.New("boom")
	err := errTooLong.WithCause(cause)

	require.ErrorIs(t, err, cause)
	require.EqualError(t, err, "sms.too_long: The message is too long.: boom")
	require.EqualError(t, errTooLong, "sms.too_long: The message is too long.")
}

func TestKindOf_IsInternalForWhatNobodyExpected(t *testing.T) {
	t.Parallel()
	require.Equal(t, errs.Invalid, errs.KindOf(fmt.Errorf("x: %w", errTooLong)))
	require.Equal(t, errs.Internal, errs.KindOf(errors.New("boom")))
}
