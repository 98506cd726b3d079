package carrierlink

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

func TestAsOutsider_TellsACarrierNothingThatIsForTheCompany(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ failure, want error }{
		{loadsapi.ErrNotReady, errNotNow},
		{loadsapi.ErrPlanFixed.WithDetail("carrier_pay", "900.00"), errNotNow},
		{loadsapi.ErrPayBelowCharges, errNotNow},
		{store.ErrUnsigned, errNotNow},
		{store.ErrOnHold, errNotNow},
		{store.ErrIneligible.WithDetail("blockers", "insurance"), errCallUs},
		{store.ErrLoaded, errOnBoard},
		{store.ErrCancelled, store.ErrNoLoad},
		{store.ErrVehicleTaken, store.ErrVehicleTaken},
		{nil, nil},
	} {
		require.Equal(t, one.want, asOutsider(one.failure))
	}
	failure := errs.New(errs.Conflict, "other.failure", "Something else.")
	require.Same(t, failure, asOutsider(failure))
}

func TestConsent_TakesANameAndAYes(t *testing.T) {
	t.Parallel()
	require.Empty(t, consent("Bo Hauler", true).Fields)
	require.Len(t, consent("Bo Hauler", false).Fields, 1)
	require.Len(t, consent(" ", false).Fields, 2)
}

func TestMomentOf_ReadsAClockAtTheStop(t *testing.T) {
	t.Parallel()
	dallas, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	want := time.Date(2026, time.December, 3, 20, 0, 0, 0, time.UTC)
	for _, text := range []string{"2026-12-03T14:00", "2026-12-03T20:00:00Z", "2026-12-03T15:00:00-05:00"} {
		at, err := momentOf(text, dallas)
		require.NoError(t, err)
		require.Equal(t, want, at, text)
	}
	_, err = momentOf("soon", dallas)
	require.Error(t, err)
	require.Equal(t, "2026-12-03T14:00", clockAt(&want, dallas))
	require.Empty(t, clockAt(nil, dallas))
}

func TestShown_OfAnOfferThatHasExpiredButWasNotMovedOn(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	o := store.Offer{State: store.Offered, Turn: store.Carrier, ExpiresAt: &noon}
	before, after := showOffer(o, noon.Add(-time.Second)), showOffer(o, noon)
	require.Equal(t, []any{store.Offered, true}, []any{before.State, before.YourTurn})
	require.Equal(t, []any{store.Expired, false}, []any{after.State, after.YourTurn})
}

func TestShown_OfACanceledDispatchIsThatAlone(t *testing.T) {
	t.Parallel()
	row := store.Dispatch{Number: "D-1", State: store.CancelledByBroker, CarrierPay: "900.00", DriverName: "Bo", Revision: 2}
	require.Equal(t, &dispatchShown{Number: "D-1", State: store.CancelledByBroker}, showDispatch(row))
	row.State = store.Assigned
	require.Equal(t, "Bo", showDispatch(row).Crew.DriverName)
}

func TestReasons_OfTheCompanyAreNotTheCarriers(t *testing.T) {
	t.Parallel()
	all := []preferences.Reason{{ID: "breakdown", Responsible: store.Carrier}, {ID: "broker", Responsible: store.Broker}, {ID: "not_ready", Responsible: "customer"}, {ID: "other"}}
	ids := []string{}
	for _, r := range carrierReasons(all) {
		ids = append(ids, r.ID)
	}
	require.Equal(t, []string{"breakdown", "not_ready", "other"}, ids)
}
