package carrierlink

import (
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/page"
)

var (
	signer   = page.Field{Name: "name", Label: "Your name", Autocomplete: "name", MaxLength: 200, Required: true}
	consents = page.Field{Name: "accepted", Label: "I accept this load at this pay, on these days and terms", Type: "checkbox", Required: true}
	note     = page.Field{Name: "note", Label: "Note", Type: "textarea", MaxLength: 500}
	driver   = page.Field{Name: "crew.driver_name", Label: "Driver", MaxLength: 200}
	phone    = page.Field{Name: "crew.driver_phone", Label: "Phone of the driver", Type: "tel", MaxLength: 40}
)

// verbs are what a carrier does on its page.
var verbs = []face.Verb{
	{Name: "accept", Title: "Accept", Submit: "Accept this load", Fields: []page.Field{
		{Name: "pickup_date", Label: "Day of the pickup", Type: "date", Required: true},
		{Name: "delivery_date", Label: "Day of the delivery", Type: "date", Required: true},
		driver, phone, signer, consents,
	}},
	{Name: "counter", Title: "Ask for something else", Submit: "Send the counter", Second: true, Fields: []page.Field{
		{Name: "amount", Label: "Pay", InputMode: "decimal", MaxLength: 20},
		{Name: "pickup_date", Label: "Day of the pickup", Type: "date"},
		{Name: "delivery_date", Label: "Day of the delivery", Type: "date"},
		note,
	}},
	{Name: "decline", Title: "No, thank you", Submit: "Decline", Second: true, Fields: []page.Field{
		{Name: "note", Label: "What made you decline?", Type: "textarea", MaxLength: 500},
	}},
	{Name: "company", Submit: "Look me up", Fields: []page.Field{{
		Name: "usdot", Label: "USDOT number", Hint: "We then send a code to the phone or e-mail that the regulator has on record for you.", InputMode: "numeric", MaxLength: 20, Required: true,
	}}},
	{Name: "code", Title: "Before you accept: a code", Submit: "Send a code", Fields: []page.Field{{
		Name: "channel", Label: "Send it to", Hint: "The phone or e-mail that the regulator has on record for you.", Type: "select", Required: true,
	}}},
	{Name: "identify", Title: "Your code", Submit: "Confirm", Fields: []page.Field{
		{Name: "code", Label: "Code", InputMode: "numeric", Autocomplete: "one-time-code", MaxLength: 20, Required: true},
	}},
	{Name: "confirm", Title: "The terms have changed", Submit: "Accept the new terms", Fields: []page.Field{signer, consents}},
	{Name: "driver_links", Title: "At the pickup and the delivery", Submit: "Inspect and sign"},
	{Name: "update", Title: "Who comes, and when", Submit: "Save", Second: true, Fields: []page.Field{
		driver, phone,
		{Name: "crew.truck", Label: "Truck", MaxLength: 100},
		{Name: "eta_pickup", Label: "At the pickup, local time", Type: "datetime-local"},
		{Name: "eta_delivery", Label: "At the delivery, local time", Type: "datetime-local"},
	}},
	{Name: "collected", Title: "The customer has paid me", Submit: "Say that it was paid", Second: true, Fields: []page.Field{
		{Name: "amount", Label: "Amount", InputMode: "decimal", MaxLength: 20, Required: true},
		{Name: "method", Label: "How?", Type: "select", Required: true, Options: []page.Option{
			{Value: "cash", Text: "Cash"},
			{Value: "certified_check", Text: "Certified check"},
			{Value: "money_order", Text: "Money order"},
			{Value: "check", Text: "Check"},
			{Value: "zelle", Text: "Zelle"},
			{Value: "venmo", Text: "Venmo"},
			{Value: "cashapp", Text: "Cash App"},
			{Value: "other", Text: "Otherwise"},
		}},
	}},
	{Name: "cancel", Title: "Give the load back", Submit: "Give the load back", Second: true, Fields: []page.Field{
		{Name: "reason", Label: "Why?", Type: "select", Required: true}, note,
	}},
}

// problems explain refusals of answers, by their codes.
var problems = map[string]string{
	store.ErrVehicleTaken.Code:   "The load is taken.",
	store.ErrOfferExpired.Code:   "The offer expired in the meantime.",
	store.ErrNotYourTurn.Code:    "We have your counter already.",
	store.ErrTermsChanged.Code:   "The offer has changed in the meantime. Please look at it again.",
	store.ErrNotOpen.Code:        "The offer is no longer open.",
	errNotNow.Code:               errNotNow.Message,
	errCallUs.Code:               errCallUs.Message,
	store.ErrNothingChanged.Code: store.ErrNothingChanged.Message,
	store.ErrNoRoundsLeft.Code:   store.ErrNoRoundsLeft.Message,
	proof.ErrIdentityNeeded.Code: "Please prove with a code that you are the carrier.",
	onetimecode.ErrWrong.Code:    "The code is wrong.",
	onetimecode.ErrNone.Code:     "This code is no longer valid. Request a new one.",
	onetimecode.ErrTooMany.Code:  "Too many codes were sent. Please wait a little, or call us.",
	errNoRecord.Code:             errNoRecord.Message,
	proof.ErrUSDOTNeeded.Code:    proof.ErrUSDOTNeeded.Message,
	errOnBoard.Code:              errOnBoard.Message,
	store.ErrNoLoad.Code:         store.ErrNoLoad.Message,
	carrying.ErrNotPickedUp.Code: carrying.ErrNotPickedUp.Message,
	errNoInspection.Code:         errNoInspection.Message,
	link.ErrPortalOff.Code:       "Links for drivers are switched off at the moment. Please call us.",
}
