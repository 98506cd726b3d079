package packet

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func names(p Problems) []string { return slices.Sorted(maps.Keys(p)) }

func TestProfile_NeedsANameAndAPhone(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		profile *Profile
		want    []string
	}{
		"not saved":             {nil, []string{""}},
		"nothing":               {&Profile{LegalName: " "}, []string{"legal_name", "phone"}},
		"complete":              {&Profile{LegalName: "One", Phone: "(214) 555-0143"}, nil},
		"no phone number":       {&Profile{LegalName: "One", Phone: "call me"}, []string{"phone"}},
		"no e-mail address":     {&Profile{LegalName: "One", Phone: "2145550143", Email: "at one"}, []string{"email"}},
		"a person without name": {&Profile{LegalName: "One", Phone: "2145550143", BillingEmail: "b@one.example"}, []string{"billing_name"}},
		"a person with a bad phone": {
			&Profile{LegalName: "One", Phone: "2145550143", DispatchName: "Ann", DispatchPhone: "1"}, []string{"dispatch_phone"},
		},
	} {
		require.Equal(t, one.want, names(one.profile.check()), name)
	}
}

func TestEquipment_NeedsPlacesThatAreNone(t *testing.T) {
	t.Parallel()
	require.Empty(t, (*Equipment)(nil).check(), "it is optional")
	e := &Equipment{Lanes: []Lane{{From: []string{"TX", "75"}, To: []string{"FL"}}, {From: []string{"75201"}, To: []string{"Florida", "Georgia"}}}}
	require.Equal(t, Problems{"lane1_to": {"Enter states such as TX, or the first digits of ZIP codes."}}, e.check(), "once for a field")
}

func TestInsurance_NeedsPoliciesThatAreInForce(t *testing.T) {
	t.Parallel()
	valid := Policy{Insurer: "Sample", Number: "C-1", Cover: "$250,000", Expires: "2026-11-30"}
	for name, one := range map[string]struct {
		change func(p *Policy)
		want   []string
	}{
		"valid on its last day":    {func(*Policy) {}, nil},
		"no insurer":               {func(p *Policy) { p.Insurer = " " }, []string{"cargo.insurer"}},
		"no number":                {func(p *Policy) { p.Number = "" }, []string{"cargo.policy"}},
		"no cover":                 {func(p *Policy) { p.Cover = "" }, []string{"cargo.each_occurrence"}},
		"a negative cover":         {func(p *Policy) { p.Cover = "-1" }, []string{"cargo.each_occurrence"}},
		"a deductible in words":    {func(p *Policy) { p.Deductible = "none" }, []string{"cargo.deductible"}},
		"a day that is none":       {func(p *Policy) { p.Effective = "1/31/2026" }, []string{"cargo.effective"}},
		"a year that is none":      {func(p *Policy) { p.Effective = "0026-01-31" }, []string{"cargo.effective"}},
		"no end":                   {func(p *Policy) { p.Expires = "" }, []string{"cargo.expires"}},
		"expired":                  {func(p *Policy) { p.Expires = "2026-11-29" }, []string{"cargo.expires"}},
		"it ends before it begins": {func(p *Policy) { p.Effective, p.Expires = "2027-02-01", "2027-01-31" }, []string{"cargo.expires"}},
	} {
		i := &Insurance{Cargo: valid, Liability: valid}
		one.change(&i.Cargo)
		require.Equal(t, one.want, names(i.check("2026-11-30", true)), name)
	}
	require.Equal(t, []string{"certificate"}, names((&Insurance{Cargo: valid, Liability: valid}).check("2026-11-30", false)))
	require.Len(t, (*Insurance)(nil).check("2026-11-30", false), 9, "not saved: four fields of two policies, and the certificate")
}

