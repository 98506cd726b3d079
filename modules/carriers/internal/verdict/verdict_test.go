package verdict_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
)

var at = time.Date(2026, 11, 30, 15, 0, 0, 0, time.UTC)

// good is a carrier against which no default rule has anything to say.
func good() verdict.Subject {
	yes, no := true, false
	amount, required := regulatorapi.Dollars(1_000_000), regulatorapi.Dollars(750_000)
	inspections, percent, national := int64(20), 10.0, 22.0
	source := func(name string) regulatorapi.Source {
		return regulatorapi.Source{Name: name, Outcome: regulatorapi.Rows, AsOf: &at}
	}
	census := source("census")

	return verdict.Subject{
		At: at, Day: "2026-11-30",
		Facts: regulatorapi.Facts{
			USDOT: 9900001,
			Identity: regulatorapi.Identity{
				Source: census, LegalName: "Acme", Phone: "+12025550143", Email: "dispatch@acme-trucking.com", MCS150: "2026-01-01", MotorCars: true,
			},
			Operation: regulatorapi.Operation{Source: census, Allowed: &yes, Status: regulatorapi.StatusActive, Interstate: &yes, ForHire: &yes},
			Authority: regulatorapi.Authority{Source: source("motus"), Property: &yes, Broker: &no, EarliestGrant: "1998-05-01", GrantSource: "legacy.authhist"},
			Insurance: regulatorapi.Insurance{Source: source("motus"), Liability: regulatorapi.OnFile{
				Outcome: regulatorapi.Rows, Amount: &amount, Required: &required, Source: "motus.insur",
			}},
			Safety: regulatorapi.Safety{Source: census, Rating: "satisfactory"},
			Inspections: regulatorapi.Inspections{Source: source("sms"), Vehicle: regulatorapi.OOSRate{
				Inspections: &inspections, Percent: &percent, National: &national,
			}},
			Sharing: regulatorapi.Sharing{Source: census, Phone: 1, Email: 1, Address: 1},
			Sources: []regulatorapi.Source{census, source("motus")},
		},
		Own: verdict.Own{
			Saved: true, Numbered: true, Names: []string{"ACME, L.L.C."}, Signed: true, W9: true, Emails: []string{"ann@acme-trucking.com"}, Phones: []string{"+12025550143"},
			Verified: []string{"+12025550143"},
			Cargo:    verdict.Certificate{Cover: "250000.00", Expires: "2027-06-01", Source: "certificate 2026-06-01"},
		},
	}
}

// codes lists findings as "block cargo_low".
func codes(v verdict.Verdict) []string {
	all := []string{}
	for severity, findings := range map[string][]verdict.Finding{"block": v.Blockers, "warn": v.Warnings, "note": v.Notes} {
		for _, f := range findings {
			all = append(all, severity+" "+f.Code)
		}
	}
	for _, missing := range v.Unknown {
		all = append(all, "unknown "+missing.Code)
	}

	return all
}

func judge(t *testing.T, s verdict.Subject, overrides map[string]verdict.Override) verdict.Verdict {
	t.Helper()
	rules, err := verdict.Compile(verdict.Defaults)
	require.NoError(t, err)

	return rules.Judge(s, overrides)
}

// found is what a change of the good carrier leads to.
type found struct {
	change func(s *verdict.Subject)
	want   []string
	status verdict.Status
}

var (
	yes, no = true, false
	low     = regulatorapi.Dollars(300_000)
)

