package onboarding

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/secret"
)

func TestRecipient_IsReachedByItsChannel(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		channel, to string
		public      bool
		want        string
		err         error
	}{
		"a text message":                   {"sms", "(214) 555-0143", true, "+12145550143", nil},
		"an e-mail":                        {"email", " Ann@One.example ", true, "ann@one.example", nil},
		"a text message to an address":     {"sms", "ann@one.example", true, "", packet.ErrInvalid},
		"a text message to nobody":         {"sms", "", true, "", packet.ErrInvalid},
		"an e-mail to a phone":             {"email", "2145550143", true, "", packet.ErrInvalid},
		"by hand":                          {"link", "", false, "", nil},
		"by hand, and who gets it":         {"link", "ann@one.example", false, "ann@one.example", nil},
		"by hand, to what is no recipient": {"link", "Ann", false, "", packet.ErrInvalid},
		"links have no address":            {"email", "ann@one.example", false, "", packet.ErrNoAddress},
	} {
		got, err := recipient(one.channel, one.to, one.public)
		require.ErrorIs(t, err, one.err, name)
		require.Equal(t, one.want, got, name)
	}
}

func TestApplyTo_ChangesWhatThePacketHas(t *testing.T) {
	t.Parallel()
	c := store.Carrier{LegalName: "One", W9: "2025-01-01", Signed: "2025-01-01"}
	c.Lanes.V = []store.Lane{{From: []string{"TX"}, To: []string{"FL"}, Days: []string{"monday"}}}
	before := c
	decision{today: "2026-11-30"}.applyTo(&c)
	require.Equal(t, before, c, "an empty packet changes nothing")

	d := decision{today: "2026-11-30", w9: true}.of(packet.Proposal{Agreement: &packet.Accepted{}, Equipment: &packet.Equipment{Units: []packet.Unit{{Kind: "open", Slots: 9}}}})
	d.applyTo(&c)
	require.Equal(t, []field.Date{"2026-11-30", "2026-11-30"}, []field.Date{c.W9, c.Signed})
	require.Equal(t, []store.Equipment{{Kind: "open", Slots: 9}}, c.Equipment.V)
	require.Equal(t, before.Lanes, c.Lanes, "no lanes are those that it has")
}

func TestIntroduce_KeepsPeopleThatThePacketDoesNotName(t *testing.T) {
	t.Parallel()
	c := store.Carrier{LegalName: "One", DBA: "1", Phone: "+12145550100", Email: "office@one.example"}
	c.People.V = []store.Person{{Name: "Olga", Role: "owner"}, {Name: "Ann", Role: "dispatch", Phone: "+12145550101"}}
	had := c.People.V
	introduce(&c, &packet.Profile{LegalName: " One LLC ", Phone: "214 555 0143", DispatchName: "ANN", DispatchEmail: "ann@one.example", BillingName: "Bill"})
	require.Equal(t, []string{"One LLC", "", "+12145550143", "office@one.example"}, []string{c.LegalName, c.DBA, string(c.Phone), string(c.Email)},
		"an address that is left out stays")
	require.Equal(t, []store.Person{{Name: "Olga", Role: "owner"}, {Name: "ANN", Role: "dispatch", Email: "ann@one.example"}, {Name: "Bill", Role: "billing"}}, c.People.V)
	require.Equal(t, "Ann", had[1].Name, "the stored row stays unchanged")
}