func TestRemitTo_NeedsAnAccountOrAnAddress(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		remit  *RemitTo
		notice bool
		want   []string
	}{
		"not saved":                    {nil, false, []string{"payee"}},
		"a bank account":               {&RemitTo{Payee: "One", Method: "ach", Routing: "021000021", Last4: "6789"}, false, nil},
		"a routing number with a typo": {&RemitTo{Payee: "One", Method: "ach", Routing: "021000022", Last4: "6789"}, false, []string{"routing_number"}},
		"no account number":            {&RemitTo{Payee: "One", Method: "wire", Routing: "021000021"}, false, []string{"account_number"}},
		"checks to an address":         {&RemitTo{Payee: "One", Method: "check", Address: field.Address{Line1: "1 Main St", City: "Dallas"}}, false, nil},
		"checks to none":               {&RemitTo{Payee: "One", Method: "check", Address: field.Address{City: "Dallas"}}, false, []string{"line1"}},
		"no payee":                     {&RemitTo{Method: "ach", Routing: "021000021", Last4: "6789"}, false, []string{"payee"}},
		"a factor without its notice":  {&RemitTo{Payee: "F", Kind: "factor", Method: "ach", Routing: "021000021", Last4: "6789"}, false, []string{"notice"}},
		"a factor with its notice":     {&RemitTo{Payee: "F", Kind: "factor", Method: "ach", Routing: "021000021", Last4: "6789"}, true, nil},
	} {
		require.Equal(t, one.want, names(one.remit.check(one.notice)), name)
	}
}

func TestTakeAccount_NeverLeavesTheNumberInTheEntries(t *testing.T) {
	t.Parallel()
	before := &RemitTo{Method: "ach", Last4: "1111"}
	for name, one := range map[string]struct {
		entered  RemitTo
		before   *RemitTo
		number   string
		replaces bool
		last4    string
	}{
		"a number":                      {RemitTo{Method: "ach", Account: "0001 2345-6789"}, before, "000123456789", true, "6789"},
		"the saved number is kept":      {RemitTo{Method: "ach"}, before, "", false, "1111"},
		"there is none to keep":         {RemitTo{Method: "ach"}, nil, "", false, ""},
		"four digits are none":          {RemitTo{Method: "ach", Account: "1234"}, before, "", true, ""},
		"letters are none":              {RemitTo{Method: "wire", Account: "DE12 3456 7890"}, before, "", true, ""},
		"the last four are not trusted": {RemitTo{Method: "ach", Last4: "9999"}, nil, "", false, ""},
		"checks need none":              {RemitTo{Method: "check", Account: "123456789", Bank: "Sample Bank", AccountType: "checking"}, before, "", true, ""},
	} {
		r := one.entered
		r.Routing = "0210-0002 1"
		number, replaces := r.TakeAccount(one.before)
		require.Equal(t, one.number, number, name)
		require.Equal(t, one.replaces, replaces, name)
		require.Equal(t, []string{"", one.last4}, []string{r.Account, r.Last4}, name)
		if one.entered.Method == "check" {
			require.Empty(t, r.Routing+r.Bank+r.AccountType, name)
		} else {
			require.Equal(t, "021000021", r.Routing, name)
		}
	}
}

func TestValidRouting_HasTheChecksumOfABA(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"021000021": true, "122105155": true, "021000022": false, "000000000": false, "02100002": false, "0210000210": false, "02100002a": false,
	} {
		require.Equal(t, want, validRouting(text), text)
	}
}

func TestParseMoney_ReadsWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Amount{"$250,000": "250000.00", " 1 000.5 ": "1000.50", "": "", "$": ""} {
		got, ok := ParseMoney(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"-5", "$-5", "lots"} {
		_, ok := ParseMoney(text)
		require.False(t, ok, text)
	}
}

func TestSeenBy_MasksBankDetails(t *testing.T) {
	t.Parallel()
	p := Proposal{RemitTo: &RemitTo{Payee: "One", Bank: "Sample Bank", AccountType: "checking", Routing: "021000021", Last4: "6789"}}
	as := func(scope string) *Proposal {
		return p.SeenBy(principal.With(t.Context(), principal.Principal{Kind: principal.User, Scopes: []string{scope}}))
	}
	require.Equal(t, &RemitTo{Payee: "One"}, as("carriers:write").RemitTo)
	require.Equal(t, p.RemitTo, as("carriers:remit").RemitTo)
	require.Equal(t, "6789", p.RemitTo.Last4, "what is stored stays")
}

func TestEmails_AreTheValidOnesOfTheProfileOnce(t *testing.T) {
	t.Parallel()
	p := Proposal{Profile: &Profile{Email: "A@one.example", DispatchEmail: "a@one.example", BillingEmail: "none"}}
	require.Equal(t, []string{"a@one.example"}, p.Emails())
	require.Empty(t, (&Proposal{}).Emails())
}
