// Package driversapi is what other areas may know of the drivers area: its id, its items and its events.
package driversapi

// Area is the id of the area, Item the type of its items.
const (
	Area = "drivers"
	Item = "drivers.driver"
)

// DocumentExpiring says that a document of a driver expires in 30, 14, 7 or 1 days, or has expired.
type DocumentExpiring struct {
	Driver string `json:"driver_uuid"`
	// Document is license, medical, twic or hazmat.
	Document string `json:"document"`
	// ExpiresOn is a day, as YYYY-MM-DD.
	ExpiresOn string `json:"expires_on"`
	// Days are left until then: 0 on the day, less than 0 after it.
	Days int `json:"days"`
}

// EventName implements events.Event.
func (DocumentExpiring) EventName() string { return "drivers.driver.document_expiring" }
