package feed

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/platform/fmcsa"
)

// censusFile finds the columns of the census in a file.
type censusFile struct {
	usdot int
	// fields are the columns of texts.
	fields []censusField
	// cargo are the flags of what is carried, by their names without crgo_.
	cargo   []flag
	dockets [3]docketColumn
}

// censusField writes the cells of a row into a field of a carrier.
type censusField struct {
	at  int
	set func(c *Carrier, text string)
}

type flag struct {
	name string
	at   int
}

// docketColumn is where a docket stands; number is -1 for one that the file does not have.
type docketColumn struct{ prefix, number int }

const cargoPrefix = "crgo_"

// censusColumns are the columns that are kept. Later ones do not replace what earlier ones have set.
var censusColumns = []struct {
	name string
	set  func(c *Carrier, text string)
}{
	{"legal_name", func(c *Carrier, text string) { c.LegalName = text }},
	{"dba_name", func(c *Carrier, text string) { c.DBA = text }},
	{"phy_street", func(c *Carrier, text string) { c.PhysicalStreet = text }},
	{"phy_city", func(c *Carrier, text string) { c.PhysicalCity = text }},
	{"phy_state", func(c *Carrier, text string) { c.PhysicalState = Typed(text) }},
	{"phy_zip", func(c *Carrier, text string) { c.PhysicalZIP = text }},
	{"phy_country", func(c *Carrier, text string) { c.PhysicalCountry = text }},
	{"carrier_mailing_street", func(c *Carrier, text string) { c.MailingStreet = text }},
	{"carrier_mailing_city", func(c *Carrier, text string) { c.MailingCity = text }},
	{"carrier_mailing_state", func(c *Carrier, text string) { c.MailingState = text }},
	{"carrier_mailing_zip", func(c *Carrier, text string) { c.MailingZIP = text }},
	{"carrier_mailing_country", func(c *Carrier, text string) { c.MailingCountry = text }},
	{"carrier_mailing_und_date", func(c *Carrier, text string) { c.Undeliverable = Day(text) }},
	{"phone", func(c *Carrier, text string) { c.Phone = Phone(text) }},
	{"telephone", func(c *Carrier, text string) {
		if c.Phone == "" {
			c.Phone = Phone(text)
		}
	}},
	{"cell_phone", func(c *Carrier, text string) { c.CellPhone = Phone(text) }},
	{"email_address", func(c *Carrier, text string) { c.Email = strings.ToLower(text) }},
	{"company_officer_1", func(c *Carrier, text string) { c.Officers = text }},
	{"company_officer_2", func(c *Carrier, text string) { c.Officers = strings.TrimPrefix(c.Officers+"\n"+text, "\n") }},
	{"status_code", func(c *Carrier, text string) { c.Status = strings.ToUpper(text) }},
	{"carrier_operation", func(c *Carrier, text string) { c.Operation = strings.ToUpper(text) }},
	{"classdef", func(c *Carrier, text string) { c.Classes = text }},
	{"power_units", func(c *Carrier, text string) { c.PowerUnits = Count(text) }},
	{"total_drivers", func(c *Carrier, text string) { c.Drivers = Count(text) }},
	{"add_date", func(c *Carrier, text string) { c.AddedOn = Day(text) }},
	{"mcs150_date", func(c *Carrier, text string) { c.MCS150On = Day(text) }},
	{"safety_rating", func(c *Carrier, text string) { c.SafetyRating = strings.ToUpper(text) }},
	{"safety_rating_date", func(c *Carrier, text string) { c.SafetyRatedOn = Day(text) }},
	{"review_date", func(c *Carrier, text string) { c.SafetyReviewedOn = Day(text) }},
}

