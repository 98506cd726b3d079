package shippers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// location is a row of shippers_locations.
type location struct {
	resource.Row

	Shipper      uuid.UUID                `json:"shipper_uuid" gorm:"column:shipper_id" field:"required,item=shippers.shipper,on_delete=remove"`
	Name         string                   `json:"name" field:"required,max=100,sort,search,title" example:"Dallas lot 4"`
	Venue        string                   `json:"venue" field:"default=business,sort" enum:"business,residence,dealer,auction,port,rail,terminal,yard,body_shop,rental,other"`
	Address      field.Address            `json:"address"`
	Position     field.GeoPoint           `json:"position"`
	TimeZone     string                   `json:"time_zone" field:"required,max=64" doc:"An IANA name; hours and closures are in this zone." example:"America/Chicago"`
	Hours        resource.JSON[[]opened]  `json:"hours" field:"max=42" doc:"When it is open in a week; empty if not known."`
	Closures     resource.JSON[[]closure] `json:"closures" field:"max=100" doc:"Days on which it is closed whatever the hours are, such as holidays."`
	Contact      *uuid.UUID               `json:"contact_uuid" gorm:"column:contact_id" field:"item=contacts.contact,on_delete=clear" doc:"The contact that drivers call."`
	Appointment  string                   `json:"appointment" field:"default=none" enum:"none,call_ahead,required" doc:"Whether drivers may come at any time within the hours, must call ahead, or need an appointment."`
	Notice       *int64                   `json:"notice_hours" gorm:"column:notice_hours" field:"min=0,max=336" doc:"Notice that a call or an appointment takes."`
	Release      string                   `json:"release_rule" gorm:"column:release_rule" field:"default=shipper" enum:"shipper,none,code,form,id,code_and_id" doc:"What a driver shows to get a vehicle; shipper applies the rule of the shipper."`
	Instructions string                   `json:"instructions" field:"max=5000,search,nofilter" doc:"For drivers." example:"Enter by gate 7."`
	Active       bool                     `json:"active" field:"default=true,sort"`
}

// TableName implements GORM's naming.
func (location) TableName() string { return "shippers_locations" }

// opened is a period of a week. One that ends at 24:00 continues with one from 00:00 of the next day.
type opened struct {
	Day  day    `json:"day" enum:"mon,tue,wed,thu,fri,sat,sun"`
	From string `json:"from" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" patternDescription:"a time such as 08:00" example:"08:00"`
	To   string `json:"to" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" patternDescription:"a time such as 17:00, at most 24:00" doc:"Later than from; at most 24:00." example:"17:00"`
}

// closure is a period of days.
type closure struct {
	From   string `json:"from" format:"date" example:"2026-12-24"`
	To     string `json:"to,omitempty" format:"date" doc:"The last day; by default the first." example:"2026-12-26"`
	Reason string `json:"reason,omitempty" maxLength:"100" example:"Christmas"`
}

func (c closure) until() string { return cmp.Or(c.To, c.From) }

// walkIn is the appointment rule of a location without one.
const walkIn = "none"

type day string

// weekday is the day as the standard library has it.
func (d day) weekday() time.Weekday { return time.Weekday((slices.Index(days, d) + 1) % len(days)) }

var days = []day{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

var errLocation = errs.New(errs.Invalid, "shippers.invalid_location", "The given data was invalid.")

// checkLocation sorts hours and closures, and refuses invalid and overlapping hours.
func checkLocation(_ context.Context, l *location) error {
	wrong := errLocation
	if _, err := time.LoadLocation(l.TimeZone); err != nil || l.TimeZone == "Local" {
		wrong = wrong.WithField("time_zone", "The time zone must be an IANA name, such as America/Chicago.")
	}
	for i, o := range l.Hours.V {
		if !slices.Contains(days, o.Day) {
			wrong = wrong.WithField(fmt.Sprintf("hours.%d.day", i), "The day must be one of mon, tue, wed, thu, fri, sat and sun.")
		}
		if o.From >= o.To { // both are hh:mm
			wrong = wrong.WithField(fmt.Sprintf("hours.%d.to", i), "The hours must end after they begin. Enter hours over midnight as two periods.")
		}
		for n, other := range l.Hours.V[:i] {
			if o.Day == other.Day && o.From < other.To && other.From < o.To {
				wrong = wrong.WithField(fmt.Sprintf("hours.%d", i), fmt.Sprintf("The hours overlap those of hours.%d.", n))
			}
		}
	}
	for i, c := range l.Closures.V {
		if _, err := time.Parse(time.DateOnly, c.From); err != nil {
			wrong = wrong.WithField(fmt.Sprintf("closures.%d.from", i), "`from` must be a date, such as 2026-12-24.")
		}
		if _, err := time.Parse(time.DateOnly, c.until()); err != nil || c.until() < c.From {
			wrong = wrong.WithField(fmt.Sprintf("closures.%d.to", i), "`to` must be a date, not before from.")
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	l.Closures.V = slices.SortedFunc(slices.Values(l.Closures.V), func(a, b closure) int { return strings.Compare(a.From, b.From) })
	l.Hours.V = slices.SortedFunc(slices.Values(l.Hours.V), func(a, b opened) int {
		if a.Day != b.Day {
			return slices.Index(days, a.Day) - slices.Index(days, b.Day)
		}

		return strings.Compare(a.From, b.From)
	})

	return nil
}
