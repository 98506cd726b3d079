package cargo

import (
	"cmp"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Check brings a vehicle, which is named by at, into its normal form.
func (v *Vehicle) Check(at string, in money.Currency, wrong *errs.Error) *errs.Error {
	v.VIN = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(v.VIN))
	v.Make, v.Model, v.Custody = strings.TrimSpace(v.Make), strings.TrimSpace(v.Model), cmp.Or(v.Custody, Waiting)
	if v.VIN == "" && (v.Make == "" || v.Model == "") {
		wrong = wrong.WithField(at+".vin", "A vin, or a make and a model, is required.")
	}
	if v.Type != "" && !v.Type.Known() {
		wrong = wrong.WithField(at+".type", "The type is none of those of GET /vehicles/api/v1/types.")
	}
	if len(v.Conditions) > 0 {
		no := false
		v.Operable = &no
	}

	return v.checkPrice(at, in, wrong)
}

// checkPrice completes tariff, carrier pay and fee, of which two give the third.
func (v *Vehicle) checkPrice(at string, in money.Currency, wrong *errs.Error) *errs.Error {
	tariff, isTariff := plan.Owed(v.Tariff, in)
	pay, isPay := plan.Owed(v.CarrierPay, in)
	fee, isFee := plan.Units(v.BrokerFee, in)
	_, isValue := plan.Owed(v.Declared, in)
	for name, ok := range map[string]bool{"tariff": isTariff, "carrier_pay": isPay, "broker_fee": isFee, "declared_value": isValue} {
		if !ok {
			wrong = wrong.WithField(at+"."+name, plan.AmountRule(name, in))
		}
	}
	amount := func(units int64) money.Amount { return money.OfUnits(units, in).Amount }
	switch {
	case v.Tariff != "" && v.CarrierPay != "" && v.BrokerFee != "" && isTariff && isPay && isFee && tariff-pay != fee:
		wrong = wrong.WithField(at+".broker_fee", "`broker_fee` must be the tariff less the `carrier_pay`. Leave one of the three out.")
	case v.Tariff != "" && v.CarrierPay != "":
		v.BrokerFee = amount(tariff - pay)
	case v.Tariff != "" && v.BrokerFee != "":
		if v.CarrierPay = amount(tariff - fee); tariff < fee {
			wrong = wrong.WithField(at+".broker_fee", "The broker_fee is more than the tariff.")
		}
	case v.CarrierPay != "" && v.BrokerFee != "":
		if v.Tariff = amount(pay + fee); pay+fee < 0 {
			wrong = wrong.WithField(at+".broker_fee", "The tariff would be negative.")
		}
	}

	return wrong
}

// Share shares amounts among the vehicles that are on a load, to the cent; "" leaves what they have.
func Share(all []Vehicle, tariff, pay money.Amount, in money.Currency, wrong *errs.Error) *errs.Error {
	for _, part := range []struct {
		name   string
		amount money.Amount
		into   func(v *Vehicle) *money.Amount
	}{
		{"tariff", tariff, func(v *Vehicle) *money.Amount { return &v.Tariff }},
		{"carrier_pay", pay, func(v *Vehicle) *money.Amount { return &v.CarrierPay }},
	} {
		if part.amount == "" {
			continue
		}
		if Open(all) == 0 {
			return wrong.WithField(part.name, "The load has no vehicle to price. Use a charge.")
		}
		if _, ok := plan.Owed(part.amount, in); !ok {
			return wrong.WithField(part.name, plan.AmountRule(part.name, in))
		}
		shares, err := money.Money{Amount: part.amount, Currency: in}.Split(int(Open(all)))
		if err != nil {
			return wrong.WithField(part.name, plan.AmountRule(part.name, in))
		}
		for i := range all {
			if v := &all[i]; v.Open() {
				*part.into(v), v.BrokerFee, shares = shares[0].Amount, "", shares[1:]
			}
		}
	}

	return wrong
}
