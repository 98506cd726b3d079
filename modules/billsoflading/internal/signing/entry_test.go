package signing

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
)

func TestEntry_IsASignatureOfTheRightPerson(t *testing.T) {
	t.Parallel()
	standard := store.Bol{Inspection: store.Standard}
	for name, c := range map[string]struct {
		entry  Entry
		fields []string
	}{
		"the driver, by name":                {Entry{Stage: store.AtPickup, Role: store.Driver, Name: "Bo"}, nil},
		"who releases, at the pickup":        {Entry{Stage: store.AtPickup, Role: store.Releasing, Name: "Ann"}, nil},
		"who receives, at the delivery":      {Entry{Stage: store.AtDelivery, Role: store.Receiving, Name: "Ann"}, nil},
		"who receives, at the pickup":        {Entry{Stage: store.AtPickup, Role: store.Receiving, Name: "Ann"}, []string{"role"}},
		"who releases, at the delivery":      {Entry{Stage: store.AtDelivery, Role: store.Releasing, Name: "Ann"}, []string{"role"}},
		"no name":                            {Entry{Stage: store.AtPickup, Role: store.Driver, Name: "  "}, []string{"name"}},
		"drawn":                              {Entry{Stage: store.AtPickup, Role: store.Driver, Name: "Bo", Method: store.Drawn, Strokes: "M10 10L20 15L30 12"}, nil},
		"drawn, without a line":              {Entry{Stage: store.AtPickup, Role: store.Driver, Name: "Bo", Method: store.Drawn, Strokes: "M10 10"}, []string{"strokes"}},
		"drawn, without strokes":             {Entry{Stage: store.AtPickup, Role: store.Driver, Name: "Bo", Method: store.Drawn}, []string{"strokes"}},
		"drawn, with more than a path":       {Entry{Stage: store.AtPickup, Role: store.Driver, Name: "Bo", Method: store.Drawn, Strokes: "M1 1L2 2 url(x)"}, []string{"strokes"}},
		"drawn, with large numbers":          {Entry{Stage: store.AtPickup, Role: store.Driver, Name: "Bo", Method: store.Drawn, Strokes: "M1 1L20000 2"}, []string{"strokes"}},
		"typed, with strokes":                {Entry{Stage: store.AtPickup, Role: store.Driver, Name: "Bo", Strokes: "M1 1L2 2"}, []string{"strokes"}},
		"no one is there":                    {Entry{Stage: store.AtPickup, Role: store.Releasing, Method: store.NotAvailable, Reason: "Night drop"}, nil},
		"no one is there, and no reason why": {Entry{Stage: store.AtPickup, Role: store.Releasing, Method: store.NotAvailable, Reason: " "}, []string{"reason"}},
		"the driver is there":                {Entry{Stage: store.AtPickup, Role: store.Driver, Method: store.NotAvailable, Reason: "Asleep"}, []string{"method"}},
	} {
		err := c.entry.check(standard)
		if c.fields == nil {
			require.NoError(t, err, name)

			continue
		}
		failure, _ := errors.AsType[*errs.Error](err)
		require.ErrorIs(t, failure, store.ErrInvalidSignature, name)
		require.Equal(t, c.fields, slices.Sorted(maps.Keys(failure.Fields)), name)
	}
}

func TestEntry_NeedsTheCustomerWhereTheInspectionIsMoreThanStandard(t *testing.T) {
	t.Parallel()
	for kind, needed := range map[string]bool{store.Standard: false, store.Advanced: true, store.AIAG: true} {
		e := Entry{Stage: store.AtDelivery, Role: store.Receiving, Method: store.NotAvailable, Reason: "Night drop"}
		require.Equal(t, needed, errors.Is(e.check(store.Bol{Inspection: kind}), store.ErrSignatureNeeded), kind)
	}
}

func TestEntry_IsTypedUnlessItSaysOtherwise(t *testing.T) {
	t.Parallel()
	e := Entry{Stage: store.AtPickup, Role: store.Driver, Name: " Bo "}
	require.NoError(t, e.check(store.Bol{}))
	require.Equal(t, []string{"Bo", store.Typed}, []string{e.Name, e.Method})
}

func TestStatement_SaysWhoHasTheVehicles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at         store.Stage
		role, verb string
	}{
		{store.AtPickup, store.Driver, "received"},
		{store.AtPickup, store.Releasing, "released"},
		{store.AtDelivery, store.Driver, "delivered"},
		{store.AtDelivery, store.Receiving, "received"},
	} {
		require.Equal(t, "I have "+c.verb+" the vehicles of this bill of lading in the condition that is noted here.", Statement(c.at, c.role))
	}
}
