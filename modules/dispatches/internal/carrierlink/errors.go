package carrierlink

import (
	"errors"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// What carriers read in place of refusals that are for the company.
var (
	errNoRecord = errs.New(errs.Conflict, "carriers.no_record", "The regulator's record has no phone or e-mail for this channel. Choose another channel, or call us.")
	errNotNow   = errs.New(errs.Conflict, "dispatches.not_now", "The load cannot be given to you now. Please call us.")
	errCallUs   = errs.New(errs.Conflict, "carriers.blocked", "The load cannot be given to you. Please call us.")
	errOnBoard  = errs.New(errs.Conflict, "dispatches.loaded", "The vehicles were picked up already. Call us.")
)

// outsiders are the refusals that carriers read in other words, by their codes.
var outsiders = map[string]*errs.Error{
	errCallUs.Code: errCallUs, errOnBoard.Code: errOnBoard, errNoRecord.Code: errNoRecord, store.ErrCancelled.Code: store.ErrNoLoad,
	loadsapi.ErrNotReady.Code: errNotNow, loadsapi.ErrPlanFixed.Code: errNotNow, loadsapi.ErrPayBelowCharges.Code: errNotNow, "loads.plan_unbalanced": errNotNow,
	store.ErrUnsigned.Code: errNotNow, store.ErrOnHold.Code: errNotNow,
}

// asOutsider is a failure as the carrier reads it, without details that are for the company alone.
func asOutsider(err error) error {
	if refusal, is := errors.AsType[*errs.Error](err); is && outsiders[refusal.Code] != nil {
		return outsiders[refusal.Code]
	}

	return err
}
