package deliveries

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/deliveries/deliveriesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// delivery is a row of deliveries_deliveries: the vehicles of a load that are delivered at one stop. A load has one for each such stop.
type delivery struct {
	resource.Row

	Load        uuid.UUID                `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load"`
	Stop        uuid.UUID                `json:"stop_uuid" gorm:"column:stop_id" field:"required,fixed"`
	Title       string                   `json:"title" gorm:"column:words" field:"readonly,search,title" doc:"The load and the place." example:"L-2026-00012, Miami, FL"`
	State       standing                 `json:"state" field:"sort"`
	From        *time.Time               `json:"scheduled_from" gorm:"column:scheduled_from" field:"sort" doc:"The appointment. By default none: the window of the stop counts."`
	To          *time.Time               `json:"scheduled_to" gorm:"column:scheduled_to" field:"sort"`
	Reference   string                   `json:"appointment_number" gorm:"column:appointment_number" field:"max=60,search" doc:"What the receiver calls the appointment."`
	Contact     string                   `json:"contact_name" gorm:"column:contact_name" field:"max=200,personal"`
	Phone       field.Phone              `json:"contact_phone" gorm:"column:contact_phone"`
	Recipient   string                   `json:"recipient" field:"max=200,personal" doc:"Who received the vehicles."`
	Notes       string                   `json:"notes" field:"max=2000,nofilter"`
	Vehicles    int64                    `json:"vehicle_count" gorm:"column:vehicle_count" field:"readonly,sort"`
	Attempts    resource.JSON[[]attempt] `json:"attempts" field:"readonly" doc:"What came of each try. Nothing is taken off it."`
	DeliveredAt *time.Time               `json:"delivered_at" field:"readonly,sort"`
	BOL         *uuid.UUID               `json:"bol_uuid" gorm:"column:bol_id" field:"readonly" doc:"The bill of lading that was signed; null for none."`
	Proof       *uuid.UUID               `json:"proof_uuid" gorm:"column:proof_id" field:"readonly" doc:"The attachment with the bill of lading as it was signed; null for none."`
}

// TableName implements GORM's naming.
func (delivery) TableName() string { return "deliveries_deliveries" }

// attempt is a try to deliver.
type attempt struct {
	At      time.Time `json:"at"`
	Outcome string    `json:"outcome" enum:"delivered,failed"`
	Reason  string    `json:"reason,omitempty" enum:"nobody_there,refused,access,damage,other"`
	Note    string    `json:"note,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (attempt) SchemaName() string { return "DeliveryAttempt" }

// standing is a state of a delivery.
type standing string

const (
	scheduled standing = "scheduled"
	out       standing = "out_for_delivery"
	delivered standing = "delivered"
	failed    standing = "failed"
	returned  standing = "returned"
	cancelled standing = "cancelled"
)

// What is done to a delivery, beside what is done to every resource.
const (
	verbGoOut      resource.Verb = "go_out"
	verbDeliver    resource.Verb = "deliver"
	verbFail       resource.Verb = "fail"
	verbReschedule resource.Verb = "reschedule"
	verbReturn     resource.Verb = "return"
	verbCancel     resource.Verb = "cancel"
	verbProve      resource.Verb = "prove"
)

// life is the life of deliveries.
var life = state.Machine[standing]{
	Item: deliveriesapi.Delivery, Initial: scheduled, Final: []standing{delivered, cancelled},
	Steps: []state.Step[standing]{
		{From: []standing{scheduled}, Verb: string(verbGoOut), To: out},
		{From: []standing{scheduled, out, failed, returned}, Verb: string(verbDeliver), To: delivered},
		{From: []standing{scheduled, out}, Verb: string(verbFail), To: failed},
		{From: []standing{failed}, Verb: string(verbReschedule), To: scheduled},
		{From: []standing{failed}, Verb: string(verbReturn), To: returned},
		{From: []standing{scheduled, out, failed}, Verb: string(verbCancel), To: cancelled, Automatic: true},
	},
}

// open reports whether vehicles are still to be delivered.
func (d delivery) open() bool { return d.State == scheduled || d.State == out || d.State == failed }

func (d delivery) about() deliveriesapi.About {
	return deliveriesapi.About{Delivery: d.ID.String(), Load: d.Load.String()}
}

var (
	errDelivery = errs.New(errs.Invalid, "deliveries.invalid_delivery", "The given data was invalid.")
	errEarly    = errs.New(errs.Conflict, "deliveries.not_picked_up", "The vehicles of the delivery were not picked up. Record their pickup first.")
)

// checkDelivery refuses an appointment that ends before it begins.
func checkDelivery(_ context.Context, d *delivery) error {
	if d.From != nil && d.To != nil && d.To.Before(*d.From) {
		return errDelivery.WithField("scheduled_to", "`scheduled_to` must not be before the `scheduled_from`.")
	}

	return nil
}

func deliveryRules() resource.Rules[delivery] {
	of := func(make func(a deliveriesapi.About) events.Event) func(d delivery) events.Event {
		return func(d delivery) events.Event { return make(d.about()) }
	}
	scheduling := of(func(a deliveriesapi.About) events.Event { return deliveriesapi.Scheduled{About: a} })

	return resource.Rules[delivery]{
		Item: deliveriesapi.Delivery, Plural: "deliveries", Sort: []string{"scheduled_from"}, KeepDeleted: true,
		About:    "The vehicles of a load that are delivered at one stop: the appointment, the attempts, and the proof. `filter[load_uuid]` lists those of a load.",
		Life:     resource.LifeOf(life, func(d *delivery) *standing { return &d.State }),
		Check:    checkDelivery,
		Own:      []resource.Verb{resource.Create, resource.Delete, resource.Restore, verbDeliver, verbFail, verbReschedule, verbCancel},
		Failures: resource.Failures{Invalid: errDelivery}, Errors: []*errs.Error{errEarly},
		Events: resource.Events[delivery]{
			verbReschedule: scheduling,
			verbGoOut:      of(func(a deliveriesapi.About) events.Event { return deliveriesapi.OutForDelivery{About: a} }),
			verbDeliver:    of(func(a deliveriesapi.About) events.Event { return deliveriesapi.Delivered{About: a} }),
			verbFail: func(d delivery) events.Event {
				e := deliveriesapi.Failed{About: d.about()}
				if n := len(d.Attempts.V); n > 0 {
					e.Reason = d.Attempts.V[n-1].Reason
				}

				return e
			},
			verbReturn: of(func(a deliveriesapi.About) events.Event { return deliveriesapi.Returned{About: a} }),
		},
	}
}
