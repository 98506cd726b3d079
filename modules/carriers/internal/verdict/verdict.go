package verdict

import (
	"math"
	"slices"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// Status sums a verdict up.
type Status string

// The statuses.
const (
	Unknown  Status = "unknown" // the regulator's record has not been read
	Eligible Status = "eligible"
	Warned   Status = "warned"
	Blocked  Status = "blocked"
	Expired  Status = "expired" // only papers that have run out stand in the way
)

// Verdict says whether a carrier may take a load, and why.
type Verdict struct {
	Eligible  bool        `json:"eligible" doc:"Whether nothing blocks the carrier."`
	Status    Status      `json:"status" enum:"unknown,eligible,warned,blocked,expired"`
	Blockers  []Finding   `json:"blockers" nullable:"false"`
	Warnings  []Finding   `json:"warnings" nullable:"false"`
	Notes     []Finding   `json:"notes" nullable:"false"`
	Unknown   []Missing   `json:"unknown" nullable:"false" doc:"Rules of which a fact is not known."`
	CheckedAt time.Time   `json:"checked_at"`
	Sources   []SourceAge `json:"sources" nullable:"false"`
}

// Finding is a rule that holds.
type Finding struct {
	Code     string   `json:"code" example:"cargo_low"`
	Title    string   `json:"title" example:"The cargo insurance is too low"`
	Evidence Evidence `json:"evidence"`
	Fix      string   `json:"fix"`
	// Override is set if somebody has allowed the carrier all the same: the finding then warns and does not block.
	Override *Override `json:"override,omitempty"`
}

// Evidence is what a finding rests on. Values are text: dates as YYYY-MM-DD, numbers in decimal.
type Evidence struct {
	Field  string  `json:"field" example:"cargo_cover"`
	Value  *string `json:"value" example:"75000.00"`
	Needed *string `json:"needed,omitempty" example:"100000.00"`
	Source string  `json:"source" example:"certificate 2026-03-02"`
}

// Missing is a rule that could not be decided.
type Missing struct {
	Code  string   `json:"code" example:"oos_rate"`
	Facts []string `json:"facts" doc:"Facts that are not known." example:"[\"inspections\"]"`
	Why   string   `json:"why" example:"census: not imported"`
}

// SourceAge is a source, of when it is, and how old that was at the verdict.
type SourceAge struct {
	Name     string               `json:"name" example:"census"`
	Outcome  regulatorapi.Outcome `json:"outcome" enum:"rows,none,unavailable"`
	AsOf     *time.Time           `json:"as_of"`
	AgeHours *int64               `json:"age_hours"`
	Why      string               `json:"why,omitempty"`
}

// Override allows a carrier in spite of a rule.
type Override struct {
	Reason string     `json:"reason"`
	Until  field.Date `json:"until" doc:"Last day, in the company's time zone."`
	By     *uuid.UUID `json:"by_uuid"`
}

// expiring are the rules that a new paper alone mends.
var expiring = []string{"cargo_expires"}

// Judge returns the verdict on a subject. Overrides are by rule, and those that are over do nothing.
func (r *Rules) Judge(s Subject, overrides map[string]Override) Verdict {
	read := make([]value, len(facts))
	e := formula.Evaluation{Values: make([]any, len(facts)+1)}
	for i, f := range facts {
		if read[i] = f.read(&s); !read[i].known {
			read[i].of = nil
		}
		e.Values[i] = read[i].of
	}
	v := Verdict{
		Blockers: []Finding{}, Warnings: []Finding{}, Notes: []Finding{}, Unknown: []Missing{}, CheckedAt: s.At, Sources: s.sources(),
	}
	for _, rule := range r.rules {
		severity, needed := rule.severity(&e)
		if severity == "" {
			missing := rule.missing(read)
			if len(missing) == 0 || rule.Unknown == Off {
				continue
			}
			v.Unknown = append(v.Unknown, Missing{rule.Code, missing, s.why(read[places()[missing[0]]].source)})
			if severity = rule.Unknown; severity == Note {
				continue
			}
		}
		v.add(severity, rule.finding(&s, read, needed), s.Day, overrides)
	}
	v.sumUp(s.Facts.Identity.Source)

	return v
}

// severity returns that of the first level that holds, with its threshold; "" if none does.
func (c compiled) severity(e *formula.Evaluation) (Severity, *apd.Decimal) {
	for _, level := range c.levels {
		e.Values[len(facts)] = nil
		if level.threshold != nil {
			e.Values[len(facts)] = level.threshold
		}
		if holds, err := level.holds.Run(e); err == nil && holds == true {
			return level.severity, level.threshold
		}
	}

	return "", nil
}

// missing returns the names of facts that the rule requires, and that are not known.
func (c compiled) missing(read []value) (names []string) {
	for _, place := range c.requires {
		if !read[place].known {
			names = append(names, facts[place].name)
		}
	}

	return names
}

// cargoNeeded is what evidence may need beside facts: the greater of the level's threshold and the declared value.
const cargoNeeded = "cargo_needed"

func (c compiled) finding(s *Subject, read []value, limit *apd.Decimal) Finding {
	f := Finding{Code: c.Code, Title: c.Title, Fix: c.Fix, Evidence: Evidence{Field: c.Evidence}}
	if place, ok := places()[c.Evidence]; ok && place < len(facts) {
		f.Evidence.Value, f.Evidence.Source = shown(read[place].of), read[place].source
	}
	switch {
	case c.Needed == threshold && limit != nil:
		f.Evidence.Needed = shown(limit)
	case c.Needed == cargoNeeded:
		needed := limit
		if s.Load != nil {
			if declared, ok := amount(s.Load.Declared).(*apd.Decimal); ok && (needed == nil || declared.Cmp(needed) > 0) {
				needed = declared
			}
		}
		if needed != nil {
			f.Evidence.Needed = shown(needed)
		}
	case c.Needed != "" && c.Needed != threshold:
		f.Evidence.Needed = shown(read[places()[c.Needed]].of)
	}

	return f
}

// shown writes a value as evidence shows it; nil for none.
func shown(of any) *string {
	var text string
	switch v := of.(type) {
	case nil:
		return nil
	case time.Time:
		text = v.Format(time.DateOnly)
	case *apd.Decimal:
		text = v.Text('f')
	case bool:
		text = "no"
		if v {
			text = "yes"
		}
	case string:
		text = v
	}

	return &text
}

func (v *Verdict) add(severity Severity, f Finding, today field.Date, overrides map[string]Override) {
	if o, ok := overrides[f.Code]; ok && severity == Block && o.Until >= today {
		f.Override = &o
		severity = Warn
	}
	switch severity {
	case Block:
		v.Blockers = append(v.Blockers, f)
	case Warn:
		v.Warnings = append(v.Warnings, f)
	case Note:
		v.Notes = append(v.Notes, f)
	case Off:
	}
}

func (v *Verdict) sumUp(census regulatorapi.Source) {
	v.Eligible = len(v.Blockers) == 0
	switch {
	case !v.Eligible && !slices.ContainsFunc(v.Blockers, func(f Finding) bool { return !slices.Contains(expiring, f.Code) }):
		v.Status = Expired
	case !v.Eligible:
		v.Status = Blocked
	case !census.Known():
		v.Status = Unknown
	case len(v.Warnings) > 0:
		v.Status = Warned
	default:
		v.Status = Eligible
	}
}

func (s *Subject) sources() []SourceAge {
	all := make([]SourceAge, len(s.Facts.Sources))
	for i, of := range s.Facts.Sources {
		all[i] = SourceAge{Name: of.Name, Outcome: of.Outcome, AsOf: of.AsOf, Why: of.Why}
		if of.AsOf != nil {
			hours := int64(math.Max(0, s.At.Sub(*of.AsOf).Hours()))
			all[i].AgeHours = &hours
		}
	}

	return all
}

// why explains why a fact of a source is unknown.
func (s *Subject) why(source string) string {
	for _, of := range s.Facts.Sources {
		if of.Name == source && of.Why != "" {
			return of.Name + ": " + of.Why
		}
	}
	switch source {
	case "":
		return "no source has it"
	case "own":
		return "your company has not entered it"
	default:
		return source + " does not have it"
	}
}

// SchemaName implements web.SchemaNamer: overrides are rows of the area too.
func (Override) SchemaName() string { return "FindingOverride" }
