package companies

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
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// The longest texts of a brand, in characters.
const (
	maxBrandName = 200
	maxLogoURL   = 2000
)

var (
	color  = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	domain = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`)
)

// brands keeps how companies look to their customers.
type brands struct {
	identity *identity.Service
	rows     *repository
	staff    *staff
	journal  *journal.Journal
	clock    clock.Clock
}

func newBrands(who *identity.Service, rows *repository, st *staff, j *journal.Journal, clk clock.Clock) *brands {
	return &brands{identity: who, rows: rows, staff: st, journal: j, clock: clk}
}

func newContractBrands(b *brands) companiesapi.Brands { return b }

// updateBrand changes the brand of the caller's company; match is asked about the version that is to
// be changed.
func (s *brands) updateBrand(ctx context.Context, match func(int64) error, change func(*brand)) (b brand, err error) {
	err = s.staff.withUsersLocked(ctx, func(ctx context.Context) error {
		before, err := s.rows.brand(ctx)
		if err == nil {
			err = match(before.Version)
		}
		if err != nil {
			return err
		}
		b = before
		change(&b)
		if err := b.check(); err != nil {
			return err
		}
		b.Version, b.UpdatedAt = before.Version+1, s.clock.Now()
		if err := s.rows.keepBrand(ctx, b); err != nil {
			return err
		}

		return s.journal.Record(ctx, "brand_updated", companyItem, journal.Caller(ctx).Company, brandDiff(before, b))
	})

	return b, err
}

// check brings the brand into one form, or says everything that is wrong with it.
func (b *brand) check() error {
	var wrong *errs.Error
	refuse := func(field, text string) {
		if wrong == nil {
			wrong = errInvalidBrand
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

func brandDiff(a, b brand) journal.Diff {
	return journal.Diff{}.
		Set("name", a.Name, b.Name).Set("primary_color", a.PrimaryColor, b.PrimaryColor).
		Set("secondary_color", a.SecondaryColor, b.SecondaryColor).Set("accent_color", a.AccentColor, b.AccentColor).
		Set("logo_url", a.LogoURL, b.LogoURL).Set("domain", a.Domain, b.Domain).Set("from_address", a.FromAddress, b.FromAddress)
}

// Brand implements companiesapi.Brands.
func (s *brands) Brand(ctx context.Context) (companiesapi.Brand, error) {
	looks, err := s.rows.brand(ctx)
	if err != nil {
		return companiesapi.Brand{}, err
	}
	shown := companiesapi.Brand{Name: looks.Name, PrimaryColor: looks.PrimaryColor, LogoURL: looks.LogoURL}
	if shown.Name == "" {
		company, err := s.identity.Company(ctx, journal.Caller(ctx).Company)
		if err != nil {
			return shown, err
		}
		shown.Name = company.Name
	}

	return shown, nil
}

// Identity implements companiesapi.Brands.
func (s *brands) Identity(ctx context.Context) (companiesapi.Identity, error) {
	c, err := s.identity.Company(ctx, journal.Caller(ctx).Company)
	i := companiesapi.Identity{LegalName: cmp.Or(c.LegalName, c.Name), DBA: c.DBA, USDOT: c.USDOTNumber, Docket: c.MCNumber, TimeZone: c.TimeZone}
	a := c.Address
	for _, line := range []string{a.Street, strings.TrimSpace(strings.Trim(a.City+", "+a.State, ", ") + " " + a.PostalCode)} {
		if line != "" {
			i.Address = append(i.Address, line)
		}
	}
	if a.Country != "" && a.Country != "US" && len(i.Address) > 0 {
		i.Address = append(i.Address, a.Country)
	}

	return i, err
}
