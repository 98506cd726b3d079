package catalogue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/limit"
)

func TestExceeds_LimitsWhatThePlanNames(t *testing.T) {
	t.Parallel()
	e := billingapi.Entitlement{Plan: "pro", Limits: map[string]int64{"users": 5}}
	require.NoError(t, exceeds(e, limit.Checking{Limit: "users", Used: 4, Adding: 1}))
	require.NoError(t, exceeds(e, limit.Checking{Limit: "users", Used: 9}), "what is there stays")
	require.NoError(t, exceeds(e, limit.Checking{Limit: "sms", Used: 9, Adding: 1}))
	require.NoError(t, exceeds(billingapi.Entitlement{}, limit.Checking{Limit: "users", Used: 5, Adding: 1}))
	err := exceeds(e, limit.Checking{Limit: "users", Used: 5, Adding: 1})
	require.ErrorIs(t, err, limit.ErrReached)
	require.Equal(t, errs.Conflict, errs.KindOf(err))
	require.ErrorContains(t, err, "The plan pro limits users to 5; 5 in use.")
	e.Limits = map[string]int64{"loads_per_month": 1}
	require.ErrorContains(t, exceeds(e, limit.Checking{Limit: "loads_per_month", Used: 1, Adding: 1}), "The plan pro limits loads a month to 1; 1 in use.")
}
