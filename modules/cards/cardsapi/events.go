package cardsapi

// PaymentAbout is what all events of payments say. No event has a name, a token, or a digit of a card.
type PaymentAbout struct {
	Payment   string `json:"payment_uuid"`
	Reference string `json:"reference"`
	OwnerType string `json:"owner_type,omitempty"`
	Owner     string `json:"owner_uuid,omitempty"`
	Amount    Money  `json:"amount"`
}

// EventItem implements events.Named.
func (a PaymentAbout) EventItem() (itemType, id string) { return a.OwnerType, a.Owner }

// PaymentAuthorizedEvent says that an amount is reserved, to be captured or canceled.
type PaymentAuthorizedEvent struct{ PaymentAbout }

// EventName implements events.Event.
func (PaymentAuthorizedEvent) EventName() string { return "cards.payment.authorized" }

// PaymentActionRequiredEvent says that the cardholder is asked to confirm a payment.
type PaymentActionRequiredEvent struct{ PaymentAbout }

// EventName implements events.Event.
func (PaymentActionRequiredEvent) EventName() string { return "cards.payment.action_required" }

// PaymentCapturedEvent says that a card was charged.
type PaymentCapturedEvent struct {
	PaymentAbout

	// Fee is the vendor's, 0 until it is known.
	Fee int64 `json:"fee"`
}

// EventName implements events.Event.
func (PaymentCapturedEvent) EventName() string { return "cards.payment.captured" }

// PaymentFeeEvent says that the vendor's fee of a captured payment is known, or another one than before.
type PaymentFeeEvent struct {
	PaymentAbout

	Fee int64 `json:"fee"`
}

// EventName implements events.Event.
func (PaymentFeeEvent) EventName() string { return "cards.payment.fee_known" }

// PaymentFailedEvent says that a card was not charged.
type PaymentFailedEvent struct {
	PaymentAbout

	Reason Reason `json:"reason"`
	// Final says that the card must not be charged again.
	Final bool `json:"final"`
}

// EventName implements events.Event.
func (PaymentFailedEvent) EventName() string { return "cards.payment.failed" }

// PaymentCanceledEvent says that a reserved amount was released.
type PaymentCanceledEvent struct{ PaymentAbout }

// EventName implements events.Event.
func (PaymentCanceledEvent) EventName() string { return "cards.payment.canceled" }

// PaymentUnknownEvent says that the vendor did not answer: the card may have been charged. Another event follows once it is known.
type PaymentUnknownEvent struct{ PaymentAbout }

// EventName implements events.Event.
func (PaymentUnknownEvent) EventName() string { return "cards.payment.unknown" }

// PaymentCorrectedEvent says that a reconciliation changed a payment to what the vendor has. It replaces what earlier events said.
type PaymentCorrectedEvent struct {
	PaymentAbout

	State PaymentState `json:"state"`
	// Was is the state before, "" for a payment that was added.
	Was PaymentState `json:"was,omitempty"`
}

// EventName implements events.Event.
func (PaymentCorrectedEvent) EventName() string { return "cards.payment.corrected" }

// RefundAbout is what all events of refunds say; Payment.Amount is that of the payment.
type RefundAbout struct {
	Refund    string       `json:"refund_uuid"`
	Reference string       `json:"refund_reference"`
	Payment   PaymentAbout `json:"payment"`
	Amount    Money        `json:"amount"`
}

// EventItem implements events.Named.
func (a RefundAbout) EventItem() (itemType, id string) { return a.Payment.OwnerType, a.Payment.Owner }

// RefundCompletedEvent says that a refund was given.
type RefundCompletedEvent struct{ RefundAbout }

// EventName implements events.Event.
func (RefundCompletedEvent) EventName() string { return "cards.refund.completed" }

// RefundFailedEvent says that a refund was not given, or was taken back.
type RefundFailedEvent struct {
	RefundAbout

	Reason Reason `json:"reason"`
	// Completed says that it had been reported as completed before.
	Completed bool `json:"was_completed"`
}

// EventName implements events.Event.
func (RefundFailedEvent) EventName() string { return "cards.refund.failed" }

// RefundUnknownEvent says that the vendor did not answer.
type RefundUnknownEvent struct{ RefundAbout }

