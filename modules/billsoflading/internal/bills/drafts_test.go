package bills

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// route is a load with three stops.
func route() (l load, stops []string) {
	for _, city := range []string{"Dallas", "Houston", "Miami"} {
		s := loadsapi.CarrierStop{UUID: uuid.NewString(), Venue: loadsapi.CarrierVenue{Name: city + " Auto", Line1: "1 Main St", City: city}}
		l.Stops, stops = append(l.Stops, s), append(stops, s.UUID)
	}

	return l, stops
}

func car(name, pickup, delivery string) loadsapi.CarrierVehicle {
	return loadsapi.CarrierVehicle{UUID: uuid.NewString(), Make: name, Pickup: pickup, Delivery: delivery}
}

func TestBills_AreOneForTheVehiclesBetweenTheSameTwoStops(t *testing.T) {
	t.Parallel()
	l, stops := route()
	l.Vehicles = []loadsapi.CarrierVehicle{
		car("Honda", "", ""), car("Ford", stops[1], ""), car("Jeep", stops[0], stops[2]), car("Kia", "", stops[1]), car("Fiat", stops[1], stops[2]),
	}
	l.Vehicles[1].Operable = new(false)
	common := store.Bol{Load: uuid.New(), Terms: "As agreed."}
	common.Carrier.V = store.Carrier{Name: "Haul Co"}
	found := map[string][]string{}
	for _, b := range l.bills(common) {
		way := b.Consignor.V.City + " to " + b.Consignee.V.City
		for _, v := range b.Vehicles.V {
			found[way] = append(found[way], v.Make)
			require.Equal(t, v.Make != "Ford", v.Operable)
		}
		require.Equal(t, []string{"As agreed.", "Haul Co", store.Standard}, []string{b.Terms, b.Carrier.V.Name, b.Inspection})
		require.Equal(t, common.Load, b.Load)
	}
	require.Equal(t, map[string][]string{"Dallas to Miami": {"Honda", "Jeep"}, "Houston to Miami": {"Ford", "Fiat"}, "Dallas to Houston": {"Kia"}}, found)
	require.Empty(t, load{}.bills(common), "no vehicles, no bill")
	l.Inspection = store.AIAG
	require.Equal(t, store.AIAG, l.bills(common)[0].Inspection)
}

func TestParty_IsTheVenueWithItsFirstContact(t *testing.T) {
	t.Parallel()
	l, stops := route()
	require.Equal(t, store.Party{Name: "Dallas Auto", Address: []string{"1 Main St"}, City: "Dallas", Phones: []string{}}, l.party(stops[0]))
	l.Stops[0].Contacts = []loadsapi.ViewContact{{Name: "Ann", Phones: []string{"1"}}, {Name: "Bo", Phones: []string{"2"}}}
	p := l.party(stops[0])
	require.Equal(t, []string{"Dallas Auto", "Ann", "1"}, []string{p.Name, p.Contact, p.Phones[0]})
	l.Stops[0].Venue.Name = ""
	require.Equal(t, "Ann", l.party(stops[0]).Name, "a person releases them")
	require.Equal(t, store.Party{Address: []string{}, Phones: []string{}}, l.party(uuid.NewString()))
}

func TestWaits_IfAllVehiclesWereLeftWhereTheBillPicksThemUp(t *testing.T) {
	t.Parallel()
	l, stops := route()
	l.Vehicles = []loadsapi.CarrierVehicle{car("Honda", "", ""), car("Ford", "", "")}
	b := l.bills(store.Bol{})[0]
	custody := func(all ...loadsapi.Custody) load {
		for i := range all {
			l.Vehicles[i].Custody = all[i]
		}

		return l
	}
	require.True(t, custody(loadsapi.VehicleWaiting, loadsapi.VehicleWaiting).waits(b))
	require.False(t, custody(loadsapi.VehicleWaiting, loadsapi.VehicleOnBoard).waits(b), "one is on the way")
	moved := custody(loadsapi.VehicleWaiting, loadsapi.VehicleWaiting)
	moved.Vehicles[0].Pickup = stops[1]
	require.False(t, moved.waits(b), "it waits elsewhere, for another carrier")
	require.False(t, load{Stops: l.Stops}.waits(b), "none of its vehicles is on the load any longer")
}

func TestHandedOver_IsABillWhoseVehiclesWereTakenOnTheWay(t *testing.T) {
	t.Parallel()
	v, at := uuid.New(), uuid.New()
	b := store.Bol{State: store.PickupSigned, PickupStop: uuid.New()}
	b.Vehicles.V = []store.Vehicle{{UUID: v}}
	e := loadsapi.HandedOver{Vehicles: []string{v.String()}, Stop: at.String()}
	require.True(t, handedOver(b, e))
	issued := b
	issued.State = store.Issued
	require.False(t, handedOver(issued, e), "they were not picked up by it")
	next := b
	next.PickupStop = at
	require.False(t, handedOver(next, e), "the next carrier's, which picks them up there")
	require.False(t, handedOver(b, loadsapi.HandedOver{Vehicles: []string{uuid.NewString()}, Stop: at.String()}))
}

func TestSigning_IsRefusedOutOfTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state store.State
		at    store.Stage
		want  error
	}{
		{store.Draft, store.AtPickup, nil},
		{store.Issued, store.AtPickup, nil},
		{store.Issued, store.AtDelivery, store.ErrNotNow},
		{store.PickupSigned, store.AtPickup, store.ErrSigned},
		{store.PickupSigned, store.AtDelivery, nil},
		{store.DeliverySigned, store.AtDelivery, store.ErrSigned},
		{store.DeliverySigned, store.AtPickup, store.ErrSigned},
		{store.Closed, store.AtDelivery, store.ErrSigned},
		{store.Transferred, store.AtDelivery, store.ErrSigned},
		{store.Voided, store.AtPickup, store.ErrVoid},
		{store.Voided, store.AtDelivery, store.ErrVoid},
	} {
		err := refuseSigning(store.Bol{State: c.state}, c.at)
		if c.want == nil {
			require.NoError(t, err, "%s at the %s", c.state, c.at)

			continue
		}
		failure, _ := errors.AsType[*errs.Error](err)
		require.ErrorIs(t, failure, c.want, "%s at the %s", c.state, c.at)
	}
}

func TestCarried_OnceACarrierHasTheLoad(t *testing.T) {
	t.Parallel()
	for state, want := range map[loadsapi.State]bool{
		loadsapi.Ready: false, loadsapi.Dispatched: true, loadsapi.PickedUp: true, loadsapi.Delivered: true, loadsapi.Completed: true, loadsapi.Cancelled: false,
	} {
		require.Equal(t, want, carried(loadsapi.Standing{State: state}), state)
	}
}
