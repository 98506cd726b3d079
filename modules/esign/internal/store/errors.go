package store

import (
	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of the area.
var (
	ErrAccount = errs.New(errs.NotFound, "esign.account_not_found", "There is no such account.")

	// The receiver and what verifies it.
	ErrConnectionOff = errs.New(errs.Gone, "esign.connection_disabled", "The account that this address belongs to is disabled.")
	ErrNotice        = errs.New(errs.Malformed, "esign.notice_malformed", "The notification is no JSON object that names an event.")
	ErrOtherAccount  = errs.New(errs.Forbidden, "esign.other_account", "The notification is of another account than the one that this address belongs to.")
	ErrKey           = errs.New(errs.NotFound, "esign.key_not_found", "There is no such key.")
	ErrKeyTaken      = errs.New(errs.Conflict, "esign.key_name_taken", "The account has a key of this name. Choose another name.")
	ErrClient        = errs.New(errs.NotFound, "esign.client_not_found", "There is no such client.")
	ErrTooMany       = errs.New(errs.Conflict, "esign.too_many", "The account has as many as it may have. Remove one that is no longer used.")

	// What the token endpoint refuses with, as RFC 6749 calls it.
	ErrInvalidRequest = errs.New(errs.Malformed, "esign.invalid_request", "The request lacks a parameter, or has one twice.")
	ErrInvalidClient  = errs.New(errs.Unauthenticated, "esign.invalid_client", "There is no such client, or its secret is another.")
	ErrGrantType      = errs.New(errs.Malformed, "esign.unsupported_grant_type", "`grant_type` must be `client_credentials`.")
	ErrScope          = errs.New(errs.Malformed, "esign.invalid_scope", "The only scope is esign.callback.")
	ErrUnauthorized   = errs.New(errs.Malformed, "esign.unauthorized_client", "The account of the client is disabled.")
)

// Of accounts and providers.
var (
	ErrInvalid     = errs.New(errs.Invalid, "esign.invalid", "The given data was invalid.")
	ErrTaken       = errs.New(errs.Conflict, "esign.name_taken", "There is one of this name already. Choose another name.")
	ErrNoAccount   = errs.New(errs.Conflict, "esign.no_account", "The company has no account at a provider. Make one with POST /esign/api/v1/accounts; {\"name\": \"Sandbox\", \"provider\": \"sandbox\"} sends no e-mail and costs nothing.")
	ErrDisabled    = errs.New(errs.Conflict, "esign.account_disabled", "The account is disabled. Enable it first.")
	errAccountUsed = errs.New(errs.Conflict, "esign.account_used", "The account has envelopes, or templates with mappings. Disable it instead.")
	ErrProvider    = errs.New(errs.Unavailable, "esign.provider_failed", "The provider could not be asked. Please try again.")
	ErrRefused     = errs.New(errs.Conflict, "esign.provider_refused", "The provider has refused this.")
)

// Of templates, mappings, envelopes and documents.
var (
	ErrTemplate   = errs.New(errs.NotFound, "esign.template_not_found", "There is no such template.")
	ErrMapping    = errs.New(errs.NotFound, "esign.mapping_not_found", "There is no such mapping.")
	ErrEnvelope   = errs.New(errs.NotFound, "esign.envelope_not_found", "There is no such envelope.")
	ErrRecipient  = errs.New(errs.NotFound, "esign.recipient_not_found", "The envelope has no such recipient.")
	ErrIncomplete = errs.New(errs.Invalid, "esign.incomplete", "The envelope cannot be sent as it is: values are missing or do not fit.")
	ErrNotDraft   = errs.New(errs.Conflict, "esign.not_a_draft", "Only a draft, or an envelope that has failed, can be changed.")
	ErrNotThere   = errs.New(errs.Conflict, "esign.not_at_provider", "The provider does not have the envelope yet. Send it first.")
	ErrEnded      = errs.New(errs.Conflict, "esign.not_under_way", "The envelope is not waiting for signatures. Send it first.")
	ErrBusy       = errs.New(errs.Conflict, "esign.action_waiting", "Something else is about to be done with the envelope at the provider. Please try again in a moment.")
	ErrNotHere    = errs.New(errs.Conflict, "esign.not_embedded", "The recipient signs by the provider's e-mail, not at an address that we hand out.")
	ErrNoKey      = errs.New(errs.Invalid, "esign.no_idempotency_key", "A signing link is good once and is never kept, so it has no Idempotency-Key. Ask for another one instead.")
	ErrNoDocument = errs.New(errs.Conflict, "esign.no_documents", "Only completed envelopes have signed documents, and theirs are stored once.")
)
