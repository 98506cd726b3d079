package identity

import (
	"cmp"
	"errors"
	"strings"
	"time"
	_ "time/tzdata" // a machine may have no time zones of its own
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/fmcsa"
)

// Profile is what a company says of itself. Texts may be empty.
type Profile struct {
	LegalName string `json:"legal_name"`
	// DBA is the name that it does business as.
	DBA string `json:"dba"`
	// USDOTNumber is the number that the FMCSA gives to carriers and brokers, up to 8 digits.
	USDOTNumber string `json:"usdot_number"`
	// MCNumber is the docket number of the operating authority, with its prefix: "MC-123456".
	MCNumber string  `json:"mc_number"`
	Address  Address `json:"address"`
	// TimeZone is a name of the IANA database, "UTC" if nobody has said.
	TimeZone string `json:"time_zone"`
	// Currency is an ISO 4217 code, "USD" if nobody has said.
	Currency string `json:"currency"`
}

// Address is a postal address.
type Address struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postal_code"`
	// Country is an ISO 3166-1 code of two letters.
	Country string `json:"country"`
}

// usualCurrency is that of a company that has named none.
const usualCurrency = "USD"

// profile returns the profile in one form.
func (c *complaints) profile(p Profile) Profile {
	p.LegalName = c.text("legal_name", p.LegalName)
	p.DBA = c.text("dba", p.DBA)
	p.USDOTNumber = c.usdot(strings.TrimSpace(p.USDOTNumber))
	p.MCNumber = c.docket(strings.TrimSpace(p.MCNumber))
	p.Address = c.address(p.Address)
	p.TimeZone = c.timeZone(cmp.Or(p.TimeZone, "UTC"))
	p.Currency = c.currency(cmp.Or(p.Currency, usualCurrency))

	return p
}

func (c *complaints) usdot(text string) string {
	if text == "" {
		return ""
	}
	number, err := fmcsa.ParseUSDOT(text)
	if wrong, ok := errors.AsType[*fmcsa.Error](err); ok {
		c.add("usdot_number", "The usdot number "+wrong.Problem)
	}

	return number.String()
}

func (c *complaints) docket(text string) string {
	if text == "" {
		return ""
	}
	docket, err := fmcsa.ParseDocket(text)
	if wrong, ok := errors.AsType[*fmcsa.Error](err); ok {
		c.add("mc_number", "The mc number "+wrong.Problem)
	}

	return docket.String()
}

func (c *complaints) address(a Address) Address {
	a.Street = c.text("address.street", a.Street)
	a.City = c.text("address.city", a.City)
	a.State = c.text("address.state", a.State)
	a.PostalCode = c.text("address.postal_code", a.PostalCode)
	a.Country = strings.ToUpper(strings.TrimSpace(a.Country))
	if a.Country == "" {
		return a
	}
	if _, ok := field.CountryCode(a.Country); !ok {
		c.add("address.country", "The country must be a two-letter code, such as US.")
	}
	code, err := field.StateCode(a.Country, a.State)
	if err != nil {
		c.add("address.state", "The address "+err.Error())
	}
	a.State = code

	return a
}

// Zone is the time zone of the company, UTC if its name is none any more.
func (p Profile) Zone() *time.Location {
	zone, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		return time.UTC
	}

	return zone
}

func (c *complaints) timeZone(name string) string {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		c.add("time_zone", "The time zone must be a name such as America/Chicago.")
	}

	return name
}

func (c *complaints) currency(code string) string {
	unit, err := currency.ParseISO(code)
	if err != nil {
		c.add("currency", "The currency must be a three-letter code, such as USD.")

		return code
	}

	return unit.String()
}

// text returns a text that may be empty without space around it.
func (c *complaints) text(field, text string) string {
	text = strings.TrimSpace(text)
	name := strings.ReplaceAll(field[strings.LastIndex(field, ".")+1:], "_", " ")
	switch {
	case utf8.RuneCountInString(text) > nameLength:
		c.add(field, "The "+name+" must be at most 200 characters.")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		c.add(field, "The "+name+" must be one line of text.")
	}

	return text
}
