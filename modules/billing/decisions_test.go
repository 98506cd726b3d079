package billing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/money"
)

func TestEnabledAreas_AreThosePaidForAndWhatTheyNeed(t *testing.T) {
	t.Parallel()
	uses := []feature.Use{
		{Area: "billing", Needs: []string{"cards"}},
		{Area: "cards"},
		{Area: "companies", Essential: true},
		{Area: "esign", Needs: []string{"files"}},
		{Area: "files", Needs: []string{"blobs"}},
		{Area: "blobs"},
		{Area: "sms"},
	}
	require.Equal(t, map[string]bool{"billing": true, "cards": true, "esign": true, "files": true, "blobs": true, "sms": false},
		enabledAreas(uses, []string{"billing", "esign", "gone"}))
	require.Equal(t, map[string]bool{"billing": true, "cards": true, "esign": false, "files": false, "blobs": false, "sms": false},
		enabledAreas(uses, []string{"billing"}))
}

func TestNextTask_FollowsFromTheState(t *testing.T) {
	t.Parallel()
	sub := subscription{
		TrialEndsOn: "2027-01-31", PeriodEnd: "2027-02-28", OverdueSince: "2027-02-28", TriedOn: "2027-03-01",
	}
	tests := []struct {
		state  status
		warned bool
		hard   bool
		next   task
		day    field.Date
	}{
		{state: incomplete, next: taskLapse},
		{state: trialing, next: taskWarn, day: "2027-01-28"},
		{state: trialing, warned: true, next: taskRenew, day: "2027-01-31"},
		{state: active, next: taskRenew, day: "2027-02-28"},
		{state: pastDue, next: taskCharge, day: "2027-03-03"},
		{state: pastDue, hard: true, next: taskUnpaid, day: "2027-03-07"},
		{state: unpaid, next: taskCancel, day: "2027-04-06"},
		{state: paused},
		{state: canceled},
		{state: lapsed},
	}
	for _, test := range tests {
		s := sub
		s.State, s.Warned, s.Hard = test.state, test.warned, test.hard
		next, day := s.nextTask(3)
		require.Equal(t, test.next, next, "%+v", test)
		require.Equal(t, test.day, day, "%+v", test)
	}
}

func TestSchedule_IsTheBeginOfTheDayInTheZone(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	sub := subscription{State: active, PeriodEnd: "2027-03-15"}
	sub.schedule(3, zone)
	require.Equal(t, "2027-03-15T05:00:00Z", sub.NextAt.Format(time.RFC3339), "a day after clocks were put forward")
	sub.State = paused
	sub.schedule(3, zone)
	require.Nil(t, sub.NextAt)
}

func TestRatesFor_AreThoseOfTheAddressAndTheDay(t *testing.T) {
	t.Parallel()
	all := []taxRate{
		{Code: "qst", Percent: "9.975", Country: "CA", State: "QC"},
		{Code: "gst", Percent: "5.00", Country: "CA", Until: "2027-07-01"},
		{Code: "gst", Percent: "6.00", Country: "CA", From: "2027-07-01"},
		{Code: "tx", Percent: "8.25", Country: "US", State: "TX"},
	}
	quebec := identity.Address{Country: "ca", State: "qc"}
	require.Equal(t, []terms.Rate{{Code: "gst", Percent: "5.00"}, {Code: "qst", Percent: "9.975"}}, ratesFor(all, quebec, "2027-06-30"))
	require.Equal(t, []terms.Rate{{Code: "gst", Percent: "6.00"}, {Code: "qst", Percent: "9.975"}}, ratesFor(all, quebec, "2027-07-01"))
	require.Empty(t, ratesFor(all, identity.Address{Country: "US"}, "2027-07-01"))
}

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

func TestSplitCredit_TakesTheBalanceFirst(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		paid, credited  string
		balance, amount string
		state           invoiceStatus
		total, refund   string
		refused         error
	}{
		{name: "open", paid: "0.00", credited: "0.00", balance: "100.00", amount: "30.00", total: "30.00", refund: "0.00"},
		{name: "all of an open one", paid: "0.00", credited: "30.00", balance: "70.00", total: "70.00", refund: "0.00"},
		{name: "paid", paid: "100.00", credited: "0.00", balance: "0.00", amount: "30.00", state: invoicePaid, total: "30.00", refund: "30.00"},
		{name: "too much", paid: "100.00", credited: "30.00", balance: "0.00", amount: "70.01", state: invoicePaid, refused: errCredit},
		{name: "nothing left", paid: "0.00", credited: "100.00", balance: "0.00", state: invoiceCredited, refused: errUncreditable},
		{name: "written off", paid: "0.00", credited: "0.00", balance: "0.00", state: invoiceLost, refused: errUncreditable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i := invoice{Total: "100.00", Currency: "USD", State: test.state}
			i.Paid, i.Credited, i.Balance = money.Amount(test.paid), money.Amount(test.credited), money.Amount(test.balance)
			total, refund, err := splitCredit(i, money.Amount(test.amount))
			if test.refused != nil {
				require.ErrorIs(t, err, test.refused)

				return
			}
			require.NoError(t, err)
			require.Equal(t, money.Amount(test.total), total.Amount)
			require.Equal(t, money.Amount(test.refund), refund.Amount)
		})
	}
}
