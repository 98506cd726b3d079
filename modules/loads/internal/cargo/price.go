package cargo

import (
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// CheckPrice completes tariff, carrier pay and fee, of which two give the third. The vehicle is named by at.
func (v *Vehicle) CheckPrice(at string, in money.Currency, wrong *errs.Error) *errs.Error {
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
		wrong = wrong.WithField(at+".broker_fee", "The broker_fee must be the tariff less the carrier_pay. Leave one of the three out.")
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