func TestInsure_NeverReplacesAVerifiedCertificate(t *testing.T) {
	t.Parallel()
	file := uuid.New()
	c := store.Carrier{}
	c.Insurance.V = []store.Policy{
		{Kind: "cargo", Number: "C-1", Cover: "100000.00", Verified: "2026-06-01"},
		{Kind: "cargo", Number: "C-1", Cover: "150000.00"},
		{Kind: "cargo", Number: "C-0"},
	}
	insure(&c, &packet.Insurance{
		Cargo:     packet.Policy{Insurer: " Sample ", Number: " C-1 ", Cover: "$250,000", Expires: "2027-06-01"},
		Liability: packet.Policy{Insurer: "Sample", Number: "L-1", Cover: "1000000", Deductible: "1,000", Effective: "2026-06-01", Expires: "2027-06-01"},
	}, &file)
	require.Equal(t, []store.Policy{
		{Kind: "auto_liability", Insurer: "Sample", Number: "L-1", Cover: "1000000.00", Deductible: "1000.00", Effective: "2026-06-01", Expires: "2027-06-01", File: &file},
		{Kind: "cargo", Number: "C-1", Cover: "100000.00", Verified: "2026-06-01"},
		{Kind: "cargo", Insurer: "Sample", Number: "C-1", Cover: "250000.00", Expires: "2027-06-01", File: &file},
		{Kind: "cargo", Number: "C-0"},
	}, c.Insurance.V)
}

func TestRedirection_IsAProposalThatCameByThePacket(t *testing.T) {
	t.Parallel()
	notice := uuid.New()
	d := decision{account: secret.Hide("123456789"), notice: &notice, today: "2026-11-30"}
	d.proposal.RemitTo = &packet.RemitTo{Kind: "factor", Payee: " Sample Factoring ", Method: "ach", Routing: "021000021", Address: field.Address{City: "Dallas"}}
	d.proposal.Agreement = &packet.Accepted{Acceptance: packet.Acceptance{Name: "Ann Lee"}}
	p := d.redirection()
	require.Equal(t, []string{"Sample Factoring", "packet", "Ann Lee", "021000021", "123456789"}, []string{p.Payee, p.RequestedVia, p.RequestedBy, p.Routing, p.AccountNumber})
	require.Equal(t, []any{&notice, field.Date("2026-11-30"), field.Address{}}, []any{p.Notice, p.NoticeDate, p.Address})
	require.NoError(t, p.Check())

	d.proposal.RemitTo = &packet.RemitTo{Kind: "carrier", Payee: "One", Method: remit.ByCheck, Address: field.Address{Line1: "1 Main St", City: "Dallas"}}
	p = d.redirection()
	require.Empty(t, p.AccountNumber+p.Routing, "a check needs no account")
	require.Nil(t, p.Notice, "the carrier needs no notice of assignment")
	require.Equal(t, "Dallas", p.Address.City)
}

func TestDifferences_FlagWhatIsNotOnTheRecord(t *testing.T) {
	t.Parallel()
	known := packet.Known{
		LegalName: "One", Phone: "+12145550143", Email: "office@one.example",
		Record: packet.Record{LegalName: "ONE LLC", Phone: "+12145550100"},
	}
	changes := differences(known, &packet.Proposal{Profile: &packet.Profile{
		LegalName: "One LLC", Phone: "(214) 555-0143", Email: "new@one.example", DispatchName: "Ann", DispatchPhone: "2145550101",
	}})
	require.Equal(t, []Difference{
		{"legal_name", "One", "One LLC", "ONE LLC", false},
		{"email", "office@one.example", "new@one.example", "", false},
		{"dispatch", "", "Ann, 2145550101", "", false},
	}, changes, "the phone is that of the carrier")
	changes = differences(known, &packet.Proposal{Profile: &packet.Profile{LegalName: "Other LLC", Phone: "2145550199"}})
	require.Equal(t, []bool{true, true}, []bool{changes[0].Flag, changes[1].Flag})
	require.Empty(t, differences(known, &packet.Proposal{}))
	var fields []string
	for _, c := range differences(known, &packet.Proposal{
		Equipment: &packet.Equipment{}, Insurance: &packet.Insurance{}, RemitTo: &packet.RemitTo{}, Agreement: &packet.Accepted{},
	}) {
		fields = append(fields, c.Field)
	}
	require.Equal(t, []string{"equipment", "lanes", "insurance.cargo", "insurance.auto_liability", "remit_to", "agreement"}, fields)
}

func TestReviewDue_IsAQuarterLater(t *testing.T) {
	t.Parallel()
	require.Equal(t, field.Date("2027-02-28"), reviewDue("2026-11-30"))
}
