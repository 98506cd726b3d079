package scorecards

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
)

func TestScore_CountsOffersThatAreOverAndWhatWasCarriedInTime(t *testing.T) {
	t.Parallel()
	at := func(day, hour int) *time.Time {
		moment := time.Date(2026, time.November, day, hour, 0, 0, 0, time.UTC)

		return &moment
	}
	dallas, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	offers := []store.Offer{
		{State: store.Accepted, SentAt: at(10, 8), AnsweredAt: at(10, 9)},
		{State: store.Accepted, SentAt: at(11, 8), AnsweredAt: at(11, 10)},
		{State: store.Declined, SentAt: at(12, 8), AnsweredAt: at(12, 11)},
		{State: store.Expired, SentAt: at(13, 8)},
		{State: store.Withdrawn, SentAt: at(14, 8)},
		{State: store.Offered, SentAt: at(15, 8)},
		{State: store.Queued},
		{State: store.Declined, SentAt: at(1, 8)}, // before the time that is looked at
	}
	made := func(d store.Dispatch) store.Dispatch {
		d.Row = resource.Row{CreatedAt: *at(12, 0)}

		return d
	}
	s := scoreOf(offers, []store.Dispatch{
		// 03:00 UTC is still the day before in Dallas.
		made(store.Dispatch{State: store.Delivered, PickupDate: "2026-11-13", DeliveryDate: "2026-11-15", PickedUpAt: at(14, 3), DeliveredAt: at(17, 3)}),
		made(store.Dispatch{State: store.PickedUp, PickedUpAt: at(14, 12)}),
		made(store.Dispatch{State: store.CancelledByCarrier, PickupDate: "2026-11-20"}),
	}, *at(9, 0), dallas)
	require.Equal(t, []any{4, 2, 1, 1, "50.0", int64(120)}, []any{s.Offers, s.Accepted, s.Declined, s.Expired, s.Acceptance, *s.Answer})
	require.Equal(t, []any{3, 1, 1, "100.0", "0.0"}, []any{s.Dispatches, s.Delivered, s.Bounced, s.Pickups, s.Deliveries})
	none := scoreOf(nil, nil, time.Time{}, time.UTC)
	require.Equal(t, score{}, none)
}
