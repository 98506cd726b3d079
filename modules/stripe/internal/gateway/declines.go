package gateway

import "github.com/dispatchd/dispatchd/modules/cards/cardsapi"

// reasons are what codes of Stripe mean, those of declines first (docs.stripe.com/declines/codes, docs.stripe.com/error-codes).
var reasons = map[string]cardsapi.Reason{
	"approve_with_id": cardsapi.Declined, "call_issuer": cardsapi.Declined, "card_declined": cardsapi.Declined, "do_not_honor": cardsapi.Declined,
	"do_not_try_again": cardsapi.Declined, "duplicate_transaction": cardsapi.Declined, "generic_decline": cardsapi.Declined,
	"incorrect_number": cardsapi.Declined, "invalid_number": cardsapi.Declined, "incorrect_pin": cardsapi.Declined, "invalid_pin": cardsapi.Declined,
	"invalid_account": cardsapi.Declined, "issuer_not_available": cardsapi.Declined, "lost_card": cardsapi.Declined,
	"new_account_information_available": cardsapi.Declined, "no_action_taken": cardsapi.Declined, "not_permitted": cardsapi.Declined,
	"offline_pin_required": cardsapi.Declined, "online_or_offline_pin_required": cardsapi.Declined, "pickup_card": cardsapi.Declined,
	"pin_try_exceeded": cardsapi.Declined, "previously_declined_do_not_retry": cardsapi.Declined, "processing_error": cardsapi.Declined,
	"reenter_transaction": cardsapi.Declined, "restricted_card": cardsapi.Declined, "revocation_of_all_authorizations": cardsapi.Declined,
	"revocation_of_authorization": cardsapi.Declined, "security_violation": cardsapi.Declined, "service_not_allowed": cardsapi.Declined,
	"stolen_card": cardsapi.Declined, "stop_payment_order": cardsapi.Declined, "testmode_decline": cardsapi.Declined,
	"transaction_not_allowed": cardsapi.Declined, "try_again_later": cardsapi.Declined, "payment_intent_payment_attempt_failed": cardsapi.Declined,
	"setup_attempt_failed": cardsapi.Declined,

	"insufficient_funds": cardsapi.InsufficientFunds,
	"expired_card":       cardsapi.ExpiredCard, "invalid_expiry_month": cardsapi.ExpiredCard, "invalid_expiry_year": cardsapi.ExpiredCard,
	"incorrect_cvc": cardsapi.CVV, "invalid_cvc": cardsapi.CVV,
	"incorrect_zip": cardsapi.AVS, "incorrect_address": cardsapi.AVS, "postal_code_invalid": cardsapi.AVS,
	"fraudulent": cardsapi.Fraud, "highest_risk_level": cardsapi.Fraud, "merchant_blacklist": cardsapi.Fraud,
	"card_velocity_exceeded": cardsapi.Limit, "withdrawal_count_limit_exceeded": cardsapi.Limit, "invalid_amount": cardsapi.Limit,
	"card_decline_rate_limit_exceeded": cardsapi.Limit, "amount_too_large": cardsapi.Limit, "amount_too_small": cardsapi.Limit,
	"card_not_supported": cardsapi.CardNotSupported, "currency_not_supported": cardsapi.CardNotSupported, "invalid_card_type": cardsapi.CardNotSupported,
	"authentication_required": cardsapi.ActionRequired, "authentication_not_handled": cardsapi.ActionRequired,
	"mobile_device_authentication_required": cardsapi.ActionRequired, "payment_intent_action_required": cardsapi.ActionRequired,
	"payment_intent_authentication_failure": cardsapi.ActionRequired, "setup_intent_authentication_failure": cardsapi.ActionRequired,
	"token_already_used": cardsapi.InvalidToken, "payment_method_unexpected_state": cardsapi.InvalidToken,

	"charge_already_refunded": cardsapi.NotRefundable, "charge_disputed": cardsapi.NotRefundable, "charge_not_refundable": cardsapi.NotRefundable,
	"refund_disputed_payment": cardsapi.NotRefundable, "balance_insufficient": cardsapi.NotRefundable,

	"resource_missing": cardsapi.NotFound,
	"rate_limit":       cardsapi.RateLimited, "lock_timeout": cardsapi.RateLimited,
	"idempotency_key_in_use": cardsapi.Duplicate,
	"account_invalid":        cardsapi.Revoked,
	"api_key_expired":        cardsapi.Auth, "platform_api_key_expired": cardsapi.Auth, "secret_key_required": cardsapi.Auth,
	"livemode_mismatch": cardsapi.Auth, "testmode_charges_only": cardsapi.Auth,
}

// finalCodes forbid charging the card again: those that Stripe calls hard declines, and those whose card is no longer valid.
var finalCodes = []string{
	"do_not_try_again", "expired_card", "invalid_expiry_month", "invalid_expiry_year", "highest_risk_level", "incorrect_number", "invalid_number",
	"invalid_account", "lost_card", "pickup_card", "previously_declined_do_not_retry", "restricted_card", "revocation_of_all_authorizations",
	"revocation_of_authorization", "stolen_card", "stop_payment_order", "transaction_not_allowed",
}

// explanations say what codes mean where their reason does not say enough.
var explanations = map[string]string{
	"call_issuer":                      "The bank wants the cardholder to call. Ask for another card, or repeat the payment after the call.",
	"incorrect_number":                 "The card number is wrong. Ask for another card.",
	"invalid_account":                  "The bank account of the card is closed or blocked. Ask for another card.",
	"processing_error":                 "The card could not be processed. Repeat the payment.",
	"issuer_not_available":             "The bank could not be reached. Repeat the payment later.",
	"try_again_later":                  "The bank declined the card for the moment. Repeat the payment later.",
	"revocation_of_authorization":      "The cardholder has revoked the permission to charge the card. Ask for another card.",
	"revocation_of_all_authorizations": "The cardholder has revoked the permission to charge the card. Ask for another card.",
	"stop_payment_order":               "The cardholder has stopped the payments. Ask for another card.",
	"card_decline_rate_limit_exceeded": "The card was declined too often. Try again after 24 hours, or ask for another card.",
	"email_invalid":                    "Stripe refuses the e-mail address. Correct it, or leave it out.",
	"amount_too_small":                 "The amount is less than Stripe charges in the currency. Charge more.",
	"balance_insufficient":             "The balance at Stripe does not cover the refund. Add funds there, then repeat it.",
	"charge_disputed":                  "The payment is disputed. It cannot be refunded while the dispute is open.",
	"refund_disputed_payment":          "The payment is disputed. It cannot be refunded while the dispute is open.",
	"testmode_charges_only":            "The account at Stripe is not activated. Activate it, or use the keys of test mode.",
}
