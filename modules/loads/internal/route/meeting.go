package route

import "github.com/dispatchd/dispatchd/platform/field"

// Meeting is where and whom the carrier meets. What is empty stays unchanged.
type Meeting struct {
	Line1 string      `json:"line1,omitempty" maxLength:"200" doc:"Street and number."`
	Name  string      `json:"name,omitempty" maxLength:"200"`
	Phone field.Phone `json:"phone,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Meeting) SchemaName() string { return "BookingMeeting" }

// At puts a meeting into a stop.
func (m Meeting) At(s *Stop) {
	if m.Line1 != "" {
		s.Venue.Line1 = m.Line1
	}
	if m.Name != "" || m.Phone != "" {
		who := Person{Name: m.Name}
		if m.Phone != "" {
			who.Phones = []field.Phone{m.Phone}
		}
		s.Contacts = append([]Person{who}, s.Contacts[:min(len(s.Contacts), 3)]...) //nolint:mnd // four at most
	}
}
