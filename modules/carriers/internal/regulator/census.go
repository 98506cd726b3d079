package regulator

import (
	"errors"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
)

// censusFile finds the columns of the census in a file.
type censusFile struct {
	at map[string]int
	// cargo are the flags of what is carried, by their names without crgo_.
	cargo []flag
}

type flag struct {
	name string
	at   int
}

const cargoPrefix = "crgo_"

func newCensusFile(head []string) (*censusFile, []string) {
	f := &censusFile{at: make(map[string]int, len(head))}
	for i, name := range head {
		f.at[name] = i
		if c, ok := strings.CutPrefix(name, cargoPrefix); ok && !strings.HasSuffix(c, "_desc") {
			f.cargo = append(f.cargo, flag{c, i})
		}
	}
	var missing []string
	for _, name := range []string{"dot_number", "legal_name", "status_code"} {
		if _, ok := f.at[name]; !ok {
			missing = append(missing, name)
		}
	}

	return f, missing
}

var errNoName = errors.New("legal_name is empty")

// carrier reads a row.
func (f *censusFile) carrier(cells []string) (carrier, error) {
	usdot, err := carriersapi.ParseUSDOT(f.text(cells, "dot_number"))
	if err != nil {
		return carrier{}, err
	}
	text := func(names ...string) string {
		for _, n := range names {
			if v := f.text(cells, n); v != "" {
				return v
			}
		}

		return ""
	}
	c := carrier{
		USDOT: usdot.Number, LegalName: text("legal_name"), DBA: text("dba_name"),
		PhysicalStreet: text("phy_street"), PhysicalCity: text("phy_city"), PhysicalState: text("phy_state"), PhysicalZIP: text("phy_zip"), PhysicalCountry: text("phy_country"),
		MailingStreet: text("carrier_mailing_street"), MailingCity: text("carrier_mailing_city"), MailingState: text("carrier_mailing_state"),
		MailingZIP: text("carrier_mailing_zip"), MailingCountry: text("carrier_mailing_country"), Undeliverable: string(day(text("carrier_mailing_und_date"))),
		Phone: phoneOf(text("phone", "telephone")), CellPhone: phoneOf(text("cell_phone")), Email: strings.ToLower(text("email_address")),
		Officers: joined("\n", text("company_officer_1"), text("company_officer_2")),
		Status:   strings.ToUpper(text("status_code")), Operation: strings.ToUpper(text("carrier_operation")), Classes: text("classdef"),
		PowerUnits: count(text("power_units")), Drivers: count(text("total_drivers")),
		AddedOn: string(day(text("add_date"))), MCS150On: string(day(text("mcs150_date"))),
		SafetyRating: strings.ToUpper(text("safety_rating")), SafetyRatedOn: string(day(text("safety_rating_date"))), SafetyReviewedOn: string(day(text("review_date"))),
	}
	if c.LegalName == "" {
		return carrier{}, errNoName
	}
	c.Cargo, c.Dockets = f.flags(cells), f.dockets(cells)
	c.complete()

	return c, nil
}

func (f *censusFile) text(cells []string, name string) string {
	at, ok := f.at[name]
	if !ok {
		return ""
	}

	return spaced(cells[at])
}

func (f *censusFile) flags(cells []string) string {
	var set []string
	for _, c := range f.cargo {
		if strings.TrimSpace(cells[c.at]) != "" && !strings.EqualFold(strings.TrimSpace(cells[c.at]), "N") {
			set = append(set, c.name)
		}
	}

	return strings.Join(set, " ")
}

// dockets are up to three, "MC-139446 FF-12". Their status in the census is not that of an authority, and is not kept.
func (f *censusFile) dockets(cells []string) string {
	var all []string
	for _, n := range []string{"1", "2", "3"} {
		number := f.text(cells, "docket"+n)
		if number == "" {
			continue
		}
		if d, err := carriersapi.ParseDocket(f.text(cells, "docket"+n+"prefix") + number); err == nil && !slices.Contains(all, d.String()) {
			all = append(all, d.String())
		}
	}

	return strings.Join(all, " ")
}

// complete sets what is computed of the other values.
func (c *carrier) complete() {
	c.Digest = hashed(append(c.texts(), number(c.PowerUnits), number(c.Drivers))...)
}

func (c *carrier) texts() []string {
	return []string{
		c.LegalName, c.DBA, c.PhysicalStreet, c.PhysicalCity, c.PhysicalState, c.PhysicalZIP, c.PhysicalCountry,
		c.MailingStreet, c.MailingCity, c.MailingState, c.MailingZIP, c.MailingCountry, c.Undeliverable, c.Phone, c.CellPhone, c.Email, c.Officers,
		c.Status, c.Operation, c.Classes, c.Cargo, c.Dockets, c.AddedOn, c.MCS150On, c.SafetyRating, c.SafetyRatedOn, c.SafetyReviewedOn,
	}
}

func joined(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), separator)
}

const (
	// mostStarts is from how many words of a name it is found, and mostTyped how much of it is compared.
	mostStarts = 4
	mostTyped  = 40
)

// legalForms are words that no one looks for a carrier by.
var legalForms = map[string]bool{
	"llc": true, "inc": true, "corp": true, "co": true, "ltd": true, "lp": true, "llp": true, "and": true, "of": true, "the": true, "l": true, "c": true,
}

// What entries of contacts begin with. No text that somebody types has it.
const (
	phoneMark   = "\x01"
	emailMark   = "\x02"
	addressMark = "\x03"
)

// contacts are the entries of a carrier's phone, e-mail and address, "" for what it has not.
func (c *carrier) contacts() (phone, email, address string) {
	if c.Phone != "" {
		phone = phoneMark + c.Phone
	}
	if c.Email != "" {
		email = emailMark + c.Email
	}
	if c.PhysicalStreet != "" {
		address = addressMark + folded(c.PhysicalStreet) + " " + c.PhysicalZIP[:min(len(c.PhysicalZIP), zipDigits)]
	}

	return phone, email, address
}

// zipDigits are those of a ZIP code without its extension.
const zipDigits = 5

// entries are what a carrier is found by: its names from the beginning of each of their first words, its dockets, and its contacts.
func (c *carrier) entries() []string {
	var all []string
	for _, name := range []string{c.LegalName, c.DBA} {
		all = append(all, starts(folded(name))...)
	}
	for d := range strings.FieldsSeq(c.Dockets) {
		all = append(all, strings.ToLower(d))
	}
	phone, email, address := c.contacts()
	all = append(all, phone, email, address)
	slices.Sort(all)
	all = slices.Compact(all)

	return slices.DeleteFunc(all, func(e string) bool { return e == "" })
}

// starts returns a folded name from each of its first words on.
func starts(name string) []string {
	if name == "" {
		return nil
	}
	all := []string{typed(name)}
	for rest := name; len(all) < mostStarts; {
		_, after, more := strings.Cut(rest, " ")
		if !more {
			break
		}
		rest = after
		if word, _, _ := strings.Cut(rest, " "); !legalForms[word] {
			all = append(all, typed(rest))
		}
	}

	return all
}

// typed cuts a text to what is compared of it.
func typed(text string) string {
	if len(text) <= mostTyped {
		return text
	}

	return strings.ToValidUTF8(text[:mostTyped], "")
}
