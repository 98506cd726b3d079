package sandbox

import (
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// Case is what a magic token does. Saved cards keep the token that they were saved with: charging one does the same.
type Case struct {
	Token, About string
	// Refuses is what saving and charging the card answers; nil if it succeeds. Later only charging is refused.
	Refuses *cardsapi.VendorError
	Later   bool
	// Asks has the cardholder confirm the payment, Loses loses the answer, Drops loses the call, Disputes opens a dispute after a
	// minute, FailsRefunds has refunds fail.
	Asks, Loses, Drops, Disputes, FailsRefunds bool
}

func refused(reason cardsapi.Reason, code, detail string) *cardsapi.VendorError {
	return &cardsapi.VendorError{Reason: reason, NotDone: true, Code: code, Detail: detail}
}

func refusedForGood(reason cardsapi.Reason, code, detail string) *cardsapi.VendorError {
	f := refused(reason, code, detail)
	f.Final = true

	return f
}

// Cases are the magic tokens. Codes are those of Square.
var Cases = []Case{
	{Token: "tok_ok", About: "succeeds"},
	{Token: "tok_declined", About: "is declined", Refuses: refused(cardsapi.Declined, "GENERIC_DECLINE", "The card was declined.")},
	{Token: "tok_later_declined", About: "is saved, and declined whenever it is charged", Later: true, Refuses: refused(cardsapi.Declined, "GENERIC_DECLINE", "The card was declined.")}, //nolint:gosec // no credentials
	{Token: "tok_stolen", About: "is declined, and must not be charged again", Refuses: refusedForGood(cardsapi.Declined, "CARD_DECLINED_CALL_ISSUER", "The card was reported stolen.")},
	{Token: "tok_insufficient", About: "has not enough funds", Refuses: refused(cardsapi.InsufficientFunds, "INSUFFICIENT_FUNDS", "The card has insufficient funds.")},
	{Token: "tok_expired", About: "has expired", Refuses: refusedForGood(cardsapi.ExpiredCard, "CARD_EXPIRED", "The card has expired.")},
	{Token: "tok_cvv", About: "has a wrong security code", Refuses: refused(cardsapi.CVV, "CVV_FAILURE", "The security code is wrong.")},
	{Token: "tok_avs", About: "has another postal code", Refuses: refused(cardsapi.AVS, "ADDRESS_VERIFICATION_FAILURE", "The postal code does not match.")},
	{Token: "tok_3ds", About: "asks the cardholder to confirm each payment", Asks: true},
	{Token: "tok_timeout_taken", About: "succeeds, and the answer is lost", Loses: true},
	{Token: "tok_timeout_not_taken", About: "is lost with the first call: only the repeat succeeds", Drops: true},
	{Token: "tok_dispute", About: "succeeds, and is disputed a minute later", Disputes: true},
	{Token: "tok_refund_fails", About: "succeeds, and its refunds fail", FailsRefunds: true},
	{Token: "tok_limited", About: "is refused for the moment, each time", Refuses: &cardsapi.VendorError{
		Reason: cardsapi.RateLimited, NotDone: true, Retryable: true, Code: "RATE_LIMITED", Detail: "Too many requests.",
	}},
}

// caseOf returns the case of a token, false for a token that there is not.
func caseOf(token string) (Case, bool) {
	for _, c := range Cases {
		if c.Token == token {
			return c, true
		}
	}

	return Case{}, false
}
