package store

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
)

// AllowedDays are the days on which a load can be picked up and delivered: those of its windows, and where a window is open, none in the past.
type AllowedDays struct {
	pickup, delivery loadsapi.Window
	earliest         field.Date
}

// AllowedDaysOf returns the days on which a load can be picked up and delivered. Yesterday is not the past yet: it may be today where the
// carrier is.
func AllowedDaysOf(load loadsapi.Standing, today field.Date) (AllowedDays, error) {
	day, err := time.Parse(time.DateOnly, string(today))

	return AllowedDays{load.Pickup, load.Delivery, field.Date(day.AddDate(0, 0, -1).Format(time.DateOnly))}, err
}

// Dates are the days of a pickup and a delivery, "" for those that are not known.
type Dates struct{ Pickup, Delivery field.Date }

// Check refuses days on which the load cannot be picked up or delivered, except those that are agreed already. It refuses missing days if they are
// required.
func (a AllowedDays) Check(now, current Dates, required bool) *errs.Error {
	wrong := ErrOutsideWindow
	for _, one := range []struct {
		name     string
		day, was field.Date
		in       loadsapi.Window
	}{{"pickup_date", now.Pickup, current.Pickup, a.pickup}, {"delivery_date", now.Delivery, current.Delivery, a.delivery}} {
		switch day := string(one.day); {
		case day == "" && required:
			wrong = wrong.WithField(one.name, "The "+one.name+" is required.")
		case day == "" || one.day == one.was:
		case one.in.From != "" && day < one.in.From:
			wrong = wrong.WithField(one.name, "The "+one.name+" must not be before "+one.in.From+".")
		case one.in.To != "" && day > one.in.To:
			wrong = wrong.WithField(one.name, "The "+one.name+" must not be after "+one.in.To+".")
		case one.in.From == "" && one.day < a.earliest:
			wrong = wrong.WithField(one.name, "The "+one.name+" must not be in the past.")
		}
	}
	if now.Pickup != "" && now.Delivery != "" && now.Delivery < now.Pickup {
		wrong = wrong.WithField("delivery_date", "`delivery_date` must not be before the `pickup_date`.")
	}

	return wrong
}

// Days are the days that were agreed.
func (d Dispatch) Days() Dates { return Dates{d.PickupDate, d.DeliveryDate} }