func newCensusFile(head []string) (*censusFile, []string) {
	f := &censusFile{}
	var missing []string
	for _, name := range []string{"dot_number", "legal_name", "status_code"} {
		if !slices.Contains(head, name) {
			missing = append(missing, name)
		}
	}
	f.usdot = slices.Index(head, "dot_number")
	for _, c := range censusColumns {
		if at := slices.Index(head, c.name); at >= 0 {
			f.fields = append(f.fields, censusField{at, c.set})
		}
	}
	for i, name := range head {
		if c, ok := strings.CutPrefix(name, cargoPrefix); ok && !strings.HasSuffix(c, "_desc") {
			f.cargo = append(f.cargo, flag{c, i})
		}
	}
	for i, n := range []string{"1", "2", "3"} {
		f.dockets[i] = docketColumn{slices.Index(head, "docket"+n+"prefix"), slices.Index(head, "docket"+n)}
	}

	return f, missing
}

var errNoName = errors.New("legal_name is empty")

// carrier reads a row.
func (f *censusFile) carrier(cells []string) (Carrier, error) {
	usdot, err := fmcsa.ParseUSDOT(cells[f.usdot])
	if err != nil {
		return Carrier{}, err
	}
	c := Carrier{USDOT: usdot.Number}
	for _, field := range f.fields {
		if cell := cells[field.at]; cell != "" {
			if text := spaced(cell); text != "" {
				field.set(&c, text)
			}
		}
	}
	if c.LegalName == "" {
		return Carrier{}, errNoName
	}
	c.Cargo, c.Dockets = f.flags(cells), f.docketsOf(cells)

	return c, nil
}

func (f *censusFile) flags(cells []string) string {
	var set []string
	for _, c := range f.cargo {
		if cell := cells[c.at]; cell != "" && cell != "N" && strings.TrimSpace(cell) != "" {
			set = append(set, c.name)
		}
	}

	return strings.Join(set, " ")
}

// docketsOf returns up to three dockets, "MC-139446 FF-12". Their status in the census is not that of an authority, and is not kept.
func (f *censusFile) docketsOf(cells []string) string {
	var all []string
	for _, column := range f.dockets {
		if column.number < 0 || cells[column.number] == "" {
			continue
		}
		prefix := ""
		if column.prefix >= 0 {
			prefix = cells[column.prefix]
		}
		if d, err := fmcsa.ParseDocket(prefix + cells[column.number]); err == nil && !slices.Contains(all, d.String()) {
			all = append(all, d.String())
		}
	}

	return strings.Join(all, " ")
}

const (
	// mostStarts is from how many words of a name it is found, and mostTyped how much of it is compared.
	mostStarts = 4
	mostTyped  = 40
)

// legalForms are words by which nobody looks for a carrier.
var legalForms = map[string]bool{
	"llc": true, "inc": true, "corp": true, "co": true, "ltd": true, "lp": true, "llp": true, "and": true, "of": true, "the": true, "l": true, "c": true,
}

// Entries are what a carrier is found by, sorted: its names from the beginning of each of their first words, and its dockets.
func (c *Carrier) Entries() []string {
	all := make([]string, 0, 2*mostStarts) //nolint:mnd // of two names
	all = starts(all, Folded(c.LegalName))
	if c.DBA != "" {
		all = starts(all, Folded(c.DBA))
	}
	for d := range strings.FieldsSeq(c.Dockets) {
		all = append(all, strings.ToLower(d))
	}
	slices.Sort(all)

	return slices.Compact(all)
}

// starts adds a folded name from each of its first words on.
func starts(all []string, name string) []string {
	if name == "" {
		return all
	}
	all = append(all, Typed(name))
	for rest, n := name, 1; n < mostStarts; {
		_, after, more := strings.Cut(rest, " ")
		if !more {
			break
		}
		rest = after
		if word, _, _ := strings.Cut(rest, " "); !legalForms[word] {
			all, n = append(all, Typed(rest)), n+1
		}
	}

	return all
}

// Typed cuts a text to what is compared of it.
func Typed(text string) string {
	if len(text) <= mostTyped {
		return text
	}
	end := mostTyped
	for !utf8.RuneStart(text[end]) {
		end--
	}

	return text[:end]
}
