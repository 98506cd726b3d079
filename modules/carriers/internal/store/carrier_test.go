package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// insured is a carrier with certificates of insurance.
func insured(policies ...Policy) *Carrier {
	c := &Carrier{}
	c.Insurance.V = policies

	return c
}

// cargo is a verified certificate of cargo insurance.
func cargo(cover money.Amount, effective, expires field.Date) Policy {
	return Policy{Kind: "cargo", Cover: cover, Effective: effective, Expires: expires, Verified: "2026-06-01"}
}

// wrongFields are the fields that a failure is about.
func wrongFields(t *testing.T, err error) (names []string) {
	t.Helper()
	refusal, is := errors.AsType[*errs.Error](err)
	require.True(t, is, "%v", err)
	for name := range refusal.Fields {
		names = append(names, name)
	}

	return names
}

func TestCargo_IsTheBestCertificateThatIsInForce(t *testing.T) {
	t.Parallel()
	unverified, liability := cargo("250000.00", "", "2027-06-01"), cargo("250000.00", "", "2027-06-01")
	unverified.Verified, liability.Kind = "", "auto_liability"
	for name, one := range map[string]struct {
		carrier *Carrier
		day     field.Date
		want    string
	}{
		"none":                                  {insured(), "2026-12-01", " "},
		"not verified":                          {insured(unverified), "2026-12-01", " "},
		"of another kind":                       {insured(liability), "2026-12-01", " "},
		"without a cover":                       {insured(cargo("", "", "2027-06-01")), "2026-12-01", " "},
		"not yet in force":                      {insured(cargo("250000.00", "2026-12-02", "2027-12-01")), "2026-12-01", " "},
		"not yet in force, of no day":           {insured(cargo("250000.00", "2026-12-02", "2027-12-01")), "", "250000.00 2027-12-01"},
		"the greatest cover":                    {insured(cargo("90000.00", "", "2028-01-01"), cargo("250000.00", "", "2027-01-01")), "2026-12-01", "250000.00 2027-01-01"},
		"of equal covers, the longest":          {insured(cargo("100000.00", "", "2027-01-01"), cargo("100000.00", "", "2027-05-01")), "2026-12-01", "100000.00 2027-05-01"},
		"a smaller one if the greatest ran out": {insured(cargo("250000.00", "", "2026-11-30"), cargo("90000.00", "", "2027-01-01")), "2026-12-01", "90000.00 2027-01-01"},
		"one that ran out, without another":     {insured(cargo("250000.00", "", "2026-11-30")), "2026-12-01", "250000.00 2026-11-30"},
		"on its last day":                       {insured(cargo("250000.00", "", "2026-12-01"), cargo("90000.00", "", "2027-01-01")), "2026-12-01", "250000.00 2026-12-01"},
	} {
		got := one.carrier.Cargo(one.day)
		require.Equal(t, one.want, string(got.Cover)+" "+string(got.Expires), name)
	}
}

func TestCheckCarrier_RefusesPapersThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		policy Policy
		want   []string
	}{
		"without an end":        {Policy{}, []string{"insurance.1.expires"}},
		"ends before it begins": {Policy{Effective: "2027-01-02", Expires: "2027-01-01"}, []string{"insurance.1.expires"}},
		"a negative cover":      {Policy{Expires: "2027-01-01", Cover: "-1.00"}, []string{"insurance.1.each_occurrence"}},
		"a negative deductible": {Policy{Expires: "2027-01-01", Deductible: "-1.00"}, []string{"insurance.1.deductible"}},
	} {
		err := checkCarrier(t.Context(), insured(cargo("90000.00", "", "2027-01-01"), one.policy))
		require.ErrorIs(t, err, ErrCarrier, name)
		require.Equal(t, one.want, wrongFields(t, err), name)
	}
	require.Equal(t, []string{"w9_received"}, wrongFields(t, checkCarrier(t.Context(), &Carrier{TIN: "6789"})), "the tax id is that of a W-9")
	require.NoError(t, checkCarrier(t.Context(), &Carrier{TIN: "6789", W9: "2026-01-05"}))
}

func TestCheckCarrier_StoresNumbersInOneForm(t *testing.T) {
	t.Parallel()
	c := insured(cargo("90000.00", "", "2027-01-01"))
	c.USDOT, c.Docket = new("USDOT 09900001"), new("mc 0-990001")
	require.NoError(t, checkCarrier(t.Context(), c))
	require.Equal(t, []string{"9900001", "MC-990001"}, []string{*c.USDOT, *c.Docket})
	require.Equal(t, field.Date("2027-01-01"), c.CargoExpires)
	require.ErrorIs(t, checkCarrier(t.Context(), &Carrier{USDOT: new("123456789")}), regulatorapi.ErrInvalidNumber)
	require.ErrorIs(t, checkCarrier(t.Context(), &Carrier{Docket: new("XX-1")}), regulatorapi.ErrInvalidNumber)
}

// as is the context of a user with scopes.
func as(t *testing.T, scopes ...string) context.Context {
	t.Helper()

	return principal.With(t.Context(), principal.Principal{Kind: principal.User, Scopes: scopes})
}

