package carriersapi

// PacketSubmitted says that a carrier has filled in its onboarding packet, and waits for the company.
type PacketSubmitted struct {
	Carrier string `json:"carrier_uuid"`
	Packet  string `json:"packet_uuid"`
}

// EventName implements events.Event.
func (PacketSubmitted) EventName() string { return "carriers.carrier.packet_submitted" }

// PacketApproved says that what a carrier typed into its packet is in its record.
type PacketApproved struct {
	Carrier string `json:"carrier_uuid"`
	Packet  string `json:"packet_uuid"`
}

// EventName implements events.Event.
func (PacketApproved) EventName() string { return "carriers.carrier.packet_approved" }

// PacketReviewDue says that an approved packet should be reviewed in 30, 14, 7 or 1 days, or today.
type PacketReviewDue struct {
	Carrier string `json:"carrier_uuid"`
	Packet  string `json:"packet_uuid"`
	// DueOn is a day, as YYYY-MM-DD.
	DueOn string `json:"due_on"`
	// Days are left until then: 0 on the day, less than 0 after it.
	Days int `json:"days"`
}

// EventName implements events.Event.
func (PacketReviewDue) EventName() string { return "carriers.carrier.packet_review_due" }
