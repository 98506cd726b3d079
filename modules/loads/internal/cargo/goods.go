package cargo

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// household is the kind of goods that people leave in a vehicle.
const household = "household_in_vehicle"

// Check refuses goods, which are named by at, that cannot be.
func (c Commodity) Check(at string, in money.Currency, wrong *errs.Error) *errs.Error {
	if _, ok := plan.Owed(c.Declared, in); !ok {
		wrong = wrong.WithField(at+".declared_value", plan.AmountRule("declared_value", in))
	}

	return wrong
}

// Unusual reports whether the settings of the company have a say in goods.
func (c Commodity) Unusual() bool { return c.Hazmat != nil || c.Kind == household }

// Open is how many vehicles are on a load still.
func Open(all []Vehicle) (n int64) {
	for _, v := range all {
		if v.Open() {
			n++
		}
	}

	return n
}

// HouseholdLb is what all personal effects in vehicles weigh, in pounds.
func HouseholdLb(all []Commodity) (pounds int64) {
	for _, c := range all {
		if c.Kind == household {
			pounds += c.WeightLb
		}
	}

	return pounds
}

// CheckHazmat refuses hazardous material, but for what a load had before.
func CheckHazmat(all, before []Commodity, wrong *errs.Error) *errs.Error {
	had := map[uuid.UUID]Hazmat{}
	for _, c := range before {
		if c.Hazmat != nil {
			had[c.UUID] = *c.Hazmat
		}
	}
	for i, c := range all {
		if c.Hazmat != nil && had[c.UUID] != *c.Hazmat {
			wrong = wrong.WithField("commodities."+strconv.Itoa(i)+".hazmat", "The company does not carry hazardous material. Whoever may change the settings can let it in by allow_hazmat.")
		}
	}

	return wrong
}
