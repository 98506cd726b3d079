package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
)

// The sandbox has invented carriers. Their numbers were never given out, and their names, phones and addresses are nobody's.
const (
	sandboxFirst    = 9_900_001
	sandboxCarriers = 200
)

// SandboxCase is what a carrier of the sandbox is an example of.
type SandboxCase string

// The cases, each the code of the finding that it causes; the carriers have them in this order, over and over again.
const (
	CaseEligible           SandboxCase = "eligible"
	CaseNotAllowed         SandboxCase = "not_allowed"
	CaseInactive           SandboxCase = "inactive"
	CaseOutOfService       SandboxCase = "out_of_service"
	CaseNoAuthority        SandboxCase = "no_authority"
	CaseAuthorityUnknown   SandboxCase = "authority_unknown"
	CaseBrokerOnly         SandboxCase = "broker_only"
	CasePendingRevocation  SandboxCase = "authority_pending_revocation"
	CaseAuthorityVeryYoung SandboxCase = "authority_very_young"
	CaseAuthorityYoung     SandboxCase = "authority_young"
	CaseCorrection         SandboxCase = "authority_correction"
	CaseReinstated         SandboxCase = "authority_reinstated"
	CaseBIPDLow            SandboxCase = "bipd_low"
	CaseBIPDNone           SandboxCase = "bipd_none"
	CaseBIPDCancelling     SandboxCase = "bipd_cancelling"
	CaseBIPDReplaced       SandboxCase = "bipd_replaced"
	CaseBIPDUnconfirmed    SandboxCase = "bipd_unconfirmed"
	CaseCargoOnFile        SandboxCase = "cargo_on_file"
	CaseUnsatisfactory     SandboxCase = "safety_unsatisfactory"
	CaseConditional        SandboxCase = "safety_conditional"
	CaseSatisfactory       SandboxCase = "safety_satisfactory"
	CaseOOSRate            SandboxCase = "oos_rate"
	CaseFewInspections     SandboxCase = "few_inspections"
	CaseMCS150Old          SandboxCase = "mcs150_old"
	CaseNotCarHauler       SandboxCase = "not_car_hauler"
	CaseTwoDockets         SandboxCase = "two_dockets"
	CaseAlsoBroker         SandboxCase = "also_broker"
	CaseShared             SandboxCase = "shared_contact"
	CaseIntrastate         SandboxCase = "intrastate"
	CaseUnavailable        SandboxCase = "registry_unavailable"
)

// sandboxCases are the cases in the order of the carriers: 9900001 is the first.
var sandboxCases = []SandboxCase{
	CaseEligible, CaseNotAllowed, CaseInactive, CaseOutOfService, CaseNoAuthority, CaseAuthorityUnknown, CaseBrokerOnly, CasePendingRevocation,
	CaseAuthorityVeryYoung, CaseAuthorityYoung, CaseCorrection, CaseReinstated, CaseBIPDLow, CaseBIPDNone, CaseBIPDCancelling, CaseBIPDReplaced,
	CaseBIPDUnconfirmed, CaseCargoOnFile, CaseUnsatisfactory, CaseConditional, CaseSatisfactory, CaseOOSRate, CaseFewInspections, CaseMCS150Old,
	CaseNotCarHauler, CaseTwoDockets, CaseAlsoBroker, CaseShared, CaseIntrastate, CaseUnavailable,
}

// SandboxCases lists the cases, in the order of the carriers that have them.
func SandboxCases() []SandboxCase { return slices.Clone(sandboxCases) }

// SandboxUSDOT returns the first carrier of a case.
func SandboxUSDOT(c SandboxCase) int64 { return int64(sandboxFirst + slices.Index(sandboxCases, c)) }

// sandbox makes carriers up. Their days are counted from the present one, so that they stay examples.
type sandbox struct{ carriers []feed.Carrier }

