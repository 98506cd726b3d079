package carriersapi

// PacketSubmitted reports that a carrier submitted its onboarding packet for review.
type PacketSubmitted struct {
	Carrier string `json:"carrier_uuid"`
	Packet  string `json:"packet_uuid"`
}

// EventName implements events.Event.
func (PacketSubmitted) EventName() string { return "carriers.carrier.packet_submitted" }

// PacketApproved reports that an onboarding packet was approved and applied to the carrier.
type PacketApproved struct {
	Carrier string `json:"carrier_uuid"`
	Packet  string `json:"packet_uuid"`
}

// EventName implements events.Event.
func (PacketApproved) EventName() string { return "carriers.carrier.packet_approved" }

// PacketReviewDue reports that an approved packet is due for review in 30, 14, 7 or 1 days, or today.
type PacketReviewDue struct {
	Carrier string `json:"carrier_uuid"`
	Packet  string `json:"packet_uuid"`
	// DueOn is a day, as YYYY-MM-DD.
	DueOn string `json:"due_on"`
	// Days is the number of days left, 0 on the day and negative after it.
	Days int `json:"days"`
}

// EventName implements events.Event.
func (PacketReviewDue) EventName() string { return "carriers.carrier.packet_review_due" }
