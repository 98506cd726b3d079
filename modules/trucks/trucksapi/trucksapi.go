// Package trucksapi is what other areas may know of the trucks area: its id, its items and its events.
package trucksapi

// Area is the id of the area, Item the type of its items.
const (
	Area = "trucks"
	Item = "trucks.truck"
)

// DocumentExpiring says that a document of a truck expires in 30, 14, 7 or 1 days, or has expired.
type DocumentExpiring struct {
	Truck string `json:"truck_uuid"`
	// Document is registration, insurance or inspection.
	Document string `json:"document"`
	// ExpiresOn is a day, as YYYY-MM-DD.
	ExpiresOn string `json:"expires_on"`
	// Days are left until then: 0 on the day, less than 0 after it.
	Days int `json:"days"`
}

// EventName implements events.Event.
func (DocumentExpiring) EventName() string { return "trucks.truck.document_expiring" }
