package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
)

var hauler = uuid.MustParse("019ac8a4-0000-7000-8000-000000000001")

// agreed is a dispatch that the hauler has accepted for 900 dollars at noon, and how its load stands.
func agreed(is store.DispatchState, load loadsapi.State) (store.Dispatch, loadsapi.Standing) {
	row := store.Dispatch{
		State: is, Carrier: hauler, CarrierPay: "900.00", AcceptedPay: "900.00", Currency: "USD", AcceptedAt: at(0), PickupDate: "2026-12-03",
		DeliveryDate: "2026-12-06", Revision: 1, AcceptedRevision: 1, NotifiedRevision: 1,
	}

	return row, loadsapi.Standing{State: load, Carrier: hauler.String(), CarrierPay: "900.00", Since: noon}
}

func TestDispatch_IsTheOneByWhichItsLoadStands(t *testing.T) {
	t.Parallel()
	row, load := agreed(store.Assigned, loadsapi.Dispatched)
	require.True(t, row.Matches(load))
	require.False(t, row.WasTakenBack(load))
	for name, other := range map[string]func(l *loadsapi.Standing){
		"another carrier":            func(l *loadsapi.Standing) { l.Carrier = uuid.NewString() },
		"the same carrier once more": func(l *loadsapi.Standing) { l.Since = *at(1) },
	} {
		changed := load
		other(&changed)
		require.False(t, row.Matches(changed), name)
		require.True(t, row.WasTakenBack(changed), name)
	}
	for is, taken := range map[loadsapi.State]bool{
		loadsapi.Ready: true, loadsapi.Archived: false, loadsapi.Dispatched: false, loadsapi.PickedUp: false, loadsapi.Delivered: false, loadsapi.Completed: false,
	} {
		load.State = is
		require.Equal(t, taken, row.WasTakenBack(load), is)
	}
}

func TestDispatch_LagsBehindItsLoad(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		row  store.DispatchState
		load loadsapi.State
		want bool
	}{
		{store.Assigned, loadsapi.Dispatched, false},
		{store.Assigned, loadsapi.PickedUp, true},
		{store.PickedUp, loadsapi.PickedUp, false},
		{store.Delivered, loadsapi.PickedUp, true},
		{store.Settled, loadsapi.PickedUp, false},
		{store.PickedUp, loadsapi.Delivered, true},
		{store.Assigned, loadsapi.Completed, true},
		{store.Delivered, loadsapi.Delivered, false},
		{store.CancelledByBroker, loadsapi.PickedUp, false},
	} {
		row, load := agreed(one.row, one.load)
		require.Equal(t, one.want, row.LagsBehind(load), "%s of a load that is %s", one.row, one.load)
	}
}

func TestCheckMove_IsForTheCarrierThatHasTheLoad(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		is     store.DispatchState
		change func(row *store.Dispatch, load *loadsapi.Standing)
		verb   resource.Verb
		note   string
		want   error
	}{
		"its pickup":                   {is: store.Assigned, verb: store.VerbPickUp},
		"its delivery":                 {is: store.PickedUp, verb: store.VerbDeliver},
		"another carrier has the load": {is: store.Assigned, verb: store.VerbPickUp, want: store.ErrTakenBack, change: func(_ *store.Dispatch, l *loadsapi.Standing) { l.Carrier = uuid.NewString() }},
		"no carrier has the load":      {is: store.Assigned, verb: store.VerbPickUp, want: store.ErrTakenBack, change: func(_ *store.Dispatch, l *loadsapi.Standing) { l.State = loadsapi.Ready }},
		"what is known already":        {is: store.Delivered, verb: store.VerbDeliver, change: func(_ *store.Dispatch, l *loadsapi.Standing) { l.State = loadsapi.Ready }},
		"a canceled one":               {is: store.CancelledByCarrier, verb: store.VerbPickUp, change: func(_ *store.Dispatch, l *loadsapi.Standing) { l.State = loadsapi.Ready }},
		"after a cut":                  {is: store.Assigned, verb: store.VerbPickUp, want: store.ErrTermsUnconfirmed, change: func(_ *store.Dispatch, l *loadsapi.Standing) { l.CarrierPay = "899.99" }},
		"after a cut, with a note":     {is: store.Assigned, verb: store.VerbPickUp, note: "On the phone", change: func(_ *store.Dispatch, l *loadsapi.Standing) { l.CarrierPay = "899.99" }},
		"after a raise":                {is: store.Assigned, verb: store.VerbPickUp, change: func(_ *store.Dispatch, l *loadsapi.Standing) { l.CarrierPay = "900.01" }},
		"a cut after the pickup":       {is: store.PickedUp, verb: store.VerbDeliver, change: func(_ *store.Dispatch, l *loadsapi.Standing) { l.CarrierPay = "700.00" }},
		"before it was picked up":      {is: store.PickedUp, verb: store.VerbDeliver, want: store.ErrInvalidDispatch, change: func(row *store.Dispatch, _ *loadsapi.Standing) { row.PickedUpAt = at(2) }},
	} {
		row, load := agreed(one.is, loadsapi.Dispatched)
		if one.change != nil {
			one.change(&row, &load)
		}
		require.ErrorIs(t, row.CheckMove(one.verb, *at(1), one.note, load), one.want, name)
	}
}

