package registry

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
)

// filing is an insurer's filing as a set has it.
type filing struct {
	regulatorapi.Filing

	// sent is when it was filed: a filing that is sent again is the same one.
	sent regulatorapi.Date
}

// ending is the end of a filing, as the history of insurance has it.
type ending struct {
	kind      regulatorapi.InsuranceKind
	policy    string
	effective regulatorapi.Date
	// reason is CANCEL, TERM/REPL or NAMECHG.
	reason string
	// ends is empty for an ending without a date, which has ended.
	ends regulatorapi.Date
}

// The reasons of endings. A new name of the insurer ends nothing.
const (
	reasonReplaced = "TERM/REPL"
	reasonRenamed  = "NAMECHG"
)

// onFile is what a live source says about a kind: nil if it does not say. 0 is nothing on file.
type onFile map[regulatorapi.InsuranceKind]*regulatorapi.Dollars

// identity tells filings apart. Insurers' names differ from set to set, so that they do not.
type identity struct {
	kind      regulatorapi.InsuranceKind
	policy    string
	effective regulatorapi.Date
}

func (f filing) identity() identity { return identity{f.Kind, plainPolicy(f.Policy), f.Effective} }
func (e ending) identity() identity { return identity{e.kind, plainPolicy(e.policy), e.effective} }

// standing returns the filings that stand on a day, and those that will begin later. Of the sets since 2026, all that did not end. Of the
// set before, what ended neither there nor here, was not followed by a newer filing of its kind, and, if a live source says what is on file,
// only of kinds that are.
func standing(current []filing, ends []ending, legacy []filing, live onFile, today regulatorapi.Date) (stand, later []regulatorapi.Filing) {
	ended := map[identity]ending{}
	for _, e := range ends {
		if e.reason == reasonRenamed {
			continue
		}
		// Of several ends, the last is the one that counts: a cancellation may be put off.
		if other, ok := ended[e.identity()]; !ok || other.ends < e.ends {
			ended[e.identity()] = e
		}
	}
	newest := map[regulatorapi.InsuranceKind]regulatorapi.Date{}
	for _, f := range once(current) {
		newest[f.Kind] = max(newest[f.Kind], f.Effective)
		if f, ok := f.on(today, ended); ok {
			stand, later = sorted(f, today, stand, later)
		}
	}
	for _, f := range once(legacy) {
		if amount := live[f.Kind]; amount != nil && *amount == 0 {
			continue
		}
		if since, ok := newest[f.Kind]; ok && since >= f.Effective {
			continue
		}
		if f, ok := f.on(today, ended); ok {
			stand, later = sorted(f, today, stand, later)
		}
	}

	return stand, later
}

// sorted puts a filing where it belongs.
func sorted(f regulatorapi.Filing, today regulatorapi.Date, stand, later []regulatorapi.Filing) ([]regulatorapi.Filing, []regulatorapi.Filing) {
	if f.Effective > today {
		return stand, append(later, f)
	}

	return append(stand, f), later
}

// on returns the filing with its end; false if that has come. What the insurer has filed again after the end is reinstated.
func (f filing) on(today regulatorapi.Date, ended map[identity]ending) (regulatorapi.Filing, bool) {
	if e, ok := ended[f.identity()]; ok && (e.ends == "" || f.sent <= e.ends) {
		if e.ends == "" || e.ends <= today {
			return regulatorapi.Filing{}, false
		}
		f.Cancels = e.ends
	}
	if f.Cancels != "" && f.Cancels <= today {
		return regulatorapi.Filing{}, false
	}

	return f.Filing, true
}

// once returns each filing once, as it was sent last, in the order of their kinds and days.
func once(all []filing) []filing {
	latest := map[identity]filing{}
	for _, f := range all {
		if other, ok := latest[f.identity()]; !ok || other.sent <= f.sent {
			latest[f.identity()] = f
		}
	}
	single := make([]filing, 0, len(latest))
	for _, f := range latest {
		single = append(single, f)
	}
	slices.SortFunc(single, func(a, b filing) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Effective, b.Effective), cmp.Compare(a.Policy, b.Policy))
	})

	return single
}

// asked is what decides which of the sources of insurance is believed.
type asked struct {
	current, ends, legacy, live regulatorapi.Source
}