func TestKeepBan_GuardsTheNumbersOfACarrierThatIsNotUsed(t *testing.T) {
	t.Parallel()
	row := func(s Status, usdot, docket *string) *Carrier {
		return &Carrier{Status: s, USDOT: usdot, Docket: docket}
	}
	one, other := new("9900001"), new("9900002")
	banned := row(DoNotUse, one, nil)
	for name, of := range map[string]struct {
		verb          resource.Verb
		before, after *Carrier
		refused       bool
	}{
		"created":                    {resource.Create, nil, banned, false},
		"deleted":                    {resource.Delete, banned, banned, true},
		"deleted, and not banned":    {resource.Delete, row(Active, one, nil), row(Active, one, nil), false},
		"its number is taken away":   {resource.Update, banned, row(DoNotUse, nil, nil), true},
		"its number is another one":  {resource.Update, banned, row(DoNotUse, other, nil), true},
		"its docket is taken away":   {resource.Update, row(DoNotUse, nil, new("MC-1")), row(DoNotUse, nil, nil), true},
		"it gets another number too": {resource.Update, banned, row(DoNotUse, one, new("MC-1")), false},
		"something else of it":       {resource.Update, banned, row(DoNotUse, new("9900001"), nil), false},
		"a verb of its life":         {allow, banned, row(Active, one, nil), false},
	} {
		c := resource.Change[Carrier]{Verb: of.verb, Before: of.before, After: of.after}
		if of.refused {
			require.ErrorIs(t, keepBan(as(t, "carriers:write"), nil, c), principal.ErrScopeMissing, name)
		} else {
			require.NoError(t, keepBan(as(t, "carriers:write"), nil, c), name)
		}
		require.NoError(t, keepBan(as(t, "carriers:override"), nil, c), name)
	}
}

func TestOwn_HasEachContactOnce(t *testing.T) {
	t.Parallel()
	c := &Carrier{LegalName: "One LLC", Phone: "+12145550143", Email: "a@one.example", Status: Inactive, Docket: new("MC-1"), Signed: "2026-01-01"}
	c.People.V = []Person{{Name: "Ann", Phone: "+12145550143", Email: "ann@one.example"}, {Name: "Bo"}}
	c.Identity.V = []Confirmation{{Channel: "+12145550143"}}
	own := c.Own()
	require.Equal(t, []string{"One LLC"}, own.Names)
	require.Equal(t, []string{"+12145550143"}, own.Phones)
	require.Equal(t, []string{"a@one.example", "ann@one.example"}, own.Emails)
	require.Equal(t, []string{"+12145550143"}, own.Verified)
	require.Equal(t, []bool{true, true, true, true, false, false}, []bool{own.Saved, own.Inactive, own.Numbered, own.Signed, own.DoNotUse, own.W9})
	require.False(t, (&Carrier{}).Own().Numbered)
}

func TestReach_TakesThePersonOfThePurposeThenTheCarrierThenItsOwner(t *testing.T) {
	t.Parallel()
	c := &Carrier{Email: "office@one.example"}
	c.People.V = []Person{
		{Name: "Olga", Role: "owner", Phone: "+12145550101", Email: "olga@one.example"},
		{Name: "Bill", Role: "billing", Email: "bill@one.example"},
	}
	require.Equal(t, carriersapi.Reach{Name: "Bill", Email: "bill@one.example", Call: "+12145550101", SMS: "+12145550101"}, c.Reach(carriersapi.Billing))
	require.Equal(t, carriersapi.Reach{Email: "office@one.example", Call: "+12145550101", SMS: "+12145550101"}, c.Reach(carriersapi.Dispatch))
	c.Email = ""
	require.Equal(t, "Olga", c.Reach(carriersapi.Safety).Name)
	require.Zero(t, (&Carrier{}).Reach(carriersapi.Dispatch))
}

func TestShown_HasNothingForWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	c := Carrier{LegalName: "One", Status: Active}
	require.Equal(t, carriersapi.Carrier{UUID: uuid.Nil.String(), Name: "One", Status: "active", Compliance: "unknown"}, c.Shown())
	contact := uuid.New()
	c.USDOT, c.Docket, c.Contact, c.Compliance = new("1"), new("MC-1"), &contact, string(verdict.Blocked)
	shown := c.Shown()
	require.Equal(t, []string{"1", "MC-1", contact.String(), "blocked"}, []string{shown.USDOT, shown.Docket, shown.Contact, shown.Compliance})
}

func TestExpiring_IsReportedOfActiveCarriers(t *testing.T) {
	t.Parallel()
	e := resource.Expiry{Document: "cargo_expires", On: "2026-12-08", Days: 7}
	c := Carrier{Status: Active}
	require.Equal(t, carriersapi.CertificateExpiring{Carrier: uuid.Nil.String(), Document: "cargo", ExpiresOn: "2026-12-08", Days: 7}, carrierExpiring(c, e))
	for _, s := range []Status{Inactive, DoNotUse} {
		require.Nil(t, carrierExpiring(Carrier{Status: s}, e), s)
	}
}

func TestStanding_FollowsOneMerge(t *testing.T) {
	t.Parallel()
	carrier := func(into *Carrier) Carrier {
		c := Carrier{}
		c.ID = uuid.New()
		if into != nil {
			c.MergedInto = &into.ID
		}

		return c
	}
	stays := carrier(nil)
	other, merged := carrier(nil), carrier(&stays)
	twice, lost := carrier(&merged), carrier(&Carrier{})
	found := standing([]Carrier{other, merged, twice, lost}, []Carrier{stays, merged})
	require.Equal(t, map[uuid.UUID]Carrier{other.ID: other, merged.ID: stays}, found, "carriers that were not asked for are left out")
}

func TestDistinct_LeavesTheGivenIDsAsTheyAre(t *testing.T) {
	t.Parallel()
	a, b := uuid.UUID{1}, uuid.UUID{2}
	given := []uuid.UUID{b, a, b}
	require.Equal(t, []uuid.UUID{a, b}, Distinct(given))
	require.Equal(t, []uuid.UUID{b, a, b}, given)
}

var noon = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
