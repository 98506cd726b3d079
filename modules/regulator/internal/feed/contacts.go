package feed

// The kinds of contacts, which are counted apart.
const (
	phoneMark   = "phone"
	emailMark   = "email"
	addressMark = "address"
)

// zipDigits are those of a ZIP code without its extension.
const zipDigits = 5

// Contacts are hashes of the contacts of a carrier, by which carriers are counted that share them; 0 for one that it does not have.
type Contacts struct{ Phone, Email, Address int64 }

// Contacts returns the contacts of the carrier.
func (c *Carrier) Contacts() Contacts {
	var all Contacts
	if c.Phone != "" {
		all.Phone = Hashed(phoneMark, c.Phone)
	}
	if c.Email != "" {
		all.Email = Hashed(emailMark, c.Email)
	}
	if c.PhysicalStreet != "" {
		all.Address = Hashed(addressMark, Folded(c.PhysicalStreet), c.PhysicalZIP[:min(len(c.PhysicalZIP), zipDigits)])
	}

	return all
}
