package views

import "github.com/dispatchd/dispatchd/platform/errs"

// What operations on views fail with.
var (
	// ErrNotFound says that there is no such view for the caller.
	ErrNotFound = errs.New(errs.NotFound, "collection.view_not_found", "There is no such view.")
	// ErrBroken says what of a view's filter and sort is gone.
	ErrBroken = errs.New(errs.Invalid, "collection.view_broken", "The view filters or sorts by a field that no longer exists. Update the view.")
	// ErrInvalid says what is wrong with a view that is to be saved, by its parts: "filter.0".
	ErrInvalid = errs.New(errs.Invalid, "collection.invalid_view", "The given data was invalid.")
	// ErrTooMany says that a collection has as many views as it may.
	ErrTooMany = errs.New(errs.Invalid, "collection.too_many_views", "The collection has too many views. Delete one first.")
	// ErrOvertaken says that a view is not what it was when it was read.
	ErrOvertaken = errs.New(errs.Conflict, "collection.overtaken", "The view was changed by another request. Send the request again.")
)