func newSandbox() *sandbox {
	s := &sandbox{carriers: make([]feed.Carrier, sandboxCarriers)}
	for i := range s.carriers {
		s.carriers[i] = sandboxCarrier(i)
	}

	return s
}

// sandboxCarrier is a carrier's row of the census.
func sandboxCarrier(i int) feed.Carrier {
	firsts := []string{"Sample", "Cedar", "Prairie", "Harbor", "Summit", "Copper", "Blue Heron", "Granite", "Juniper", "Lakeside"}
	seconds := []string{"Auto Lines", "Car Carriers", "Vehicle Transport", "Auto Haulers", "Motor Logistics"}
	cities := [][3]string{{"Springfield", "TX", "75001"}, {"Riverton", "GA", "30002"}, {"Fairview", "OH", "43003"}, {"Georgetown", "CA", "90004"}, {"Madison", "FL", "33005"}}
	city := cities[i%len(cities)]
	slug := fmt.Sprintf("carrier%03d", i+1)
	units, drivers := int64(1+i%40), int64(1+i%50) //nolint:mnd // any size
	c := feed.Carrier{
		USDOT: int64(sandboxFirst + i), LegalName: fmt.Sprintf("%s %s %03d LLC", firsts[i%len(firsts)], seconds[i/len(firsts)%len(seconds)], i+1),
		PhysicalStreet: fmt.Sprintf("%d Example Rd", 100+i), PhysicalCity: city[0], PhysicalState: city[1], PhysicalZIP: city[2], PhysicalCountry: "US",
		MailingStreet: fmt.Sprintf("PO Box %d", 100+i), MailingCity: city[0], MailingState: city[1], MailingZIP: city[2], MailingCountry: "US",
		// Numbers of exchange 555-01xx are kept for fiction.
		Phone: fmt.Sprintf("+1%d55501%02d", 201+i, i%100), Email: "dispatch@" + slug + ".example",
		Officers: fmt.Sprintf("Officer %03d", i+1), Status: "A", Operation: "A", Classes: "AUTHORIZED FOR HIRE", Cargo: "motoveh",
		Dockets: fmt.Sprintf("MC-%d", sandboxDocket(i)), PowerUnits: &units, Drivers: &drivers,
	}
	if i%3 == 0 {
		c.DBA = fmt.Sprintf("%s Transport %03d", firsts[(i+3)%len(firsts)], i+1)
	}

	return c
}

// sandboxDocket is the number of a carrier's first docket: 990001 for 9900001.
func sandboxDocket(i int) int { return 990_001 + i }

func (s *sandbox) usdotOf(docket string) (int64, bool) {
	for i := range s.carriers {
		if s.carriers[i].Dockets == docket || docket == secondDocket(i) && caseOf(i) == CaseTwoDockets {
			return s.carriers[i].USDOT, true
		}
	}

	return 0, false
}

func caseOf(i int) SandboxCase         { return sandboxCases[i%len(sandboxCases)] }
func secondDocket(i int) string        { return fmt.Sprintf("MC-%d", 880_001+i) }
func sandboxPolicy(usdot int64) string { return "SBX-" + text(usdot) }

// lookup is that of the index, over the carriers.
func (s *sandbox) lookup(q, state string, limit int) []Match {
	begin := strings.ToLower(strings.TrimSpace(q))
	words := feed.Typed(feed.Folded(feed.Decoded(q)))
	matches := []Match{}
	for i := range s.carriers {
		c := &s.carriers[i]
		if state != "" && c.PhysicalState != state || len(begin) < leastTyped || len(matches) == limit {
			continue
		}
		found := strings.HasPrefix(text(c.USDOT), begin)
		for _, e := range c.Entries() {
			found = found || strings.HasPrefix(e, begin) || words != "" && strings.HasPrefix(e, words)
		}
		if found {
			matches = append(matches, matchOf(*c))
		}
	}

	return matches
}

