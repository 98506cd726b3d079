package brand

import (
	"cmp"
	"context"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/web"
)

// The longest texts of a brand, in characters.
const (
	// Base is where the operations of the area are.
	Base        = "/companies/api/v1"
	companyItem = "companies.company"

	maxBrandName = 200
	maxLogoURL   = 2000
)

var (
	color  = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	domain = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`)
)

// errInvalid refuses values of a brand.
var errInvalid = errs.New(errs.Invalid, "companies.invalid_brand", "The given data was invalid.")

// Desk reads and changes the brands of companies.
type Desk struct {
	identity *identity.Service
	db       *database.DB
	rows     *Repository
	journal  *journal.Journal
	clock    clock.Clock
}

// NewDesk returns a Desk.
func NewDesk(who *identity.Service, db *database.DB, rows *Repository, j *journal.Journal, clk clock.Clock) *Desk {
	return &Desk{who, db, rows, j, clk}
}

// NewContract returns what other areas know of brands.
func NewContract(d *Desk) companiesapi.Brands { return d }

// Now returns the brand of the caller's company, the zero brand if there is none.
func (d *Desk) Now(ctx context.Context) (Row, error) { return d.rows.find(ctx) }

// changing changes a brand in the transaction that stores it, and returns what has happened by that.
type changing func(ctx context.Context, b *Row) ([]events.Event, error)

// change changes the brand of the caller's company; match is asked about the version that is to be changed. What changes nothing is not stored.
func (d *Desk) change(ctx context.Context, action string, match func(int64) error, change changing) (b Row, err error) {
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
		b = before
		happened, err := change(ctx, &b)
		if err != nil {
			return err
		}
		changes := diff(before, b)
		if len(changes) == 0 {
			b = before

			return nil
		}
		b.Version, b.UpdatedAt = before.Version+1, d.clock.Now()
		if err := d.rows.keep(ctx, b); err != nil {
			return err
		}

		return d.journal.Record(ctx, action, companyItem, company, changes, happened...)
	})

	return b, err
}

// check brings the brand into one form, or says everything that is wrong with it.
func (b *Row) check() error {
	var wrong *errs.Error
	refuse := func(field, text string) {
		if wrong == nil {
			wrong = errInvalid
		}
		wrong = wrong.WithField(field, text)
	}
	b.Name = strings.TrimSpace(b.Name)
	if utf8.RuneCountInString(b.Name) > maxBrandName || strings.ContainsFunc(b.Name, unicode.IsControl) {
		refuse("name", "The name must be one line of at most 200 characters.")
	}
	for field, value := range map[string]*string{
		"primary_color": &b.PrimaryColor, "secondary_color": &b.SecondaryColor, "accent_color": &b.AccentColor,
	} {
		*value = strings.ToLower(*value)
		if *value != "" && !color.MatchString(*value) {
			refuse(field, "The color must be like #1a2b3c.")
		}
	}
	if b.LogoURL != "" && !logoAddress(b.LogoURL) {
		refuse("logo_url", "The logo url must start with https://.")
	}
	b.Domain = strings.ToLower(b.Domain)
	if b.Domain != "" && (len(b.Domain) > 253 || !domain.MatchString(b.Domain)) {
		refuse("domain", "The domain must be like dispatch.example.com.")
	}
	if parsed, err := mail.ParseAddress(b.FromAddress); b.FromAddress != "" && (err != nil || parsed.Address != b.FromAddress) {
		refuse("from_address", "The from address must be like dispatch@example.com.")
	}
	if wrong == nil {
		return nil
	}

	return wrong
}

func logoAddress(text string) bool {
	u, err := url.Parse(text)

	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && len(text) <= maxLogoURL
}

func diff(a, b Row) journal.Diff {
	return journal.Diff{}.
		Set("name", a.Name, b.Name).Set("primary_color", a.PrimaryColor, b.PrimaryColor).
		Set("secondary_color", a.SecondaryColor, b.SecondaryColor).Set("accent_color", a.AccentColor, b.AccentColor).
		Set("logo_url", a.LogoURL, b.LogoURL).Set("domain", a.Domain, b.Domain).Set("from_address", a.FromAddress, b.FromAddress).
		Set("logo", web.Optional(a.Logo.SHA256), web.Optional(b.Logo.SHA256))
}

// Brand implements companiesapi.Brands.
func (d *Desk) Brand(ctx context.Context) (companiesapi.Brand, error) {
	looks, err := d.rows.find(ctx)
	if err != nil {
		return companiesapi.Brand{}, err
	}
	shown := companiesapi.Brand{
		Name: looks.Name, PrimaryColor: looks.PrimaryColor, Logo: looks.Logo.PathOf(journal.Caller(ctx).Company),
	}
	if shown.Name == "" {
		company, err := d.identity.Company(ctx, journal.Caller(ctx).Company)
		if err != nil {
			return shown, err
		}
		shown.Name = company.Name
	}

	return shown, nil
}

// Identity implements companiesapi.Brands.
func (d *Desk) Identity(ctx context.Context) (companiesapi.Identity, error) {
	c, err := d.identity.Company(ctx, journal.Caller(ctx).Company)
	i := companiesapi.Identity{LegalName: cmp.Or(c.LegalName, c.Name), DBA: c.DBA, USDOT: c.USDOTNumber, Docket: c.MCNumber, TimeZone: c.TimeZone}
	i.Address = LinesOf(c.Address)

	return i, err
}

// LinesOf are the lines of an address, as written on an envelope in the United States.
func LinesOf(a identity.Address) (lines []string) {
	for _, line := range []string{a.Street, strings.TrimSpace(strings.Trim(a.City+", "+a.State, ", ") + " " + a.PostalCode)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	if a.Country != "" && a.Country != "US" && len(lines) > 0 {
		lines = append(lines, a.Country)
	}

	return lines
}
