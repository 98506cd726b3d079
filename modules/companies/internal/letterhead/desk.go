package letterhead

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/companies/internal/brand"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
)

const (
	companyItem = "companies.company"
	// mostLines is how many lines an address has at most.
	mostLines = 6
)

var errInvalid = errs.New(errs.Invalid, "companies.invalid_letterhead", "The given data was invalid.")

// Desk reads and changes the letterheads of companies.
type Desk struct {
	identity *identity.Service
	db       *database.DB
	rows     *Repository
	journal  *journal.Journal
	clock    clock.Clock
}

// NewDesk returns a Desk.
func NewDesk(who *identity.Service, db *database.DB, rows *Repository, j *journal.Journal, c clock.Clock) *Desk {
	return &Desk{who, db, rows, j, c}
}

// letterhead is what the papers of a company say of it.
type letterhead struct {
	row

	// inherited are the fields that are the company's, by their names.
	inherited []string
	// dba and country are those of the profile.
	dba, country string
	paper        companiesapi.PaperSize
}

// lines are those of the address.
func (l letterhead) lines() []string {
	if l.Address == "" {
		return nil
	}

	return strings.Split(l.Address, "\n")
}

// now returns the letterhead of the caller's company.
func (d *Desk) now(ctx context.Context) (letterhead, error) {
	set, err := d.rows.find(ctx)
	if err != nil {
		return letterhead{}, err
	}

	return d.complete(ctx, set)
}

// complete takes what is not set from the profile of the company.
func (d *Desk) complete(ctx context.Context, set row) (letterhead, error) {
	company, err := d.identity.Company(ctx, journal.Caller(ctx).Company)
	if err != nil {
		return letterhead{}, err
	}
	shown := letterhead{
		row: set, inherited: []string{}, dba: company.DBA, country: company.Address.Country, paper: sizeIn(company.Address.Country),
	}
	inherit := func(name string, to *string, value string) {
		if *to == "" && value != "" {
			*to, shown.inherited = value, append(shown.inherited, name)
		}
	}
	inherit("legal_name", &shown.LegalName, cmp.Or(company.LegalName, company.Name))
	inherit("address", &shown.Address, strings.Join(brand.LinesOf(company.Address), "\n"))
	inherit("usdot", &shown.USDOT, company.USDOTNumber)
	inherit("docket", &shown.Docket, company.MCNumber)

	return shown, nil
}

// sizeIn is the size of paper of a country: where it is Letter, as the CLDR has it (paperSize), and in companies that have named none.
func sizeIn(country string) companiesapi.PaperSize {
	switch country {
	case "", "US", "CA", "MX", "BZ", "CL", "CO", "CR", "GT", "NI", "PA", "PH", "PR", "SV", "VE":
		return companiesapi.USLetter
	default:
		return companiesapi.A4
	}
}

// update changes the letterhead of the caller's company; match is asked about the version that is to be changed. What changes nothing is not
// stored.
func (d *Desk) update(ctx context.Context, match func(int64) error, change func(*row)) (shown letterhead, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		company := journal.Caller(ctx).Company
		if err := d.identity.Hold(ctx, company); err != nil {
			return err
		}
		before, err := d.rows.find(ctx)
		if err == nil {
			err = match(before.Version)
		}
		if err != nil {
			return err
		}
		after := before
		change(&after)
		if err := after.check(); err != nil {
			return err
		}
		if changes := diff(before, after); len(changes) > 0 {
			after.Version, after.UpdatedAt = before.Version+1, d.clock.Now()
			if err := d.rows.keep(ctx, after); err != nil {
				return err
			}
			err = d.journal.Record(ctx, "letterhead_updated", companyItem, company, changes, companiesapi.LetterheadUpdated{})
			if err != nil {
				return err
			}
		}
		shown, err = d.complete(ctx, after)

		return err
	})

	return shown, err
}

// check brings texts into one form, or says what is wrong with them. Their lengths, and values of other kinds, are checked by their types.
func (r *row) check() error {
	wrong := errInvalid
	for name, text := range map[string]*string{"legal_name": &r.LegalName, "tax_id": &r.TaxID} {
		if *text = strings.TrimSpace(*text); strings.ContainsFunc(*text, unicode.IsControl) {
			wrong = wrong.WithField(name, "`"+name+"` must be one line of text.")
		}
	}
	for name, text := range map[string]*string{"address": &r.Address, "remit_text": &r.RemitText, "footer": &r.Footer} {
		*text = strings.TrimSpace(strings.ReplaceAll(*text, "\r\n", "\n"))
		if strings.ContainsFunc(*text, func(c rune) bool { return c != '\n' && unicode.IsControl(c) }) {
			wrong = wrong.WithField(name, "`"+name+"` must be lines of text, without tabs or other control characters.")
		}
	}
	if strings.Count(r.Address, "\n") >= mostLines {
		wrong = wrong.WithField("address", "`address` must have at most 6 lines.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

func diff(a, b row) journal.Diff {
	return journal.Diff{}.
		Set("legal_name", a.LegalName, b.LegalName).Set("address", a.Address, b.Address).Set("phone", a.Phone, b.Phone).
		Set("email", a.Email, b.Email).Set("website", a.Website, b.Website).Set("tax_id", a.TaxID, b.TaxID).Set("usdot", a.USDOT, b.USDOT).
		Set("docket", a.Docket, b.Docket).Set("remit_text", a.RemitText, b.RemitText).Set("footer", a.Footer, b.Footer)
}

// Issuer tells other areas, and the printer of papers, who issues the papers of the caller's company.
type Issuer struct {
	desk   *Desk
	brands *brand.Desk
	logos  *brand.Logos
}

// NewIssuer returns an Issuer.
func NewIssuer(d *Desk, b *brand.Desk, l *brand.Logos) *Issuer { return &Issuer{d, b, l} }

// NewContract returns what other areas know of letterheads.
func NewContract(i *Issuer) companiesapi.Letterheads { return i }

// Of implements companiesapi.Letterheads.
func (i *Issuer) Of(ctx context.Context) (companiesapi.Letterhead, error) {
	l, err := i.desk.now(ctx)

	return companiesapi.Letterhead{
		LegalName: l.LegalName, Address: l.lines(), Phone: l.Phone, Email: l.Email, Website: l.Website, TaxID: l.TaxID, USDOT: l.USDOT,
		Docket: l.Docket, RemitText: l.RemitText, Footer: l.Footer, Paper: l.paper,
	}, err
}

// Letterhead implements document.Letterheads.
func (i *Issuer) Letterhead(ctx context.Context) (document.Letterhead, error) {
	l, err := i.desk.now(ctx)
	if err != nil {
		return document.Letterhead{}, err
	}
	looks, err := i.brands.Now(ctx)
	if err != nil {
		return document.Letterhead{}, err
	}
	logo, err := i.logos.PNG(ctx)

	return document.Letterhead{
		Name: l.LegalName, DBA: l.dba, Address: l.lines(), Country: l.country, Phone: l.Phone, Email: l.Email, Website: l.Website,
		USDOT: l.USDOT, Docket: l.Docket, TaxID: l.TaxID, Remit: l.RemitText, Footer: l.Footer, Color: looks.PrimaryColor, Logo: logo,
	}, err
}
