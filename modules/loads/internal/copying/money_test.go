package copying

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/platform/money"
)

// priced is any load with prices, as it is stored.
func priced(t *rapid.T) *store.Load {
	l := &store.Load{Currency: money.Currency(rapid.SampledFrom([]string{"USD", "JPY", "KWD"}).Draw(t, "currency"))}
	amount := func(name string) money.Amount {
		return l.AmountOf(rapid.Int64Range(0, 10_000_00).Draw(t, name))
	}
	for range rapid.IntRange(1, 6).Draw(t, "vehicles") {
		l.Vehicles.V = append(l.Vehicles.V, store.Vehicle{UUID: uuid.New(), Make: "Honda", Model: "Accord", Custody: store.Waiting, Tariff: amount("tariff"), CarrierPay: amount("pay")})
	}
	for range rapid.IntRange(0, 4).Draw(t, "charges") {
		c := store.Charge{UUID: uuid.New(), Kind: rapid.SampledFrom([]string{"fuel", "other"}).Draw(t, "kind"), Amount: amount("charge"), Payer: store.Customer, Payee: rapid.SampledFrom([]string{store.Broker, store.Carrier}).Draw(t, "payee")}
		if rapid.Bool().Draw(t, "of a vehicle") {
			c.Vehicle = rapid.SampledFrom(l.Vehicles.V).Draw(t, "vehicle").UUID
		}
		l.Charges.V = append(l.Charges.V, c)
	}
	l.PlanTemplate = rapid.SampledFrom([]string{plan.DepositCOD, plan.FullPay, plan.CarrierPays, plan.Account}).Draw(t, "template")

	return l
}

// totals checks a load as it is stored, and returns what the customer pays and the carrier gets.
func totals(t require.TestingT, l *store.Load) (tariff, pay int64) {
	wrong := l.CheckMoney(nil, l.CheckVehicles(store.ErrInvalid))
	require.Empty(t, wrong.Fields)
	require.NoError(t, plan.Adds(l.Plan.V, l.Tariff, l.CarrierPay, l.Currency))
	tariff, _ = l.Units(l.Tariff)
	pay, _ = l.Units(l.CarrierPay)
	fee, _ := plan.Units(l.BrokerFee, l.Currency)
	require.Equal(t, tariff-pay, fee)

	return tariff, pay
}

// Walk 12 of the trade: whatever is split off, removed and copied, plans add up and no cent is lost.
func TestMoney_IsKeptToTheCentWhateverBecomesOfALoad(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := priced(t)
		tariff, pay := totals(t, l)
		again := copyOf(*l, true, true)
		copied, copiedPay := totals(t, &again)
		require.Equal(t, []int64{tariff, pay}, []int64{copied, copiedPay}, "a copy costs the same")
		if len(l.Vehicles.V) < 2 {
			return
		}
		off := rapid.SliceOfNDistinct(rapid.SampledFrom(l.Vehicles.V), 1, len(l.Vehicles.V)-1, func(v store.Vehicle) uuid.UUID { return v.UUID }).Draw(t, "off")
		var ids []uuid.UUID
		for _, v := range off {
			ids = append(ids, v.UUID)
		}
		slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		l.Vehicles.V, l.Charges.V = slices.Clone(l.Vehicles.V), slices.Clone(l.Charges.V)
		other, err := splitOff(l, ids)
		require.NoError(t, err)
		stays, staysPay := totals(t, l)
		leaves, leavesPay := totals(t, &other)
		require.Equal(t, []int64{tariff, pay}, []int64{stays + leaves, staysPay + leavesPay}, "the two cost what the one did")
		gone := &l.Vehicles.V[0]
		price, _ := l.Units(gone.Tariff)
		gone.Custody = store.Removed
		less, _ := totals(t, l)
		require.Equal(t, stays-price, less, "what is removed is not paid for")
	})
}

func TestShare_LosesNoCent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := priced(t)
		l.Charges.V = nil
		whole := l.AmountOf(rapid.Int64Range(0, 1_000_000_00).Draw(t, "whole"))
		require.NoError(t, l.Share(whole, whole))
		totals(t, l)
		require.Equal(t, []money.Amount{whole, whole}, []money.Amount{l.Tariff, l.CarrierPay})
	})
}
