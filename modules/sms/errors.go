package sms

import (
	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
)

var (
	errNotFound     = errs.New(errs.NotFound, "sms.message_not_found", "There is no such message.")
	errAccount      = errs.New(errs.NotFound, "sms.account_not_found", "There is no such provider account.")
	errNumber       = errs.New(errs.NotFound, "sms.number_not_found", "There is no such number.")
	errThread       = errs.New(errs.NotFound, "sms.thread_not_found", "There is no such thread.")
	errTemplate     = errs.New(errs.NotFound, "sms.template_not_found", "There is no such template.")
	errOptOut       = errs.New(errs.NotFound, "sms.opt_out_not_found", "There is no such opt-out.")
	errNotSuspected = errs.New(errs.Conflict, "sms.not_suspected", "The message is not waiting for a review of whether it is an opt-out.")
	errNoDefault    = errs.New(errs.NotFound, "sms.no_default_number", "There is no default number. Set one with PUT /sms/api/v1/numbers/user/default for yourself, or PUT /sms/api/v1/numbers/company/default for the company, with {\"number_uuid\": \"…\"}; GET /sms/api/v1/numbers lists the numbers.")
	errInvalid      = errs.New(errs.Invalid, "sms.invalid", "The given data was invalid.")
	errTaken        = errs.New(errs.Conflict, "sms.name_taken", "There is one of this name already.")
	errNumberTaken  = errs.New(errs.Conflict, "sms.number_taken", "The company has this number already.")
	errNoAccount    = errs.New(errs.Conflict, "sms.no_account", "The company has no provider account. Make one with POST /sms/api/v1/accounts; {\"name\": \"Sandbox\", \"provider\": \"sandbox\"} sends nothing and costs nothing.")
	errDisabled     = errs.New(errs.Conflict, "sms.account_disabled", "The provider account is disabled.")
	errAccountUsed  = errs.New(errs.Conflict, "sms.account_used", "The provider account has numbers. Release them, or disable the account.")
	errNoSender     = errs.New(errs.Conflict, "sms.no_sender", "There is no number to send from: say one as from_uuid, or set a default. POST /sms/api/v1/numbers buys one.")
	errNotSending   = errs.New(errs.Conflict, "sms.number_not_active", "The number cannot send: it is not active, or has no text messages.")
	errNotYours     = errs.New(errs.Conflict, "sms.number_of_another", "The number is assigned to another user.")
	errNoUser       = errs.New(errs.Conflict, "sms.no_user", "The token belongs to no person, who alone has a default number. Set the company's: PUT /sms/api/v1/numbers/company/default.")
	errOptedOut     = errs.New(errs.Conflict, "sms.opted_out", "The recipient has opted out of messages.")
	errQuiet        = errs.New(errs.Conflict, "sms.quiet_hours", "The recipient has quiet hours now.")
	errVariables    = errs.New(errs.Invalid, "sms.missing_variables", "The template shows variables that have no value.")
	errProvider     = errs.New(errs.Unavailable, "sms.provider_failed", "The provider could not be asked. Please try again.")
	errRefused      = errs.New(errs.Conflict, "sms.provider_refused", "The provider has refused this.")
	errNotSandbox   = errs.New(errs.Conflict, "sms.not_sandbox", "Only numbers of a sandbox account receive messages that are made up.")
	errNoCallbacks  = errs.New(errs.Conflict, "sms.no_callbacks", "The provider of the account sends no notifications.")
	errNoAddress    = errs.New(errs.Conflict, "sms.no_public_address", "The provider cannot be told where to send messages: web.services_url and web.base_url are not configured.")
	errBadNumber    = errs.New(errs.Conflict, "sms.bad_number", "A provider has found that the number takes no text messages. With ignore_bad_number it is sent to all the same.")
	errBadMessageID = errs.New(errs.NotFound, "sms.unknown_provider_message", "The account has no message of that id.")
)

// sendErrors are the failures of everything that makes a message.
func sendErrors() []*errs.Error {
	return append(item.Errors(), errInvalid, errNumber, errTemplate, errVariables, errNoSender, errNotSending, errNotYours, errDisabled,
		errOptedOut, errQuiet, errBadNumber, phone.ErrNotANumber, phone.ErrLandline, phone.ErrPremium, phone.ErrShortCode)
}