// findings are what the default rules say.
var findings = map[string]found{
	"nothing":     {func(*verdict.Subject) {}, nil, verdict.Eligible},
	"not allowed": {func(s *verdict.Subject) { s.Facts.Operation.Allowed = &no }, []string{"block not_allowed"}, verdict.Blocked},
	"inactive": {
		func(s *verdict.Subject) { s.Facts.Operation.Status = regulatorapi.StatusInactive }, []string{"block not_allowed"}, verdict.Blocked,
	},
	"out of service": {
		func(s *verdict.Subject) { s.Facts.Operation.OutOfServiceDate = "2026-10-01" }, []string{"block not_allowed"}, verdict.Blocked,
	},
	"no live answer": {func(s *verdict.Subject) { s.Facts.Operation.Allowed = nil }, nil, verdict.Eligible},
	"no authority":   {func(s *verdict.Subject) { s.Facts.Authority.Property = &no }, []string{"block no_authority"}, verdict.Blocked},
	"no authority, and it needs none": {func(s *verdict.Subject) {
		s.Facts.Authority.Property, s.Facts.Operation.Interstate = &no, &no
	}, nil, verdict.Eligible},
	"authority not known": {
		func(s *verdict.Subject) { s.Facts.Authority.Property = nil }, []string{"unknown no_authority", "warn no_authority"}, verdict.Warned,
	},
	"broker only": {
		func(s *verdict.Subject) { s.Facts.Authority.Property, s.Facts.Authority.Broker = &no, &yes }, []string{"block broker_only"}, verdict.Blocked,
	},
	"broker too": {func(s *verdict.Subject) { s.Facts.Authority.Broker = &yes }, []string{"note also_broker"}, verdict.Eligible},
	"suspension in seven days": {func(s *verdict.Subject) {
		s.Facts.Authority.PendingSuspension = &regulatorapi.Suspension{Effective: "2026-12-07"}
	}, []string{"block authority_pending_revocation"}, verdict.Blocked},
	"suspension in eight days": {func(s *verdict.Subject) {
		s.Facts.Authority.PendingSuspension = &regulatorapi.Suspension{Effective: "2026-12-08"}
	}, nil, verdict.Eligible},
	"authority of 29 days":  {func(s *verdict.Subject) { s.Facts.Authority.EarliestGrant = "2026-11-01" }, []string{"block authority_young"}, verdict.Blocked},
	"authority of 30 days":  {func(s *verdict.Subject) { s.Facts.Authority.EarliestGrant = "2026-10-31" }, []string{"warn authority_young"}, verdict.Warned},
	"authority of 180 days": {func(s *verdict.Subject) { s.Facts.Authority.EarliestGrant = "2026-06-03" }, nil, verdict.Eligible},
	"woken authority": {func(s *verdict.Subject) {
		s.Facts.Authority.Reinstated, s.Facts.Authority.SleptDays = "2026-09-01", 900
	}, []string{"warn authority_woken"}, verdict.Warned},
	"liability too low": {
		func(s *verdict.Subject) { s.Facts.Insurance.Liability.Amount = &low }, []string{"block bipd_low"}, verdict.Blocked,
	},
	"no liability on file": {func(s *verdict.Subject) {
		s.Facts.Insurance.Liability.Outcome, s.Facts.Insurance.Liability.Amount = regulatorapi.None, nil
	}, []string{"block bipd_low"}, verdict.Blocked},
	"liability not known": {func(s *verdict.Subject) {
		s.Facts.Insurance.Liability = regulatorapi.OnFile{Outcome: regulatorapi.Unavailable}
	}, []string{"unknown bipd_low"}, verdict.Eligible},
	"liability ends tomorrow": {
		func(s *verdict.Subject) { s.Facts.Insurance.Liability.Cancels = "2026-12-01" }, []string{"warn bipd_cancelling"}, verdict.Warned,
	},
	"liability ends today": {
		func(s *verdict.Subject) { s.Facts.Insurance.Liability.Cancels = "2026-11-30" }, []string{"block bipd_cancelling"}, verdict.Blocked,
	},
	"no cargo on file at the regulator": {
		func(s *verdict.Subject) { s.Facts.Insurance.Cargo.Outcome = regulatorapi.None }, nil, verdict.Eligible,
	},
	"no certificate":          {func(s *verdict.Subject) { s.Own.Cargo = verdict.Certificate{} }, []string{"block cargo_missing"}, verdict.Blocked},
	"cover below the setting": {func(s *verdict.Subject) { s.Own.Cargo.Cover = "99999.99" }, []string{"block cargo_low"}, verdict.Blocked},
	"cover below the load": {
		func(s *verdict.Subject) { s.Load = &verdict.Load{Declared: "250000.01"} }, []string{"block cargo_low"}, verdict.Blocked,
	},
	"cover of the load exactly": {func(s *verdict.Subject) { s.Load = &verdict.Load{Declared: "250000.00"} }, nil, verdict.Eligible},
	"certificate until today":   {func(s *verdict.Subject) { s.Own.Cargo.Expires = "2026-11-30" }, []string{"warn cargo_expires"}, verdict.Warned},
	"certificate until the day before the delivery": {func(s *verdict.Subject) {
		s.Own.Cargo.Expires, s.Load = "2026-11-30", &verdict.Load{Delivery: "2026-12-01"}
	}, []string{"block cargo_expires"}, verdict.Expired},
	"unsatisfactory": {func(s *verdict.Subject) { s.Facts.Safety.Rating = "unsatisfactory" }, []string{"block safety_rating"}, verdict.Blocked},
	"conditional":    {func(s *verdict.Subject) { s.Facts.Safety.Rating = "conditional" }, []string{"warn safety_rating"}, verdict.Warned},
	"not rated":      {func(s *verdict.Subject) { s.Facts.Safety.Rating = "" }, []string{"note safety_rating"}, verdict.Eligible},
	"out of service too often": {func(s *verdict.Subject) {
		percent := 33.1
		s.Facts.Inspections.Vehicle.Percent = &percent
	}, []string{"warn oos_rate"}, verdict.Warned},
	"too few inspections to tell": {func(s *verdict.Subject) {
		percent, few := 33.1, int64(4)
		s.Facts.Inspections.Vehicle.Percent, s.Facts.Inspections.Vehicle.Inspections = &percent, &few
	}, nil, verdict.Eligible},
	"inspections not imported": {func(s *verdict.Subject) { s.Facts.Inspections = regulatorapi.Inspections{} }, []string{"unknown oos_rate"}, verdict.Eligible},
	"old registration data":    {func(s *verdict.Subject) { s.Facts.Identity.MCS150 = "2024-11-01" }, []string{"note mcs150_old"}, verdict.Eligible},
	"no car hauler":            {func(s *verdict.Subject) { s.Facts.Identity.MotorCars = false }, []string{"note not_car_hauler"}, verdict.Eligible},
	"no agreement":             {func(s *verdict.Subject) { s.Own.Signed = false }, []string{"warn agreement_missing"}, verdict.Warned},
	"agreement over":           {func(s *verdict.Subject) { s.Own.Agreement = "2026-11-29" }, []string{"warn agreement_missing"}, verdict.Warned},
	"no W-9":                   {func(s *verdict.Subject) { s.Own.W9 = false }, []string{"warn w9_missing"}, verdict.Warned},
	"own list":                 {func(s *verdict.Subject) { s.Own.DoNotUse = true }, []string{"block do_not_use"}, verdict.Blocked},
	"inactive carrier":         {func(s *verdict.Subject) { s.Own.Inactive = true }, []string{"block inactive"}, verdict.Blocked},
	"no number":                {func(s *verdict.Subject) { s.Own.Numbered = false }, []string{"block no_number"}, verdict.Blocked},
	"not in the registry": {func(s *verdict.Subject) {
		s.Facts = regulatorapi.Facts{Identity: regulatorapi.Identity{Source: regulatorapi.Source{Name: "census", Outcome: regulatorapi.None}}}
	}, []string{
		"block not_in_registry", "unknown not_allowed", "unknown no_authority", "warn no_authority", "unknown authority_young", "unknown bipd_low", "unknown oos_rate",
		"warn identity_unverified", "note not_car_hauler",
	}, verdict.Blocked},
	"another name":            {func(s *verdict.Subject) { s.Own.Names = []string{"Acme Two LLC"} }, []string{"warn name_differs"}, verdict.Warned},
	"a name by its dba":       {func(s *verdict.Subject) { s.Own.Names = []string{"Apex", "The Acme Company"} }, nil, verdict.Eligible},
	"the record's dba":        {func(s *verdict.Subject) { s.Facts.Identity.LegalName, s.Facts.Identity.DBA = "Apex Inc", "Ácme" }, nil, verdict.Eligible},
	"no name on record":       {func(s *verdict.Subject) { s.Facts.Identity.LegalName = "" }, nil, verdict.Eligible},
	"not verified":            {func(s *verdict.Subject) { s.Own.Verified = []string{"+12025550199"} }, []string{"warn identity_unverified"}, verdict.Warned},
	"look-alike":              {func(s *verdict.Subject) { s.Own.Emails = []string{"dispatch@acme-truckinq.com"} }, []string{"block lookalike_domain"}, verdict.Blocked},
	"look-alike by top level": {func(s *verdict.Subject) { s.Own.Emails = []string{"dispatch@acme-trucking.co"} }, []string{"block lookalike_domain"}, verdict.Blocked},
	"look-alike by letters":   {func(s *verdict.Subject) { s.Own.Emails = []string{"dispatch@acrne-trucking.com"} }, []string{"block lookalike_domain"}, verdict.Blocked},
	"free mail":               {func(s *verdict.Subject) { s.Own.Emails = []string{"acme@gmail.com"} }, []string{"warn foreign_email"}, verdict.Warned},
	"free mail on record too": {func(s *verdict.Subject) {
		s.Facts.Identity.Email, s.Own.Emails = "acme@gmail.com", []string{"Acme@Gmail.com"}
	}, nil, verdict.Eligible},
	"another's free mail": {func(s *verdict.Subject) {
		s.Facts.Identity.Email, s.Own.Emails = "acme@gmail.com", []string{"acme2@gmail.com"}
	}, []string{"warn foreign_email"}, verdict.Warned},
	"another phone":    {func(s *verdict.Subject) { s.Own.Phones = []string{"+12025550199"} }, []string{"warn foreign_phone"}, verdict.Warned},
	"shared address":   {func(s *verdict.Subject) { s.Facts.Sharing.Address = 3 }, []string{"warn shared_contact"}, verdict.Warned},
	"payment redirect": {func(s *verdict.Subject) { s.Own.RemitToChanged = "2026-11-20" }, []string{"warn payment_redirect"}, verdict.Warned},
	"a carrier that the company does not have": {func(s *verdict.Subject) { s.Own = verdict.Own{} }, []string{"unknown cargo_missing"}, verdict.Eligible},
	"record not read": {func(s *verdict.Subject) {
		s.Facts = regulatorapi.Facts{Identity: regulatorapi.Identity{Source: regulatorapi.Source{Name: "census", Outcome: regulatorapi.Unavailable}}}
	}, []string{
		"unknown not_allowed", "unknown no_authority", "warn no_authority", "unknown authority_young", "unknown bipd_low", "unknown oos_rate",
		"warn identity_unverified",
	}, verdict.Unknown},
}