// sum says what is on file of some kinds. The live answer wins over all sets; what only the old set has cannot be said without one.
func sum(stand, later []regulatorapi.Filing, amounts onFile, a asked, kinds ...regulatorapi.InsuranceKind) regulatorapi.OnFile {
	on := regulatorapi.OnFile{Outcome: regulatorapi.Unavailable}
	var total regulatorapi.Dollars
	counted, old, unknown := 0, 0, false
	for _, f := range stand {
		if !slices.Contains(kinds, f.Kind) {
			continue
		}
		counted++
		if f.Source == a.legacy.Name {
			old++
		}
		if f.Amount == nil {
			unknown = true
		} else {
			total += *f.Amount
		}
	}
	on.Cancels = lastEnd(stand, later, kinds)
	live, said := regulatorapi.Dollars(0), false
	for _, k := range kinds {
		if amounts[k] != nil {
			live, said = live+*amounts[k], true
		}
	}
	switch {
	case said && live == 0:
		return regulatorapi.OnFile{Outcome: regulatorapi.None, Amount: &live, Source: a.live.Name}
	case said:
		on.Outcome, on.Amount, on.Source = regulatorapi.Rows, &live, a.live.Name
	case counted > old && a.ends.Known():
		on.Outcome, on.Source, on.Amount = regulatorapi.Rows, a.current.Name, &total
	case counted > old:
		on.Source, on.Amount = a.current.Name, &total
		on.Why = a.ends.Name + " has not been imported, so that the filing may have ended"
	case old > 0:
		on.Source, on.Amount = a.legacy.Name, &total
		on.Why = "only " + a.legacy.Name + " has a filing, and no live source has confirmed it"
	case a.current.Known() && a.ends.Known() && a.legacy.Known():
		on.Outcome, on.Source = regulatorapi.None, a.current.Name
		on.Amount = new(regulatorapi.Dollars)
	default:
		on.Why = "not all sets of insurance have been imported, and no live source has answered"
	}
	if !said && unknown && total == 0 {
		on.Amount = nil
	}

	return on
}

// lastEnd returns when the last filing of some kinds ends, "" if one has no end or another one follows.
func lastEnd(stand, later []regulatorapi.Filing, kinds []regulatorapi.InsuranceKind) regulatorapi.Date {
	var end regulatorapi.Date
	for _, f := range stand {
		if !slices.Contains(kinds, f.Kind) || f.Excess {
			continue
		}
		if f.Cancels == "" {
			return ""
		}
		end = max(end, f.Cancels)
	}
	for _, f := range later {
		if end != "" && slices.Contains(kinds, f.Kind) && f.Effective <= end {
			return f.Cancels
		}
	}

	return end
}

// kinds of insurance by the codes and by the forms of filings.
var (
	kindsByCode = map[string]regulatorapi.InsuranceKind{"1": regulatorapi.Liability, "2": regulatorapi.Cargo, "3": regulatorapi.Bond, "4": regulatorapi.TrustFund}
	kindsByForm = map[string]regulatorapi.InsuranceKind{"91": regulatorapi.Liability, "91X": regulatorapi.Liability, "82": regulatorapi.Liability, "34": regulatorapi.Cargo, "83": regulatorapi.Cargo, "84": regulatorapi.Bond, "85": regulatorapi.TrustFund}
)

// formOf returns a form without what stands before its number: BMC-91X is 91X.
func formOf(text string) string {
	return strings.TrimLeft(strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "BMC"), "- ")
}

// kindOf returns which kind of insurance a row is about.
func kindOf(r feed.Row) regulatorapi.InsuranceKind {
	if k, ok := kindsByCode[strings.TrimLeft(r["ins_type_code"], "0")]; ok {
		return k
	}
	if k, ok := kindsByForm[formOf(r["ins_form_code"])]; ok {
		return k
	}
	text := strings.ToUpper(r["mod_col_1"])
	switch {
	case strings.Contains(text, "BIPD"), strings.Contains(text, "LIABILITY"):
		return regulatorapi.Liability
	case strings.Contains(text, "CARGO"):
		return regulatorapi.Cargo
	case strings.Contains(text, "SURETY"), strings.Contains(text, "BOND"):
		return regulatorapi.Bond
	case strings.Contains(text, "TRUST"):
		return regulatorapi.TrustFund
	}

	return ""
}

// filingOf reads a row of a set of insurance; false if its kind is unknown.
func filingOf(r feed.Filing, v feed.Row) (filing, bool) {
	kind := kindOf(v)
	class := strings.ToUpper(v["ins_class_code"])
	f := filing{sent: day(v["trans_date"]), Filing: regulatorapi.Filing{
		Kind: kind, Form: formOf(v["ins_form_code"]), Insurer: v.First("insurance_company_name", "name_company"), Policy: v["policy_no"],
		Amount: dollars(v["max_cov_amount"]), Underlying: dollars(v["underl_lim_amount"]),
		Excess:    strings.HasPrefix(class, "E") || strings.Contains(strings.ToUpper(v["mod_col_1"]), "EXCESS"),
		Effective: day(v["effective_date"]), Cancels: day(v["cancl_effective_date"]), Docket: r.Docket, Source: sourceName(r.SetName),
	}}

	return f, kind != ""
}

func endingOf(v feed.Row) ending {
	return ending{
		kind: kindOf(v), policy: v["policy_no"], effective: day(v["effective_date"]),
		reason: strings.ToUpper(v["filing_status_reason"]), ends: day(v["cancl_effective_date"]),
	}
}

// before returns the day that is a number of days before another.
func before(d regulatorapi.Date, days int) regulatorapi.Date {
	t, ok := d.Time()
	if !ok {
		return ""
	}

	return dateOf(t.AddDate(0, 0, -days))
}

// daysBetween returns how many days it is from a day to another; 0 if one is unknown.
func daysBetween(d, other regulatorapi.Date) int {
	from, ok := d.Time()
	to, known := other.Time()
	if !ok || !known {
		return 0
	}

	return int(to.Sub(from) / (24 * time.Hour)) //nolint:mnd // the hours of a day of UTC
}
