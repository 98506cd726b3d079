package drivers

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/drivers/driversapi"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// driver is a row of drivers_drivers.
type driver struct {
	resource.Row

	Name           string      `json:"name" field:"required,max=100,sort,search,title" example:"Ann Lee"`
	Phone          field.Phone `json:"phone" field:"search"`
	Email          field.Email `json:"email" field:"search"`
	LicenseNumber  *string     `json:"license_number" field:"max=30,sensitive" doc:"Number of the commercial driver's license (CDL)."`
	LicenseClass   *string     `json:"license_class" enum:"A,B,C,D" doc:"D is a non-commercial license."`
	LicenseState   string      `json:"license_state" field:"max=3" doc:"State or province that issued it." example:"TX"`
	LicenseExpires field.Date  `json:"license_expires" field:"expires,sort"`
	MedicalExpires field.Date  `json:"medical_expires" field:"expires,sort" doc:"Expiry of the medical examiner's certificate."`
	TWICExpires    field.Date  `json:"twic_expires" gorm:"column:twic_expires" field:"expires,sort" doc:"Expiry of the port access card (TWIC)."`
	Hazmat         bool        `json:"hazmat" doc:"Whether the license is endorsed for hazardous materials."`
	HazmatExpires  field.Date  `json:"hazmat_expires" field:"expires,sort" doc:"Expiry of the hazmat endorsement."`
	PayBasis       *string     `json:"pay_basis" enum:"per_mile,percent,flat,per_vehicle"`
	User           *uuid.UUID  `json:"user_uuid" gorm:"column:user_id" field:"user,unique" doc:"The driver's own user, for a driver who signs in."`
	Fleet          *uuid.UUID  `json:"fleet_uuid" gorm:"column:fleet_id" field:"item=fleets.fleet,on_delete=clear"`
	Status         status      `json:"status" field:"sort"`
	Notes          string      `json:"notes" field:"max=2000,search,nofilter"`
}

// TableName implements GORM's naming.
func (driver) TableName() string { return "drivers_drivers" }

type status string

const (
	invited  status = "invited"
	active   status = "active"
	inactive status = "inactive"
)

var lifecycle = state.Machine[status]{
	Item: driversapi.Item, Initial: invited,
	Steps: []state.Step[status]{
		{From: []status{invited, inactive}, Verb: "activate", To: active},
		{From: []status{invited, active}, Verb: "deactivate", To: inactive},
	},
}

// checkDriver brings a driver into the normal form.
func checkDriver(_ context.Context, d *driver) error {
	d.LicenseState = strings.ToUpper(d.LicenseState)
	if !d.Hazmat {
		d.HazmatExpires = ""
	}

	return nil
}

// expiring is the event of a document that expires. Of drivers who do not drive any more nobody is told.
func expiring(d driver, e resource.Expiry) events.Event {
	if d.Status == inactive {
		return nil
	}

	return driversapi.DocumentExpiring{Driver: d.ID.String(), Document: e.Document, ExpiresOn: string(e.On), Days: e.Days}
}