func TestJudge_FindsWhatTheDefaultRulesSay(t *testing.T) {
	t.Parallel()
	for name, c := range findings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := good()
			c.change(&s)
			v := judge(t, s, nil)
			require.ElementsMatch(t, c.want, codes(v))
			require.Equal(t, c.status, v.Status)
			require.Equal(t, len(v.Blockers) == 0, v.Eligible)
		})
	}
}

func TestJudge_ShowsWhatItRestsOn(t *testing.T) {
	t.Parallel()
	s := good()
	s.Own.Cargo.Cover, s.Load = "75000.00", &verdict.Load{Declared: "86000.00"}
	low := judge(t, s, nil).Blockers[0]
	require.Equal(t, []string{"cargo_cover", "75000.00", "86000.00", "certificate 2026-06-01"},
		[]string{low.Evidence.Field, *low.Evidence.Value, *low.Evidence.Needed, low.Evidence.Source})
	s.Own.Cargo.Cover, s.Load = "75000.00", nil
	require.Equal(t, "100000", *judge(t, s, nil).Blockers[0].Evidence.Needed)

	old := at.Add(-37 * time.Hour)
	s.Facts.Sources[0].AsOf = &old
	require.EqualValues(t, 37, *judge(t, s, nil).Sources[0].AgeHours)
	s.Facts.Sources[0].Why = "not imported"
	s.Facts.Operation.Status = regulatorapi.StatusUnknown
	require.Equal(t, "census: not imported", judge(t, s, nil).Unknown[0].Why)
}

