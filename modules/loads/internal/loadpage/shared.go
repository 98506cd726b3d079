package loadpage

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Shared is a load as whoever has a link sees it.
type Shared struct {
	Brand         page.Brand      `json:"brand"`
	Number        string          `json:"number"`
	State         loadsapi.State  `json:"state"`
	Stops         []route.Stop    `json:"stops" nullable:"false"`
	Vehicles      []cargo.Vehicle `json:"vehicles" nullable:"false"`
	Charges       []plan.Charge   `json:"charges" nullable:"false"`
	Plan          []plan.Line     `json:"payment_plan" nullable:"false"`
	Payments      []plan.Payment  `json:"payments" nullable:"false"`
	Tariff        money.Amount    `json:"tariff"`
	CustomerOwes  money.Amount    `json:"customer_balance" doc:"What is left to pay; negative for what is to be given back."`
	Currency      money.Currency  `json:"currency"`
	Miles         *int64          `json:"miles"`
	FromDays      *int64          `json:"transit_from_days"`
	ToDays        *int64          `json:"transit_to_days"`
	AvailableFrom string          `json:"available_from"`
	PromisedBy    string          `json:"pickup_promised_by" doc:"The day by which the pickup was promised; empty if none was."`
	Changes       []signing.Line  `json:"changes" nullable:"false" doc:"What has changed since the customer has signed, and is to be signed."`
	ChangesKey    string          `json:"changes_key" doc:"Send it along with the signature, so that it is of what was shown; empty if nothing is to be signed."`
	ShownKey      string          `json:"shown_key" doc:"Send it along with the booking, so that it is of what was shown."`
	Notes         []string        `json:"notes" nullable:"false" doc:"What the company has written about the load for its customer."`
	Coming        Coming          `json:"coming" doc:"Who comes, and when, as far as it is known."`
	Bookable      bool            `json:"bookable" doc:"Whether it can be booked by the link: it has a price, and was not booked yet."`
}

// Coming is who comes for a load, and when.
type Coming struct {
	Carrier  string     `json:"carrier"`
	Driver   string     `json:"driver" doc:"The first name."`
	Phone    string     `json:"company_phone" doc:"Whom to call."`
	Pickup   string     `json:"pickup_date" doc:"The agreed day."`
	Delivery string     `json:"delivery_date"`
	AtPickup *time.Time `json:"eta_pickup" doc:"When the driver is expected."`
	AtDrop   *time.Time `json:"eta_delivery"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Coming) SchemaName() string { return "ComingLoad" }

// ComingOf is what is known of who comes.
func ComingOf(f loadsapi.Following) Coming {
	c := Coming{Carrier: f.Carrier, Driver: f.Driver, Phone: f.Phone, Pickup: f.PickupDate, Delivery: f.DeliveryDate}
	if !f.ETAPickup.IsZero() {
		c.AtPickup = &f.ETAPickup
	}
	if !f.ETADelivery.IsZero() {
		c.AtDrop = &f.ETADelivery
	}

	return c
}

// SchemaName is the name of the body in the OpenAPI document.
func (Shared) SchemaName() string { return "SharedLoad" }
