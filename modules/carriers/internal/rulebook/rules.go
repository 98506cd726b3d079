// Package rulebook has the rules by which a company judges carriers, and allows some in spite of them.
package rulebook

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// Scopes for changing rules, and for allowing carriers despite them.
const (
	accessRules web.Access = ":rules"
	// AccessOverride is the scope for allowing carriers despite rules.
	AccessOverride web.Access = ":override"
)

// Rule is a row of carriers_rules: a rule of the company, which replaces a default rule of the same code.
type Rule struct {
	resource.Row

	Code     string                         `json:"code" field:"required,max=50,unique,fixed,sort,search" doc:"The code of a default rule replaces that rule." example:"cargo_low"`
	Title    string                         `json:"title" field:"required,max=200,search,title" doc:"Title of the finding."`
	Fix      string                         `json:"fix" field:"max=500" doc:"How to resolve the finding."`
	Evidence string                         `json:"evidence" field:"max=50" doc:"Fact that a finding shows."`
	Needed   string                         `json:"needed" field:"max=50" doc:"Fact that the evidence is compared with, or threshold."`
	Requires resource.JSON[[]string]        `json:"requires" field:"max=20" doc:"Facts without which the rule cannot be decided; all that its conditions read if there are none."`
	Levels   resource.JSON[[]verdict.Level] `json:"levels" field:"required,min=1,max=5" doc:"Conditions with their severities; the first that holds is the finding."`
	Unknown  string                         `json:"unknown" field:"default=note" enum:"block,warn,note,off" doc:"Severity if the rule cannot be decided; note lists it as unknown, off says nothing."`
}

// TableName implements GORM's naming.
func (Rule) TableName() string { return "carriers_rules" }

// verdict returns the rule in the form of package verdict.
func (r *Rule) verdict() verdict.Rule {
	return verdict.Rule{
		Code: r.Code, Title: r.Title, Fix: r.Fix, Evidence: r.Evidence, Needed: r.Needed, Requires: r.Requires.V, Levels: r.Levels.V,
		Unknown: verdict.Severity(r.Unknown),
	}
}

var errRule = errs.New(errs.Invalid, "carriers.invalid_rule", "The given data was invalid.")

// RuleRules are the rules of the resource of rules.
func RuleRules() resource.Rules[Rule] {
	return resource.Rules[Rule]{
		Item: "carriers.rule", Sort: []string{"code"}, WriteAccess: accessRules,
		About: "A rule of verdicts, of your own or instead of a default one. Deleting it brings the default back.",
		Check: checkRule,
	}
}

// checkRule compiles a rule, and names the invalid field.
func checkRule(_ context.Context, r *Rule) error {
	_, err := verdict.Compile([]verdict.Rule{r.verdict()})
	if problem, wrong := errors.AsType[verdict.RuleError](err); wrong {
		at := strings.TrimPrefix(problem.At, "rules.0.")

		return errRule.WithField(at, jsonbody.Sentence(at, problem.Message))
	}

	return err
}

// Override is a row of carriers_overrides.
type Override struct {
	resource.Row

	Carrier uuid.UUID  `json:"carrier_uuid" gorm:"column:carrier_id" field:"required,fixed,item=carriers.carrier,on_delete=remove"`
	Code    string     `json:"code" field:"required,max=50,fixed,sort,title" doc:"Code of the rule." example:"authority_young"`
	Reason  string     `json:"reason" field:"required,max=1000"`
	Until   field.Date `json:"until" field:"required,sort" doc:"Last day, in the company's time zone."`
}

// TableName implements GORM's naming.
func (Override) TableName() string { return "carriers_overrides" }

// OverrideRules are the rules of the resource of overrides.
func OverrideRules() resource.Rules[Override] {
	return resource.Rules[Override]{
		Item: "carriers.override", Sort: []string{"-until"}, WriteAccess: AccessOverride,
		About: "Allows a carrier in spite of a rule until a day: the finding warns, and does not block.",
	}
}

// Book reads the rules and overrides of companies.
type Book struct {
	rules     *resource.Resource[Rule]
	overrides *resource.Resource[Override]
}

// New returns the book.
func New(rules *resource.Resource[Rule], overrides *resource.Resource[Override]) *Book {
	return &Book{rules, overrides}
}

// Own returns the rules that the caller's company changed or added.
func (b *Book) Own(ctx context.Context) ([]Rule, error) { return b.rules.Where(ctx, "TRUE") }

// Allow refuses overrides of rules that there are not, and those that are over already.
func (b *Book) Allow(ctx context.Context, all []*resource.Change[Override]) error {
	today, err := b.overrides.Today(ctx)
	if err != nil {
		return err
	}
	own, err := b.Own(ctx)
	if err != nil {
		return err
	}
	var codes []string
	for _, r := range Effective(own) {
		codes = append(codes, r.Code)
	}
	slices.Sort(codes)
	for _, c := range all {
		wrong := b.overrides.Invalid()
		if c.Before == nil && !slices.Contains(codes, c.After.Code) {
			wrong = wrong.WithField("code", "The code must be that of a rule: "+strings.Join(codes, ", ")+".")
		}
		if c.After.Until < today && (c.Before == nil || c.Before.Until != c.After.Until) {
			wrong = wrong.WithField("until", "`until` must be today or later.")
		}
		if len(wrong.Fields) > 0 {
			c.Refuse(wrong)
		}
	}

	return nil
}

// Effective returns the default rules, replaced and extended by those of a company.
func Effective(own []Rule) []verdict.Rule {
	all := slices.Clone(verdict.Defaults)
	for i := range own {
		one := own[i].verdict()
		if at := slices.IndexFunc(all, func(r verdict.Rule) bool { return r.Code == one.Code }); at >= 0 {
			all[at] = one
		} else {
			all = append(all, one)
		}
	}

	return all
}

// Overridden returns the current overrides of carriers, by carrier and code. Of several, the latest last day counts.
func (b *Book) Overridden(ctx context.Context, today field.Date, carriers ...uuid.UUID) (map[uuid.UUID]map[string]verdict.Override, error) {
	rows, err := b.overrides.Where(ctx, "carrier_id IN ? AND until >= ?", carriers, today)
	if err != nil {
		return nil, err
	}
	all := map[uuid.UUID]map[string]verdict.Override{}
	for _, row := range rows {
		if all[row.Carrier] == nil {
			all[row.Carrier] = map[string]verdict.Override{}
		}
		if other, ok := all[row.Carrier][row.Code]; ok && other.Until >= row.Until {
			continue
		}
		all[row.Carrier][row.Code] = verdict.Override{Reason: row.Reason, Until: row.Until, By: row.CreatedBy}
	}

	return all, nil
}