func TestJudge_OverridesBlockersUntilTheirLastDay(t *testing.T) {
	t.Parallel()
	s := good()
	s.Own.DoNotUse = true
	over := map[string]verdict.Override{"do_not_use": {Reason: "One more load.", Until: "2026-11-30"}}
	v := judge(t, s, over)
	require.True(t, v.Eligible)
	require.Equal(t, verdict.Warned, v.Status)
	require.Equal(t, "One more load.", v.Warnings[0].Override.Reason)
	s.Day = "2026-12-01"
	require.False(t, judge(t, s, over).Eligible)
}

func TestCompile_SaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	rule := verdict.Rule{
		Code: "mine", Title: "Mine", Evidence: "cargo_cover", Unknown: verdict.Off,
		Levels: []verdict.Level{{Severity: verdict.Warn, When: "cargo_cover < threshold", Threshold: "1"}},
	}
	_, err := verdict.Compile([]verdict.Rule{rule})
	require.NoError(t, err)
	for want, change := range map[string]func(r *verdict.Rule){
		"rules.0.code must":                       func(r *verdict.Rule) { r.Code = "No such" },
		"rules.0.title must not be empty":         func(r *verdict.Rule) { r.Title = " " },
		"rules.0.unknown must be block":           func(r *verdict.Rule) { r.Unknown = "" },
		"rules.0.levels must be 1 to 5":           func(r *verdict.Rule) { r.Levels = nil },
		"rules.0.levels.0.severity must be":       func(r *verdict.Rule) { r.Levels[0].Severity = "fatal" },
		"Did you mean cargo_cover?":               func(r *verdict.Rule) { r.Levels[0].When = "cargo_covre < 1" },
		"rules.0.levels.0.when must be true":      func(r *verdict.Rule) { r.Levels[0].When = "cargo_cover" },
		"reads threshold, which the level":        func(r *verdict.Rule) { r.Levels[0].Threshold = "" },
		"rules.0.levels.0.threshold must be":      func(r *verdict.Rule) { r.Levels[0].Threshold = "NaN" },
		"rules.0.levels.0.when has < between":     func(r *verdict.Rule) { r.Levels[0].When = `cargo_cover < "a"` },
		"rules.0.evidence reads \"cargo\"":        func(r *verdict.Rule) { r.Evidence = "cargo" },
		"rules.0.requires.0 reads \"nothing\"":    func(r *verdict.Rule) { r.Requires = []string{"nothing"} },
		"rules.0.levels.0.when must have at most": func(r *verdict.Rule) { r.Levels[0].When = strings.Repeat(" ", 2000) },
	} {
		broken := rule
		broken.Levels = []verdict.Level{rule.Levels[0]}
		change(&broken)
		_, err := verdict.Compile([]verdict.Rule{broken})
		require.ErrorContains(t, err, want)
	}
	_, err = verdict.Compile([]verdict.Rule{rule, rule})
	require.ErrorContains(t, err, "rules.1.code is the code of another rule.")
}