// scene is a carrier under construction.
type scene struct {
	g     gathered
	at    regulatorapi.Date
	days  func(int) regulatorapi.Date
	grant regulatorapi.Date
}

// gather returns all that there is of a carrier: rows of the sets as they would have been imported, and a live answer.
func (s *sandbox) gather(usdot int64, now time.Time) gathered {
	asOf := now.UTC().Truncate(24 * time.Hour) //nolint:mnd // the day
	g := gathered{usdot: usdot, rows: map[string][]feed.Filing{}, states: map[string]feed.State{}}
	for _, name := range append(feed.SetNames(), feed.SetCensus) {
		g.states[name] = feed.State{SetName: name, State: feed.StateComplete, AsOf: &asOf}
	}
	i := int(usdot - sandboxFirst)
	if i < 0 || i >= sandboxCarriers {
		return g
	}
	c := s.carriers[i]
	at := today(now)
	v := &scene{g: g, at: at, days: func(n int) regulatorapi.Date { return before(at, -n) }}
	c.MCS150On, c.AddedOn = string(v.days(-200)), string(v.days(-3000)) //nolint:mnd // an example's days
	v.g.carrier, v.g.samePhone, v.g.sameEmail, v.g.sameAddress = &c, 1, 1, 1
	v.g.liveSource = regulatorapi.Source{Name: "qcmobile", Outcome: regulatorapi.Rows, AsOf: &now}
	v.usual()
	v.change(caseOf(i), i)
	v.file()

	return v.g
}

// usual is the live answer of a carrier with which all is well.
func (v *scene) usual() {
	v.grant = v.days(-2500)                                                          //nolint:mnd // an example's day
	bipd, required := regulatorapi.Dollars(1_000_000), regulatorapi.Dollars(750_000) //nolint:mnd // an example's amounts
	none := regulatorapi.Dollars(0)
	percent := func(n int64, oos int64, national float64) regulatorapi.OOSRate {
		rate := float64(oos) * 100 / float64(n)

		return regulatorapi.OOSRate{Inspections: &n, OutOfService: &oos, Percent: &rate, National: &national}
	}
	v.g.live = &liveAnswer{
		Allowed: new(true), Status: "A", Operation: "A", Common: "A", Contract: "N", Broker: "N",
		BIPD: &bipd, BIPDRequired: &required, Cargo: &none, Bond: &none,
		Vehicle: percent(20, 3, 20.72), Driver: percent(25, 1, 5.51), Crashes: new(int64), //nolint:mnd // an example's numbers
	}
	v.authority("Motor Carrier of Property (Except Household Goods)", v.g.carrier.Dockets, "Active")
	v.add(feed.SetInsurance, v.g.carrier.Dockets, feed.Row{
		"ins_form_code": "BMC-91X", "ins_type_code": "1", "max_cov_amount": "1000000", "policy_no": sandboxPolicy(v.g.usdot),
		"effective_date": compact(v.days(-120)), "insurance_company_name": "Example Mutual Insurance Co", "trans_date": compact(v.days(-125)), //nolint:mnd // an example's days
	})
}

