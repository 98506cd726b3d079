package store

import (
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Warning is something that may be wrong with an offer or a dispatch, and is stored all the same.
type Warning struct {
	Code    string   `json:"code" example:"dispatches.before_available"`
	Field   string   `json:"field"`
	Message string   `json:"message"`
	Fields  []string `json:"fields,omitempty" nullable:"false" doc:"Of loads.change_order_unsigned: what the customer has yet to sign."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Warning) SchemaName() string { return "OfferWarning" }

// WarningsOf are what may be wrong with the pickup of a load on a day, "" for one that is not known yet.
func WarningsOf(load loadsapi.Standing, pickup field.Date) (all []Warning) {
	if first := load.AvailableFrom; first != "" && pickup != "" && string(pickup) < first {
		all = append(all, Warning{
			Code: "dispatches.before_available", Field: "pickup_date",
			Message: "The vehicles are available from " + page.Day(first) + " on. The agreed pickup is on " + page.Day(string(pickup)) + ".",
		})
	}
	if by := load.PromisedBy; by != "" && string(pickup) > by {
		all = append(all, Warning{
			Code: "dispatches.after_promise", Field: "pickup_date",
			Message: "The customer was promised the pickup by " + page.Day(by) + ". The agreed pickup is on " + page.Day(string(pickup)) + ".",
		})
	}

	return all
}

// OfferingWarnings are WarningsOf, and that no carrier can accept a load whose changes the customer has yet to sign.
func OfferingWarnings(load loadsapi.Standing, pickup field.Date) []Warning {
	all := WarningsOf(load, pickup)
	if len(load.Unsigned) > 0 {
		all = append(all, Warning{
			Code: ErrUnsigned.Code, Field: "load_uuid", Fields: load.Unsigned,
			Message: "The customer has yet to sign what has changed of the load. Carriers cannot accept it until then.",
		})
	}

	return all
}
