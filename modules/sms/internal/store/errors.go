package store

import (
	"errors"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/notify"
)

// The failures of the area.
var (
	ErrNotFound     = errs.New(errs.NotFound, "sms.message_not_found", "There is no such message.")
	ErrAccount      = errs.New(errs.NotFound, "sms.account_not_found", "There is no such provider account.")
	ErrNumber       = errs.New(errs.NotFound, "sms.number_not_found", "There is no such number.")
	ErrThread       = errs.New(errs.NotFound, "sms.thread_not_found", "There is no such thread.")
	ErrTemplate     = errs.New(errs.NotFound, "sms.template_not_found", "There is no such template.")
	ErrOptOut       = errs.New(errs.NotFound, "sms.opt_out_not_found", "There is no such opt-out.")
	ErrNotSuspected = errs.New(errs.Conflict, "sms.not_suspected", "The message is not waiting for a review of whether it is an opt-out.")
	ErrNoDefault    = errs.New(errs.NotFound, "sms.no_default_number", "There is no default number. Set one with PUT /sms/api/v1/numbers/user/default for yourself, or PUT /sms/api/v1/numbers/company/default for the company, with {\"number_uuid\": \"…\"}; GET /sms/api/v1/numbers lists the numbers.")
	ErrInvalid      = errs.New(errs.Invalid, "sms.invalid", "The given data was invalid.")
	ErrNameTaken    = errs.New(errs.Conflict, "sms.name_taken", "The name is already taken.")
	ErrNumberTaken  = errs.New(errs.Conflict, "sms.number_taken", "The company already has this number. Choose another one.")
	ErrNoAccount    = errs.New(errs.Conflict, "sms.no_account", "The company has no provider account. Create one with POST /sms/api/v1/accounts; {\"name\": \"Sandbox\", \"provider\": \"sandbox\"} sends nothing and costs nothing.")
	ErrDisabled     = errs.New(errs.Conflict, "sms.account_disabled", "The provider account is disabled. Enable it first.")
	errAccountUsed  = errs.New(errs.Conflict, "sms.account_used", "The provider account has numbers. Release them, or disable the account.")
	ErrNoSender     = errs.New(errs.Conflict, "sms.no_sender", "There is no number to send from: send from_uuid, or set a default number. POST /sms/api/v1/numbers buys one.")
	ErrNotSending   = errs.New(errs.Conflict, "sms.number_not_active", "The number cannot send: it is not active, or does not support text messages.")
	ErrNotYours     = errs.New(errs.Conflict, "sms.number_of_another", "The number is assigned to another user. Use one of your own.")
	ErrNoUser       = errs.New(errs.Conflict, "sms.no_user", "Service tokens have no default number. Set the company's with PUT /sms/api/v1/numbers/company/default.")
	ErrOptedOut     = errs.New(errs.Conflict, "sms.opted_out", "The recipient has opted out of messages.")
	ErrQuiet        = errs.New(errs.Conflict, "sms.quiet_hours", "It is quiet hours for the recipient. Send the message later.")
	ErrVariables    = errs.New(errs.Invalid, "sms.missing_variables", "The template uses variables that have no value. Send them in variables.")
	ErrProvider     = errs.New(errs.Unavailable, "sms.provider_failed", "The provider could not be reached. Please try again.")
	ErrRefused      = errs.New(errs.Conflict, "sms.provider_refused", "The provider rejected the request.")
	ErrNotSandbox   = errs.New(errs.Conflict, "sms.not_sandbox", "Only numbers of a sandbox account can receive simulated messages.")
	ErrNoCallbacks  = errs.New(errs.Conflict, "sms.no_callbacks", "The provider of the account sends no notifications.")
	ErrNoAddress    = errs.New(errs.Conflict, "sms.no_public_address", "The callback address is unknown: configure web.services_url or web.base_url.")
	ErrBadNumber    = errs.New(errs.Conflict, "sms.bad_number", "A provider reported that the number cannot receive text messages. Send ignore_bad_number to send anyway.")
	ErrBadMessageID = errors.New("the account has no message with this id of the provider")
)

// SendErrors are the failures of everything that makes a message.
func SendErrors() []*errs.Error {
	return append(item.Errors, ErrInvalid, ErrNumber, ErrTemplate, ErrVariables, ErrNoSender, ErrNotSending, ErrNotYours, ErrDisabled,
		ErrOptedOut, ErrQuiet, ErrBadNumber, notify.ErrRefused, phone.ErrNotANumber, phone.ErrLandline, phone.ErrPremium, phone.ErrShortCode, limit.ErrReached)
}

// OnField names the field of a refused value.
func OnField(err error, field string) error {
	if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind == errs.Invalid {
		return refusal.WithField(field, refusal.Message)
	}

	return err
}

// OrElse is err, or the failure if there is none.
func OrElse(err, failure error) error {
	if err != nil {
		return err
	}

	return failure
}