// change makes the carrier an example of its case.
func (v *scene) change(c SandboxCase, i int) { //nolint:funlen,gocyclo,mnd // a line for each case, with its numbers
	l := v.g.live
	switch c {
	case CaseEligible:
	case CaseNotAllowed:
		l.Allowed = new(false)
	case CaseInactive:
		l.Allowed, l.Status, v.g.carrier.Status = new(false), "I", "I"
	case CaseOutOfService:
		l.Allowed, l.OutOfService, l.OutOfServiceReason = new(false), v.days(-20), "Unsatisfactory = Unfit"
	case CaseNoAuthority:
		l.Common = "I"
		v.setStatus("Inactive")
	case CaseAuthorityUnknown:
		l.Common, l.Contract, l.Broker = "", "", ""
		delete(v.g.rows, feed.SetAuthority)
	case CaseBrokerOnly:
		l.Common, l.Broker = "N", "A"
		delete(v.g.rows, feed.SetAuthority)
		v.authority("Broker of Property (Except Household Goods)", v.g.carrier.Dockets, "Active")
	case CasePendingRevocation:
		v.add(feed.SetRevocations, v.g.carrier.Dockets, feed.Row{
			"op_auth_type": "Motor Carrier of Property (Except Household Goods)", "serve_date": compact(v.days(-28)), "effective_date": compact(v.days(5)),
			"reason": "Involuntary Suspension - insurance cancellation",
		})
	case CaseAuthorityVeryYoung:
		v.grant = v.days(-12)
	case CaseAuthorityYoung:
		v.grant = v.days(-109)
	case CaseCorrection:
		v.grant = "1978-03-14"
		v.add(feed.SetAuthorityLog, v.g.carrier.Dockets, feed.Row{
			"op_auth_type": "Motor Carrier of Property (Except Household Goods)", "op_auth_status": "Active", "reason": "Administrative Correction",
			"status_change_date": compact(v.days(-90)),
		})
	case CaseReinstated:
		v.add(feed.SetLegacyLog, v.g.carrier.Dockets, feed.Row{
			"mod_col_1": "MOTOR PROPERTY COMMON CARRIER", "original_action_desc": "GRANTED", "orig_served_date": slashed(v.days(-2500)),
			"disp_action_desc": "REVOKED", "disp_decided_date": slashed(v.days(-900)),
		})
		v.add(feed.SetAuthorityLog, v.g.carrier.Dockets, feed.Row{
			"op_auth_type": "Motor Carrier of Property (Except Household Goods)", "op_auth_status": "Active", "reason": "Reinstated",
			"status_change_date": compact(v.days(-40)),
		})
	case CaseBIPDLow:
		*l.BIPD = 300_000
		v.setCover("300000")
	case CaseBIPDNone:
		*l.BIPD = 0
		delete(v.g.rows, feed.SetInsurance)
		v.legacy()
	case CaseBIPDCancelling:
		v.end("CANCEL", v.days(18))
	case CaseBIPDReplaced:
		v.end("TERM/REPL", v.days(18))
		v.add(feed.SetInsurance, v.g.carrier.Dockets, feed.Row{
			"ins_form_code": "BMC-91X", "ins_type_code": "1", "max_cov_amount": "1000000", "policy_no": sandboxPolicy(v.g.usdot) + "-R",
			"effective_date": compact(v.days(18)), "insurance_company_name": "Example Casualty Co", "trans_date": compact(v.days(-2)),
		})
	case CaseBIPDUnconfirmed:
		l.BIPD, l.Cargo, l.Bond = nil, nil, nil
		delete(v.g.rows, feed.SetInsurance)
		v.legacy()
	case CaseCargoOnFile:
		*l.Cargo = 100_000
	case CaseUnsatisfactory, CaseConditional, CaseSatisfactory:
		l.Rating = map[SandboxCase]string{CaseUnsatisfactory: "U", CaseConditional: "C", CaseSatisfactory: "S"}[c]
		l.Rated, v.g.carrier.SafetyRating = v.days(-400), l.Rating
	case CaseOOSRate:
		l.Vehicle = regulatorapi.OOSRate{Inspections: new(int64(20)), OutOfService: new(int64(9)), Percent: new(45.0), National: l.Vehicle.National}
	case CaseFewInspections:
		l.Vehicle = regulatorapi.OOSRate{Inspections: new(int64(2)), OutOfService: new(int64(2)), Percent: new(100.0), National: l.Vehicle.National}
	case CaseMCS150Old:
		v.g.carrier.MCS150On = string(v.days(-1100))
	case CaseNotCarHauler:
		v.g.carrier.Cargo = "genfreight coldfood"
	case CaseTwoDockets:
		v.g.carrier.Dockets += " " + secondDocket(i)
		v.authority("Motor Carrier of Property (Except Household Goods)", secondDocket(i), "Inactive")
		v.add(feed.SetLegacyLog, secondDocket(i), feed.Row{
			"mod_col_1": "MOTOR PROPERTY CONTRACT CARRIER", "original_action_desc": "GRANTED", "orig_served_date": slashed(v.days(-4000)),
			"disp_action_desc": "REVOKED", "disp_decided_date": slashed(v.days(-3000)),
		})
	case CaseAlsoBroker:
		l.Broker = "A"
		v.authority("Broker of Property (Except Household Goods)", v.g.carrier.Dockets, "Active")
	case CaseShared:
		v.g.samePhone, v.g.sameAddress = 4, 3
	case CaseIntrastate:
		l.Operation, v.g.carrier.Operation = "C", "C"
	case CaseUnavailable:
		for name := range v.g.states {
			v.g.states[name] = feed.State{SetName: name, State: feed.StateNever}
		}
		v.g.live, v.g.liveSource, v.g.carrier = nil, regulatorapi.Source{Name: "qcmobile", Outcome: regulatorapi.Unavailable, Why: "timeout"}, nil
		v.g.rows = map[string][]feed.Filing{}
	}
}

