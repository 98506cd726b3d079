package store

import (
	"github.com/dispatchd/dispatchd/platform/errs"
)

// What offers are refused with.
var (
	ErrInvalidOffer   = errs.New(errs.Invalid, "dispatches.invalid_offer", "The given data was invalid.")
	ErrVehicleTaken   = errs.New(errs.Conflict, "dispatches.vehicle_taken", "The vehicles are taken. Another carrier has them.")
	ErrOfferExpired   = errs.New(errs.Conflict, "dispatches.offer_expired", "The offer has expired. Ask for a new one.")
	ErrNotYourTurn    = errs.New(errs.Conflict, "dispatches.not_your_turn", "It is the other side's turn. Wait for its answer.")
	ErrNothingChanged = errs.New(errs.Conflict, "dispatches.nothing_changed", "Your counter-offer equals the current terms. Accept them, or change the amount or the days.")
	ErrNoRoundsLeft   = errs.New(errs.Conflict, "dispatches.rounds_used_up", "No counter-offers are left. Accept the current terms or decline.")
	ErrOutsideWindow  = errs.New(errs.Invalid, "dispatches.dates_outside_window", "The given data was invalid.")
	ErrTermsChanged   = errs.New(errs.Conflict, "dispatches.terms_changed", "The offer has changed meanwhile. Look at it again. See details.fields.")
	ErrTermsUnnamed   = ErrInvalidOffer.WithField("shown",
		"The `shown` is required: how many transactions the offer had when you read it. Or send If-Match with the ETag of the offer.")
	ErrNotOpen          = errs.New(errs.Conflict, "dispatches.not_open", "The offer is no longer open.")
	ErrRemindedRecently = errs.New(errs.TooMany, "dispatches.reminded_recently", "The carrier was reminded less than 30 minutes ago.")
	ErrOfferOpen        = errs.New(errs.Conflict, "dispatches.offer_open", "The carrier has an open offer for the load. Change or withdraw that one.")
)

// What dispatches are refused with.
var (
	ErrInvalidDispatch  = errs.New(errs.Invalid, "dispatches.invalid_dispatch", "The given data was invalid.")
	ErrLoaded           = errs.New(errs.Conflict, "dispatches.loaded", "The vehicles were picked up already. If the carrier cannot go on, abandon the dispatch.")
	ErrDayPassed        = errs.New(errs.Conflict, "dispatches.day_passed", "The vehicles were picked up: the agreed day of the pickup stays.")
	ErrVINDiffers       = errs.New(errs.Conflict, "bills_of_lading.vin_differs", "The VIN of a vehicle is another one than that of the load. It stays until the company accepts that.")
	ErrTakenBack        = errs.New(errs.Conflict, "dispatches.taken_back", "The carrier no longer has the load. Open its current dispatch.")
	ErrSettled          = errs.New(errs.Conflict, "dispatches.settled", "The carrier was paid: what it gets can no longer be changed.")
	ErrTermsUnconfirmed = errs.New(errs.Conflict, "dispatches.terms_unconfirmed", "The carrier has not confirmed the lower pay yet. It does so by its link; the office can go on with a note.")
	ErrCancelled        = errs.New(errs.Conflict, "dispatches.cancelled", "The dispatch was canceled already. Dispatch the load again.")
	ErrNoLoad           = errs.New(errs.Conflict, "dispatches.no_load", "You do not have this load.")
)

// What other areas refuse a carrier or a load with.
var (
	ErrIneligible = errs.New(errs.Conflict, "carriers.blocked", "The carrier cannot have this load.")
	ErrUnsigned   = errs.New(errs.Conflict, "loads.change_order_unsigned", "The customer has not signed the changes of the load. Send a change order, or override with a note.")
	ErrOnHold     = errs.New(errs.Conflict, "loads.on_hold", "The load is on hold. Release it first.")
)

// IgnoreRefusal is nil for a refusal: what was to be done is done, or can no longer be done.
func IgnoreRefusal(err error) error {
	if errs.IsRefusal(err) {
		return nil
	}

	return err
}