// EventName implements events.Event.
func (RefundUnknownEvent) EventName() string { return "cards.refund.unknown" }

// CardAbout is what all events of cards say.
type CardAbout struct {
	Card      string `json:"card_uuid"`
	Reference string `json:"reference"`
	OwnerType string `json:"owner_type,omitempty"`
	Owner     string `json:"owner_uuid,omitempty"`
}

// EventItem implements events.Named.
func (a CardAbout) EventItem() (itemType, id string) { return a.OwnerType, a.Owner }

// CardSavedEvent says that a card can be charged.
type CardSavedEvent struct{ CardAbout }

// EventName implements events.Event.
func (CardSavedEvent) EventName() string { return "cards.card.saved" }

// CardFailedEvent says that the vendor did not keep a card.
type CardFailedEvent struct {
	CardAbout

	Reason Reason `json:"reason"`
}

// EventName implements events.Event.
func (CardFailedEvent) EventName() string { return "cards.card.failed" }

// CardRemovedEvent says that a card can no longer be charged.
type CardRemovedEvent struct{ CardAbout }

// EventName implements events.Event.
func (CardRemovedEvent) EventName() string { return "cards.card.removed" }

// DisputeAbout is what all events of disputes say.
type DisputeAbout struct {
	Dispute string       `json:"dispute_uuid"`
	Payment PaymentAbout `json:"payment"`
	Amount  Money        `json:"amount"`
	Fee     int64        `json:"fee"`
	// Was is the state before: open, won or lost; "" if the dispute was not known. Version is that of the dispute, for references.
	Was     string `json:"was,omitempty"`
	Version int64  `json:"version"`
}

// EventItem implements events.Named.
func (a DisputeAbout) EventItem() (itemType, id string) { return a.Payment.OwnerType, a.Payment.Owner }

// DisputeOpenedEvent says that a cardholder disputes a payment: the vendor takes the amount back.
type DisputeOpenedEvent struct {
	DisputeAbout

	DueOn string `json:"due_on,omitempty"`
}

// EventName implements events.Event.
func (DisputeOpenedEvent) EventName() string { return "cards.dispute.opened" }

// DisputeWonEvent says that the vendor returns the amount.
type DisputeWonEvent struct{ DisputeAbout }

// EventName implements events.Event.
func (DisputeWonEvent) EventName() string { return "cards.dispute.won" }

// DisputeLostEvent says that the amount is gone.
type DisputeLostEvent struct{ DisputeAbout }

// EventName implements events.Event.
func (DisputeLostEvent) EventName() string { return "cards.dispute.lost" }

// DisputePreventedEvent says that a dispute ended before it took anything, or that what it took came back.
type DisputePreventedEvent struct{ DisputeAbout }

// EventName implements events.Event.
func (DisputePreventedEvent) EventName() string { return "cards.dispute.prevented" }

// PayoutAbout is what all events of payouts say.
type PayoutAbout struct {
	Payout  string `json:"payout_uuid"`
	Account string `json:"account_uuid"`
	Gross   Money  `json:"gross"`
	// Fees are what the vendor keeps, PaymentFees the part of it that is the known fees of single payments.
	Fees        int64 `json:"fees"`
	PaymentFees int64 `json:"payment_fees"`
}

// PayoutPaidEvent says that what the vendor took has arrived at the bank.
type PayoutPaidEvent struct{ PayoutAbout }

// EventName implements events.Event.
func (PayoutPaidEvent) EventName() string { return "cards.payout.paid" }

// PayoutFailedEvent says that a payout did not arrive, or was sent back. WasPaid reports whether a PayoutPaidEvent came before.
type PayoutFailedEvent struct {
	PayoutAbout

	WasPaid bool   `json:"was_paid"`
	Reason  string `json:"reason,omitempty"`
}

// EventName implements events.Event.
func (PayoutFailedEvent) EventName() string { return "cards.payout.failed" }

// AccountRevokedEvent says that a vendor no longer accepts the credentials of an account.
type AccountRevokedEvent struct {
	Account string `json:"account_uuid"`
	Vendor  string `json:"vendor"`
}

// EventName implements events.Event.
func (AccountRevokedEvent) EventName() string { return "cards.account.revoked" }
