package contactsapi

// ReadingPortal is the hook contacts.portal.reading: somebody opens the portal of a contact. Areas add what they have for the contact. It changes
// nothing.
type ReadingPortal struct {
	// Contact is the uuid of the contact.
	Contact string
	// Sections are shown in their order.
	Sections []PortalSection
}

// PortalSection is what an area shows a contact. It has nothing that others may not know: anyone with the link reads it.
type PortalSection struct {
	Title   string        `json:"title"`
	Entries []PortalEntry `json:"entries"`
}

// PortalEntry is a line of a section: its title, such as a number, and what is to be said of it.
type PortalEntry struct {
	Title string   `json:"title"`
	Texts []string `json:"texts"`
}
