package store

import (
	"cmp"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
)

// Shown is a carrier as other areas see it.
func (c *Carrier) Shown() carriersapi.Carrier {
	made := carriersapi.Carrier{
		UUID: c.ID.String(), Name: c.LegalName, DBA: c.DBA, SCAC: string(c.SCAC), Phone: string(c.Phone), Email: string(c.Email),
		Status: string(c.Status), Compliance: string(c.LastVerdict()), Prospect: c.Prospect,
	}
	if c.USDOT != nil {
		made.USDOT = *c.USDOT
	}
	if c.Docket != nil {
		made.Docket = *c.Docket
	}
	if c.Contact != nil {
		made.Contact = c.Contact.String()
	}

	return made
}

// Reach returns the address and the numbers of the person with the role of the purpose, or else the carrier's own, or else those of its
// owner. Each is taken from the first of them that has one.
func (c *Carrier) Reach(p carriersapi.Purpose) (by carriersapi.Reach) {
	from := func(name, email, phone string) {
		if by.Email == "" && by.Call == "" && (email != "" || phone != "") {
			by.Name = name
		}
		by.Email, by.Call = cmp.Or(by.Email, email), cmp.Or(by.Call, phone)
	}
	of := func(role string) {
		for _, one := range c.People.V {
			if one.Role == role {
				from(one.Name, string(one.Email), string(one.Phone))
			}
		}
	}
	of(string(p))
	from("", string(c.Email), string(c.Phone))
	of("owner")
	by.SMS = by.Call

	return by
}
