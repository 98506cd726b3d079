package feed

import (
	"maps"
	"slices"
	"strings"
)

// The sets that can be imported. What each is at the regulator is in docs/carriers.md.
const (
	SetCensus          = "census"
	SetAuthority       = "authority"
	SetAuthorityLog    = "authhist"
	SetInsurance       = "insur"
	SetInsuranceEnds   = "inshist"
	SetRevocations     = "revocations"
	SetLegacyInsurance = "legacy.actpendinsur"
	SetLegacyLog       = "legacy.authhist"
)

// set is how a set is read.
type set struct {
	// difference says that the file has only what changed in the set that it is a difference of.
	difference bool
	// columns are those that are kept, the first name of each column before the others that it has had.
	columns [][]string
	// keys are the columns that tell rows apart, in addition to the number and the docket; none is all that are kept, as in histories.
	keys []string
}

var (
	usdotColumns  = []string{"usdot_number", "dot_number"}
	docketColumns = []string{"docket_number", "prefix_docket_number"}
)

// sets are the sets by their names, but the census, which has a table of its own.
var sets = map[string]set{
	SetAuthority: {
		columns: columnsOf("op_auth_type", "op_auth_status", "min_cov_amount", "cargo_req", "bond_req", "bipd_file", "cargo_file", "bond_file"),
		keys:    []string{"op_auth_type"},
	},
	SetAuthorityLog: {columns: columnsOf("op_auth_type", "op_auth_status", "reason", "status_change_date")},
	SetInsurance: {columns: columnsOf("ins_form_code", "ins_type_code", "ins_class_code", "max_cov_amount", "underl_lim_amount", "policy_no",
		"effective_date", "insurance_company_name|name_company", "trans_date")},
	SetInsuranceEnds: {columns: columnsOf("ins_form_code", "ins_type_code", "ins_class_code", "policy_no", "effective_date",
		"insurance_company_name|name_company", "filing_status_reason", "cancl_effective_date")},
	SetRevocations: {columns: columnsOf("op_auth_type|type_license", "serve_date|served_date|order1_serve_date",
		"effective_date|order2_effective_date", "reason|type|revocation_type|order2_type_desc")},
	SetLegacyInsurance: {columns: columnsOf("ins_form_code", "mod_col_1|ins_type_desc", "ins_type_code", "ins_class_code", "max_cov_amount",
		"underl_lim_amount", "policy_no", "effective_date", "cancl_effective_date", "name_company|insurance_company_name", "trans_date")},
	SetLegacyLog: {columns: columnsOf("mod_col_1|op_auth_type", "sub_number", "original_action_desc", "orig_served_date", "disp_action_desc",
		"disp_decided_date", "disp_served_date")},
}

// differenceSuffix is what the name of a daily difference has behind that of its set: insur.diff.
const differenceSuffix = ".diff"

// Frozen reports whether a set is no longer updated.
func Frozen(name string) bool { return strings.HasPrefix(name, "legacy.") }

// columnsOf reads the names of columns, those that one column has had apart by bars.
func columnsOf(names ...string) [][]string {
	columns := make([][]string, len(names))
	for i, n := range names {
		columns[i] = strings.Split(n, "|")
	}

	return columns
}

// SetNames are the names that an import takes, sorted.
func SetNames() []string {
	names := []string{SetCensus}
	for name := range maps.Keys(sets) {
		names = append(names, name)
		if !Frozen(name) {
			names = append(names, name+differenceSuffix)
		}
	}
	slices.Sort(names)

	return names
}

// setOf returns a set, or the difference of one, and the name under which its rows are kept.
func setOf(name string) (s set, kept string, ok bool) {
	kept, difference := strings.CutSuffix(name, differenceSuffix)
	if kept == SetCensus {
		return set{}, SetCensus, !difference
	}
	s, ok = sets[kept]
	s.difference = difference

	return s, kept, ok && (!difference || !Frozen(kept))
}

// indexes finds columns in the head of a file.
type indexes struct {
	usdot, docket int
	// kept are the places of the columns that are kept; -1 for one that the file has not.
	kept []int
}

// place returns where the first of a column's names is, -1 if the file has none of them.
func place(head, names []string) int {
	for _, name := range names {
		if i := slices.Index(head, name); i >= 0 {
			return i
		}
	}

	return -1
}

func (s set) indexes(head []string) (indexes, []string) {
	x := indexes{usdot: place(head, usdotColumns), docket: place(head, docketColumns)}
	var missing []string
	if x.usdot < 0 {
		missing = append(missing, usdotColumns[0])
	}
	found := 0
	for _, names := range s.columns {
		at := place(head, names)
		if at >= 0 {
			found++
		}
		x.kept = append(x.kept, at)
	}
	if found < min(len(s.columns), 2) { //nolint:mnd // one column may have its name by chance
		missing = append(missing, s.columns[0][0], s.columns[1][0])
	}

	return x, missing
}