func TestIsPayCut_ComparesWithWhatWasAgreed(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		change func(row *store.Dispatch, load *loadsapi.Standing)
		want   bool
	}{
		"the same":                     {func(*store.Dispatch, *loadsapi.Standing) {}, false},
		"less":                         {func(_ *store.Dispatch, l *loadsapi.Standing) { l.CarrierPay = "100.00" }, true},
		"fewer digits":                 {func(_ *store.Dispatch, l *loadsapi.Standing) { l.CarrierPay = "900" }, false},
		"less than a confirmed cut":    {func(row *store.Dispatch, l *loadsapi.Standing) { row.AcceptedPay, l.CarrierPay = "700.00", "700.00" }, false},
		"the company carries it":       {func(_ *store.Dispatch, l *loadsapi.Standing) { l.CarrierPay, l.Carried = "100.00", true }, false},
		"what was agreed is not known": {func(row *store.Dispatch, l *loadsapi.Standing) { row.AcceptedPay, l.CarrierPay = "", "100.00" }, false},
		"another carrier gets less":    {func(_ *store.Dispatch, l *loadsapi.Standing) { l.CarrierPay, l.Carrier = "100.00", uuid.NewString() }, false},
	} {
		row, load := agreed(store.Assigned, loadsapi.Dispatched)
		one.change(&row, &load)
		require.Equal(t, one.want, row.IsPayCut(load), name)
	}
}

func TestCheckEndedBy_RepeatsWhatEndedItAndNothingElse(t *testing.T) {
	t.Parallel()
	byCarrier, byBroker := store.Dispatch{State: store.CancelledByCarrier}, store.Dispatch{State: store.CancelledByBroker}
	abandoned := store.Dispatch{State: store.CancelledByBroker, PickedUpAt: at(-1)}
	require.NoError(t, byCarrier.CheckEndedBy(store.VerbCarrierCancel))
	require.NoError(t, byBroker.CheckEndedBy(store.VerbCancel))
	require.NoError(t, abandoned.CheckEndedBy(store.VerbAbandon))
	for _, one := range []struct {
		row  store.Dispatch
		verb resource.Verb
		who  string
	}{
		{byCarrier, store.VerbCancel, "by the carrier"},
		{byCarrier, store.VerbAbandon, "by the carrier"},
		{byBroker, store.VerbCarrierCancel, "by the company"},
		{byBroker, store.VerbAbandon, "by the company"},
		{abandoned, store.VerbCancel, "by the company"},
	} {
		err := one.row.CheckEndedBy(one.verb)
		require.ErrorIs(t, err, store.ErrCancelled)
		require.ErrorContains(t, err, one.who)
	}
}

func TestNeedsNotice_OnceForEachRevisionThatIsNotAccepted(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		is                           store.DispatchState
		revision, accepted, notified int64
		want                         bool
	}{
		"accepted":                 {store.Assigned, 1, 1, 1, false},
		"changed":                  {store.Assigned, 2, 1, 1, true},
		"written already":          {store.Assigned, 2, 1, 2, false},
		"changed once more":        {store.Assigned, 3, 1, 2, true},
		"changed after the pickup": {store.PickedUp, 2, 1, 1, true},
		"settled":                  {store.Settled, 2, 1, 1, false},
		"given back":               {store.CancelledByCarrier, 2, 1, 1, false},
	} {
		row := store.Dispatch{State: one.is, Revision: one.revision, AcceptedRevision: one.accepted, NotifiedRevision: one.notified}
		require.Equal(t, one.want, row.NeedsNotice(), name)
	}
}

func TestOverdue_IsWhatWasNotDoneByTheAgreedDay(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		is   store.DispatchState
		day  field.Date
		want string
	}{
		{store.Assigned, "2026-12-03", "none"},
		{store.Assigned, "2026-12-04", "pickup"},
		{store.PickedUp, "2026-12-06", "none"},
		{store.PickedUp, "2026-12-07", "delivery"},
		{store.Delivered, "2026-12-31", "none"},
		{store.CancelledByBroker, "2026-12-31", "none"},
	} {
		row, _ := agreed(one.is, loadsapi.Dispatched)
		require.Equal(t, one.want, row.OverdueOn(one.day), "%s on %s", one.is, one.day)
	}
	row, _ := agreed(store.Assigned, loadsapi.Dispatched)
	later := row
	later.PickupDate = "2026-12-05"
	require.False(t, row.CatchesUp(row))
	require.True(t, later.CatchesUp(row), "another day was agreed")
	later = row
	later.State = store.PickedUp
	require.True(t, later.CatchesUp(row), "the carrier has come")
}

