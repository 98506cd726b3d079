package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/field"
)

func TestNextTask_FollowsFromTheState(t *testing.T) {
	t.Parallel()
	sub := Subscription{
		TrialEndsOn: "2027-01-31", PeriodEnd: "2027-02-28", OverdueSince: "2027-02-28", TriedOn: "2027-03-01",
	}
	tests := []struct {
		state  Status
		warned bool
		hard   bool
		next   Task
		day    field.Date
	}{
		{state: Incomplete, next: TaskLapse},
		{state: Trialing, next: TaskWarn, day: "2027-01-28"},
		{state: Trialing, warned: true, next: TaskRenew, day: "2027-01-31"},
		{state: Active, next: TaskRenew, day: "2027-02-28"},
		{state: PastDue, next: TaskCharge, day: "2027-03-03"},
		{state: PastDue, hard: true, next: TaskUnpaid, day: "2027-03-07"},
		{state: Unpaid, next: TaskCancel, day: "2027-04-06"},
		{state: Paused},
		{state: Canceled},
		{state: Lapsed},
	}
	for _, test := range tests {
		s := sub
		s.State, s.Warned, s.Hard = test.state, test.warned, test.hard
		next, day := s.NextTask(3)
		require.Equal(t, test.next, next, "%+v", test)
		require.Equal(t, test.day, day, "%+v", test)
	}
}

func TestSchedule_IsTheBeginOfTheDayInTheZone(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	sub := Subscription{State: Active, PeriodEnd: "2027-03-15"}
	sub.Schedule(3, zone)
	require.Equal(t, "2027-03-15T05:00:00Z", sub.NextAt.Format(time.RFC3339), "a day after clocks were put forward")
	sub.State = Paused
	sub.Schedule(3, zone)
	require.Nil(t, sub.NextAt)
}
