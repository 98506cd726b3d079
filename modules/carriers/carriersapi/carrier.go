package carriersapi

// Item is the type of the carriers of a company.
const Item = "carriers.carrier"

// ComplianceChanged says that the verdict on a carrier is another one than before.
type ComplianceChanged struct {
	Carrier string `json:"carrier_uuid"`
	// From and To are unknown, eligible, warned, blocked or expired.
	From string `json:"from"`
	To   string `json:"to"`
	// Codes are those of the findings that block or warn now.
	Codes []string `json:"codes"`
}

// EventName implements events.Event.
func (ComplianceChanged) EventName() string { return "carriers.carrier.compliance_changed" }

// EventItem implements events.Named.
func (e ComplianceChanged) EventItem() (itemType, id string) { return Item, e.Carrier }

// Banned reports that a carrier is do_not_use from now on.
type Banned struct {
	Carrier string `json:"carrier_uuid"`
}

// EventName implements events.Event.
func (Banned) EventName() string { return "carriers.carrier.banned" }

// EventItem implements events.Named.
func (e Banned) EventItem() (itemType, id string) { return Item, e.Carrier }

// CertificateExpiring says that the certificate of a carrier's cargo cover, or its agreement, expires in 30, 14, 7 or 1 days, or
// has expired.
type CertificateExpiring struct {
	Carrier string `json:"carrier_uuid"`
	// Document is cargo or agreement.
	Document string `json:"document"`
	// ExpiresOn is a day, as YYYY-MM-DD.
	ExpiresOn string `json:"expires_on"`
	// Days are left until then: 0 on the day, less than 0 after it.
	Days int `json:"days"`
}

// EventName implements events.Event.
func (CertificateExpiring) EventName() string { return "carriers.carrier.document_expiring" }

// Merged says that a carrier was merged into another one, which all references to it name now.
type Merged struct {
	Carrier string `json:"carrier_uuid"`
	Into    string `json:"into_uuid"`
}

// EventName implements events.Event.
func (Merged) EventName() string { return "carriers.carrier.merged" }

// EventItem implements events.Named.
func (e Merged) EventItem() (itemType, id string) { return Item, e.Into }

// Unmerged says that a carrier that was merged into another one is itself again.
type Unmerged struct {
	Carrier string `json:"carrier_uuid"`
	From    string `json:"from_uuid"`
}

// EventName implements events.Event.
func (Unmerged) EventName() string { return "carriers.carrier.unmerged" }

// EventItem implements events.Named.
func (e Unmerged) EventItem() (itemType, id string) { return Item, e.Carrier }