func TestCheckDays_KeepsDaysThatAreOver(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		is   store.DispatchState
		load loadsapi.State
		was  func(row *store.Dispatch)
		now  func(row *store.Dispatch)
		want string
	}{
		"before the pickup":                    {is: store.Assigned, load: loadsapi.Dispatched, now: func(row *store.Dispatch) { row.PickupDate = "2026-12-04" }},
		"the day of the pickup":                {is: store.PickedUp, load: loadsapi.PickedUp, was: func(row *store.Dispatch) { row.PickedUpAt = at(0) }, now: func(row *store.Dispatch) { row.PickupDate = "2026-12-04" }, want: "pickup_date"},
		"a pickup whose event is on the way":   {is: store.Assigned, load: loadsapi.PickedUp, now: func(row *store.Dispatch) { row.PickupDate = "2026-12-04" }, want: "pickup_date"},
		"a delivery that is still to come":     {is: store.Assigned, load: loadsapi.PickedUp, now: func(row *store.Dispatch) { row.DeliveryDate = "2026-12-07" }},
		"the day of the delivery":              {is: store.Delivered, load: loadsapi.Delivered, was: func(row *store.Dispatch) { row.DeliveredAt = at(0) }, now: func(row *store.Dispatch) { row.DeliveryDate = "2026-12-07" }, want: "delivery_date"},
		"a delivery whose event is on its way": {is: store.PickedUp, load: loadsapi.Delivered, now: func(row *store.Dispatch) { row.DeliveryDate = "2026-12-07" }, want: "delivery_date"},
	} {
		was, load := agreed(one.is, one.load)
		if one.was != nil {
			one.was(&was)
		}
		row := was
		one.now(&row)
		passed := row.CheckPassedDays(was, load)
		if one.want == "" {
			require.Nil(t, passed, name)

			continue
		}
		require.ErrorIs(t, passed, store.ErrDayPassed, name)
		require.Equal(t, one.want, passed.Details["field"], name)
	}
	was, load := agreed(store.Assigned, loadsapi.Dispatched)
	allowed, err := store.AllowedDaysOf(load, "2026-11-30")
	require.NoError(t, err)
	row := was
	row.PickupDate, row.DeliveryDate = "", ""
	require.Len(t, row.CheckDays(was, allowed).Fields, 2, "agreed days are not taken back")
	require.Empty(t, was.CheckDays(row, allowed).Fields)
}

func TestCheckETAs_RefusesTimesThatAreOver(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		pickup, delivery *time.Time
		was              store.Dispatch
		want             []string
	}{
		"to come":                    {pickup: at(3), delivery: at(30)},
		"an hour ago":                {pickup: at(-1)},
		"two hours ago":              {pickup: at(-2), want: []string{"eta_pickup"}},
		"two hours ago, as before":   {pickup: at(-2), was: store.Dispatch{ETAPickup: at(-2)}},
		"delivery before the pickup": {pickup: at(5), delivery: at(4), want: []string{"eta_delivery"}},
		"none":                       {},
	} {
		wrong := []string{}
		for name := range (store.Dispatch{ETAPickup: one.pickup, ETADelivery: one.delivery}).CheckETAs(one.was, noon, store.ErrInvalidDispatch).Fields {
			wrong = append(wrong, name)
		}
		require.ElementsMatch(t, one.want, wrong, name)
	}
}

func TestReminder_IsOfWhatIsNext(t *testing.T) {
	t.Parallel()
	row, _ := agreed(store.Assigned, loadsapi.Dispatched)
	row.Number, row.Snapshot = "D-2026-00001", rawjson.Object(`{"number": "L-2026-00007"}`)
	require.Equal(t, "The pickup of the load L-2026-00007 was agreed for December 3, 2026. Please tell us when you will be there.", row.ReminderText())
	row.State, row.ETADelivery, row.DeliveryDate = store.PickedUp, at(30), ""
	require.Equal(t, "The delivery of the load L-2026-00007 is next.", row.ReminderText())
	row.Snapshot = nil
	require.Equal(t, "D-2026-00001", row.LoadNumber())
}

func TestHasOtherTerms_ComparesPayAndWhatTheCarrierAgreedTo(t *testing.T) {
	t.Parallel()
	row, load := agreed(store.Assigned, loadsapi.Dispatched)
	row.Snapshot = rawjson.Object(`{"transport_type": "open", "vehicles": [{"uuid": "a", "vin": "1HGCM82633A004352", "custody": "waiting"}]}`)
	require.False(t, row.HasOtherTerms(load, []byte(`{"vehicles": [{"uuid": "a", "vin": "1HGCM82633A004352", "custody": "picked_up"}], "transport_type": "open", "state": "picked_up"}`)))
	seen := []byte(`{"transport_type": "enclosed", "vehicles": [{"uuid": "a", "vin": "1HGCM82633A004352"}]}`)
	require.True(t, row.HasOtherTerms(load, seen))
	load.CarrierPay = "950.00"
	require.True(t, row.HasOtherTerms(load, row.Snapshot))
	row.TakeTerms(load, seen)
	require.False(t, row.HasOtherTerms(load, seen))
}
