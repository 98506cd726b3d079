package store

import (
	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of bills of lading.
var (
	ErrMissingFields = errs.New(errs.Invalid, "bills_of_lading.missing_fields", "The bill of lading lacks what 49 CFR 373.101 requires.")
	ErrSigned        = errs.New(errs.Conflict, "bills_of_lading.signed_already", "This is already signed and cannot change. Amend the bill of lading instead.")
	ErrVoid          = errs.New(errs.Conflict, "bills_of_lading.void", "The bill of lading was voided. Use the one that replaces it.")
	ErrTakenBack     = errs.New(errs.Conflict, "bills_of_lading.taken_back", "The carrier no longer has the load. Open its current dispatch.")
	ErrNoCarrier     = errs.New(errs.Conflict, "bills_of_lading.no_carrier", "No carrier has the load. Dispatch it first.")
	ErrLinkClosed    = errs.New(errs.NotFound, "bills_of_lading.link_closed", "This link is no longer valid. Ask for a new one.")
	ErrTripNotFound  = errs.New(errs.NotFound, "bills_of_lading.trip_not_found", "There is no such trip, or none of its loads has a carrier.")
)

// The failures of inspections.
var (
	ErrInvalidEntry       = errs.New(errs.Invalid, "bills_of_lading.invalid_entry", "The given data was invalid.")
	ErrClientIDUsed       = errs.New(errs.Invalid, "bills_of_lading.client_id_used", "The given data was invalid.")
	ErrCodeUnknown        = errs.New(errs.Invalid, "bills_of_lading.code_unknown", "The given data was invalid.")
	ErrPhotosMissing      = errs.New(errs.Invalid, "bills_of_lading.photos_missing", "There are not enough photos.")
	ErrPositionNeeded     = errs.New(errs.Invalid, "bills_of_lading.position_needed", "The inspection needs the position of the phone.")
	ErrCodeNeeded         = errs.New(errs.Invalid, "bills_of_lading.code_needed", "Each damage needs a code of AIAG M-22.")
	ErrInspectionsMissing = errs.New(errs.Invalid, "bills_of_lading.inspections_missing", "Not all vehicles are inspected.")
	ErrVINDiffers         = errs.New(errs.Conflict, "bills_of_lading.vin_differs", "The VIN found on a vehicle is not the one on the load. Correct the load, or accept the VIN.")
	ErrVINNotDifferent    = errs.New(errs.Conflict, "bills_of_lading.vin_not_different", "No scanned VIN differs from the load's: there is nothing to accept.")
	ErrTooMany            = errs.New(errs.Conflict, "bills_of_lading.too_many", "A vehicle has at most 200 damages and 200 photos at a stage. Leave out the others.")
	ErrPhotosFull         = errs.New(errs.Conflict, "bills_of_lading.photos_full", "The photos of a bill of lading may have 2 GiB together. Send smaller ones.")
	ErrNotNow             = errs.New(errs.Conflict, "bills_of_lading.not_now", "The vehicles are not picked up yet. Have the pickup signed first.")
)

// The failures of signatures.
var (
	ErrSignatureNeeded  = errs.New(errs.Invalid, "bills_of_lading.signature_needed", "The customer's signature is needed.")
	ErrInvalidSignature = errs.New(errs.Invalid, "bills_of_lading.invalid_signature", "The given data was invalid.")
	// ErrTermsUnconfirmed is raised by dispatches, which are asked before vehicles are picked up.
	ErrTermsUnconfirmed = errs.New(errs.Conflict, "dispatches.terms_unconfirmed", "The carrier has not confirmed the lower pay yet. It does so by its link; the office can go on with a note.")
)

// EntryErrors are the failures of what is recorded at a hand-over, and of signing.
func EntryErrors() []*errs.Error {
	return []*errs.Error{
		ErrInvalidEntry, ErrCodeUnknown, ErrPhotosMissing, ErrPositionNeeded, ErrCodeNeeded, ErrInspectionsMissing, ErrVINDiffers, ErrTermsUnconfirmed, ErrNotNow, ErrSigned, ErrVoid, ErrTakenBack, ErrSignatureNeeded, ErrInvalidSignature, ErrMissingFields,
		ErrClientIDUsed, ErrTooMany, ErrPhotosFull,
	}
}