// file adds the grant of the authority, unless nothing is known of it.
func (v *scene) file() {
	if v.g.carrier == nil {
		return
	}
	docket, _, _ := strings.Cut(v.g.carrier.Dockets, " ")
	v.add(feed.SetLegacyLog, docket, feed.Row{"mod_col_1": "MOTOR PROPERTY COMMON CARRIER", "original_action_desc": "GRANTED", "orig_served_date": slashed(v.grant)})
}

// legacy adds a filing that only the set before 2026 has.
func (v *scene) legacy() {
	v.add(feed.SetLegacyInsurance, v.g.carrier.Dockets, feed.Row{
		"ins_form_code": "91X", "mod_col_1": "BIPD/Primary", "max_cov_amount": "1000", "policy_no": sandboxPolicy(v.g.usdot),
		"effective_date": "03/01/2024", "name_company": "EXAMPLE MUTUAL INSURANCE CO", "trans_date": "02/20/2024",
	})
}

// end adds the end of the usual filing.
func (v *scene) end(reason string, on regulatorapi.Date) {
	v.add(feed.SetInsuranceEnds, v.g.carrier.Dockets, feed.Row{
		"ins_form_code": "BMC-91X", "ins_type_code": "1", "policy_no": sandboxPolicy(v.g.usdot), "effective_date": compact(v.days(-120)), //nolint:mnd // that of the usual filing
		"filing_status_reason": reason, "cancl_effective_date": compact(on),
	})
}

func (v *scene) authority(kind, docket, status string) {
	v.add(feed.SetAuthority, docket, feed.Row{"op_auth_type": kind, "op_auth_status": status, "min_cov_amount": "00750"})
}

func (v *scene) setStatus(status string) { v.edit(feed.SetAuthority, "op_auth_status", status) }
func (v *scene) setCover(amount string)  { v.edit(feed.SetInsurance, "max_cov_amount", amount) }
func (v *scene) edit(set, column, value string) {
	for i, r := range v.g.rows[set] {
		values := r.Values()
		values[column] = value
		v.g.rows[set][i].Body = bodyOf(values)
	}
}

func (v *scene) add(set, docket string, values feed.Row) {
	v.g.rows[set] = append(v.g.rows[set], feed.Filing{SetName: set, USDOT: v.g.usdot, Docket: docket, Body: bodyOf(values)})
}

func bodyOf(values feed.Row) string {
	text, err := json.Marshal(values)
	if err != nil {
		return "{}"
	}

	return string(text)
}

func compact(d regulatorapi.Date) string { return strings.ReplaceAll(string(d), "-", "") }

func slashed(d regulatorapi.Date) string {
	t, ok := d.Time()
	if !ok {
		return ""
	}

	return t.Format("01/02/2006")
}
