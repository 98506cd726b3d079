package trucks

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/trucks/trucksapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// truck is a row of trucks_trucks.
type truck struct {
	resource.Row

	Unit         string     `json:"unit" field:"required,max=20,unique,sort,search,title" doc:"Name of the truck." example:"12"`
	VIN          field.VIN  `json:"vin" gorm:"column:vin" field:"unique,search"`
	Plate        string     `json:"plate" field:"max=12,search" example:"R12 3456"`
	PlateState   string     `json:"plate_state" field:"max=3" doc:"State or province that issued it." example:"TX"`
	Year         *int64     `json:"year" field:"min=1900,max=2100,sort"`
	Make         string     `json:"make" field:"max=50,search" example:"Peterbilt"`
	Model        string     `json:"model" field:"max=50,search" example:"389"`
	Kind         string     `json:"kind" field:"default=tractor" enum:"tractor,straight,pickup"`
	TrailerKind  *string    `json:"trailer_kind" enum:"single,wedge,hotshot,open,enclosed"`
	Slots        int64      `json:"slots" field:"max=12,sort" doc:"How many vehicles it carries; 0 uses the default of the trailer type."`
	MaxPayload   *int64     `json:"max_payload_lb" gorm:"column:max_payload_lb" field:"min=1,max=80000,sort" doc:"In pounds."`
	Winch        bool       `json:"winch"`
	Enclosed     bool       `json:"enclosed" doc:"Always true for an enclosed trailer."`
	Liftgate     bool       `json:"liftgate"`
	Registration field.Date `json:"registration_expires" gorm:"column:registration_expires" field:"expires,sort"`
	Insurance    field.Date `json:"insurance_expires" gorm:"column:insurance_expires" field:"expires,sort"`
	Inspection   field.Date `json:"inspection_expires" gorm:"column:inspection_expires" field:"expires,sort" doc:"Expiry of the annual inspection."`
	HomeBase     string     `json:"home_base" field:"max=200,search" example:"Dallas, TX"`
	ELDProvider  string     `json:"eld_provider" gorm:"column:eld_provider" field:"max=50" doc:"Provider of its logging device (ELD)."`
	ELDID        string     `json:"eld_id" gorm:"column:eld_id" field:"max=100" doc:"Id of the truck at the ELD provider."`
	Driver       *uuid.UUID `json:"driver_uuid" gorm:"column:driver_id" field:"item=drivers.driver,on_delete=clear"`
	Fleet        *uuid.UUID `json:"fleet_uuid" gorm:"column:fleet_id" field:"item=fleets.fleet,on_delete=clear"`
	Status       status     `json:"status" field:"sort"`
	Notes        string     `json:"notes" field:"max=2000,search,nofilter"`
}

// TableName implements GORM's naming.
func (truck) TableName() string { return "trucks_trucks" }

type status string

const (
	available     status = "available"
	assigned      status = "assigned"
	inMaintenance status = "in_maintenance"
	outOfService  status = "out_of_service"
)

var lifecycle = state.Machine[status]{
	Item: trucksapi.Item, Initial: available,
	Steps: []state.Step[status]{
		{From: []status{available}, Verb: "assign", To: assigned},
		{From: []status{assigned}, Verb: "release", To: available},
		{From: []status{available, assigned}, Verb: "maintain", To: inMaintenance},
		{From: []status{available, assigned, inMaintenance}, Verb: "withdraw", To: outOfService},
		{From: []status{inMaintenance, outOfService}, Verb: "return", To: available},
	},
}

var (
	errNoDriver = errs.New(errs.Conflict, "trucks.no_driver", "The truck has no driver. Assign one first.")
	errExpired  = errs.New(errs.Conflict, "trucks.document_expired", "A document of the truck has expired. Enter the new day on which it expires.")
)

// checkTruck brings a truck into the normal form.
func checkTruck(_ context.Context, t *truck) error {
	t.PlateState = strings.ToUpper(t.PlateState)
	if t.TrailerKind != nil {
		t.Enclosed = t.Enclosed || *t.TrailerKind == "enclosed"
		if t.Slots == 0 {
			t.Slots = map[string]int64{"single": 1, "wedge": 3, "hotshot": 3, "open": 9, "enclosed": 6}[*t.TrailerKind]
		}
	}

	return nil
}

// checkAssignment releases an assigned truck that loses its driver, whoever takes him away, and checks one that is to be assigned.
func checkAssignment(ctx context.Context, trucks *resource.Resource[truck], c resource.Change[truck]) error {
	switch {
	case c.Verb == "assign" && c.After.Driver == nil:
		return errNoDriver
	case c.Verb == "assign":
		over, err := trucks.Expired(ctx, *c.After)
		if err != nil || over == nil {
			return err
		}

		return errExpired.WithMessage("The %s of the truck expired on %s.", over.Document, over.On).WithDetail("document", over.Document)
	case c.Verb != resource.Delete && c.After.Status == assigned && c.After.Driver == nil:
		return trucks.Step(ctx, c.After, state.Move{Verb: "release", Reason: "The truck no longer has a driver."})
	default:
		return nil
	}
}

// expiring is the event of a document that expires. Of trucks out of service nobody is told.
func expiring(t truck, e resource.Expiry) events.Event {
	if t.Status == outOfService {
		return nil
	}

	return trucksapi.DocumentExpiring{Truck: t.ID.String(), Document: e.Document, ExpiresOn: string(e.On), Days: e.Days}
}
