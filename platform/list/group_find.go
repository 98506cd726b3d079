package list

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// Groups is the body of an operation that groups what a list has.
type Groups struct {
	Data []Group   `json:"data" nullable:"false"`
	Meta GroupMeta `json:"meta"`
}

// Group is what the items have in common that have the same values.
type Group struct {
	Keys  map[string]any `json:"keys" doc:"The values of the group, by the keys of group_by; null for items without a value. A calendar unit is given as its first day."`
	Count int64          `json:"count" doc:"How many items the group has."`
	Sums  Sums           `json:"sums,omitempty" doc:"The exact sums as decimal strings, by the keys of sum; null where no item has a value."`
}

// Sums are sums as decimal strings, by the names of fields; nil where there is nothing to add up.
type Sums map[string]*string

// Schema implements huma.SchemaProvider.
func (Sums) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString, Nullable: true}}
}

// GroupMeta says what all groups are together.
type GroupMeta struct {
	Groups int   `json:"groups" doc:"How many groups there are."`
	Total  int64 `json:"total" doc:"Total number of items in all groups."`

	Warnings []Warning `json:"warnings,omitempty" doc:"Parts of the query that will be refused once there are more items, and what to do about it."`
}

// SumPart is a part of a number that the database can add up exactly: a whole number that counts times ten to the power of
// Exponent.
type SumPart struct {
	// Expr is the SQL for the part, NULL where there is no number.
	Expr     string
	Exponent int
}

// groupRow is a group as the database has it.
type groupRow struct {
	K0, K1 *string
	N      int64
	// Sums are the sums of all fields and parts as text: "/" between parts, ";" between fields, nothing for no value.
	Sums string
}

// FindGroups groups the rows of a model, as GORM takes it, that the query asks for. It keeps to the conditions that tx has already. All groups come, ordered
// by their values, or ErrTooManyGroups, or ErrMixedCurrencies. It takes one statement, and one more for each key that is a part of the
// calendar, and for the currency of sums.
func FindGroups(tx *gorm.DB, model any, g Grouping) (Groups, error) {
	tx = tx.Model(model).Session(&gorm.Session{})
	d := dialectOf(tx)
	if err := g.checkCurrencies(tx, d); err != nil {
		return Groups{}, err
	}
	g, err := d.parted(g).divided(tx, d)
	if err != nil {
		return Groups{}, err
	}
	columns, err := g.columns(d)
	if err != nil {
		return Groups{}, err
	}
	by := make([]clause.Column, len(g.keys))
	for i := range by {
		by[i] = clause.Column{Name: strconv.Itoa(i + 1), Raw: true}
	}
	var rows []groupRow
	err = g.rows(tx).Clauses(clause.Select{Expression: columns}, clause.GroupBy{Columns: by}).Limit(MaxGroups + 1).Find(&rows).Error
	if err != nil {
		return Groups{}, err
	}
	if len(rows) > MaxGroups {
		return Groups{}, ErrTooManyGroups.WithField("group_by",
			fmt.Sprintf("There are more than %d groups. Group by a key with fewer values, or filter.", MaxGroups))
	}

	return g.shown(rows)
}

// mostCurrencies is how many currencies a refusal names.
const mostCurrencies = 5

// checkCurrencies refuses sums of amounts in several currencies. Groups are compared with each other, so all of them need one currency, unless
// it is one of their keys.
func (g Grouping) checkCurrencies(tx *gorm.DB, d dialect) error {
	for _, currency := range g.currencies() {
		var amounts []string
		for _, f := range g.sums {
			if f.Currency != nil && f.Currency.Name == currency.Name {
				amounts = append(amounts, operand(f.Expr, false)+" IS NOT NULL")
			}
		}
		found, value := []struct{ Code *string }{}, d.operand(currency)
		err := g.rows(tx).Where("(" + strings.Join(amounts, " OR ") + ")").
			Clauses(clause.Select{Expression: statement{"DISTINCT CAST(" + value + " AS text) AS code"}}).Limit(mostCurrencies + 1).Find(&found).Error
		if err != nil {
			return err
		}
		if len(found) < 2 { //nolint:mnd // of one currency, or of none
			continue
		}
		codes := make([]string, 0, len(found))
		for _, one := range found {
			if one.Code == nil || *one.Code == "" {
				codes = append(codes, "none")
			} else {
				codes = append(codes, *one.Code)
			}
		}
		slices.Sort(codes)
		if len(codes) > mostCurrencies {
			codes = append(codes[:mostCurrencies], "others")
		}

		return ErrMixedCurrencies.WithDetail("currencies", codes).WithField("sum", fmt.Sprintf(
			"The amounts are in several currencies: %s. Add %[2]s to group_by, or choose one of them with filter[%[2]s].", strings.Join(codes, ", "), currency.Name))
	}

	return nil
}

// rows is the statement for the rows that are grouped.
func (g Grouping) rows(tx *gorm.DB) *gorm.DB {
	used := make([]key, 0, len(g.keys)+len(g.sums))
	for _, k := range g.keys {
		used = append(used, key{Field: k.Field})
	}
	for _, f := range g.sums {
		used = append(used, key{Field: f})
	}

	return g.query.filter(tx, used, false)
}

// divided returns the grouping with the units of the calendar that there are rows in.
func (g Grouping) divided(tx *gorm.DB, d dialect) (Grouping, error) {
	g.keys = slices.Clone(g.keys)
	for i, k := range g.keys {
		if k.unit == "" {
			continue
		}
		value := d.operand(k.Field)
		var ends []struct{ Least, Greatest *string }
		err := g.rows(tx).Clauses(clause.Select{Expression: statement{
			"CAST(min(" + value + ") AS text) AS least, CAST(max(" + value + ") AS text) AS greatest",
		}}).Find(&ends).Error
		if err != nil || len(ends) == 0 {
			return g, err
		}
		if g.keys[i], err = k.divided(ends[0].Least, ends[0].Greatest); err != nil {
			return g, err
		}
	}

	return g, nil
}

// columns are what is read of each group.
func (g Grouping) columns(d dialect) (statement, error) {
	var all statement
	for i, k := range g.keys {
		value := statement{d.operand(k.Field)}
		if k.unit != "" {
			var err error
			if value, err = k.number(d); err != nil {
				return nil, err
			}
		}
		all = append(append(append(all, "CAST("), value...), fmt.Sprintf(" AS text) AS k%d, ", i))
	}
	sums := make([]string, len(g.sums))
	for i, f := range g.sums {
		sums[i] = sumOf(f)
	}
	if len(sums) == 0 {
		sums = []string{"''"}
	}

	return append(all, "count(*) AS n, "+strings.Join(sums, " || ';' || ")+" AS sums"), nil
}

// sum is the SQL for the sums of a field's parts.
func sumOf(f Field) string {
	sums := make([]string, len(f.SumParts))
	for i, p := range f.SumParts {
		sums[i] = "CAST(sum(" + p.Expr + ") AS text)"
	}

	return "coalesce(" + strings.Join(sums, " || '/' || ") + ", '')"
}

// parted returns the grouping with the parts of all sums.
func (d dialect) parted(g Grouping) Grouping {
	g.sums = slices.Clone(g.sums)
	for i := range g.sums {
		g.sums[i].SumParts = d.sumParts(g.sums[i])
	}

	return g
}

// sumParts are the parts of a field's values. SQLite adds up whole numbers of 64 bits, and fails where the sum is none.
func (d dialect) sumParts(f Field) []SumPart {
	switch value := operand(f.Expr, false); {
	case f.SumParts != nil:
		return f.SumParts
	case d.postgres:
		return []SumPart{{Expr: "CAST(" + value + " AS numeric)"}}
	case f.Kind == kind.Decimal:
		return DecimalParts(value)
	default:
		value = "CAST(" + value + " AS integer)"

		return []SumPart{{value + " / 1000000000", 9}, {value + " % 1000000000", 0}}
	}
}

// DecimalParts are whole numbers that SQLite can add up exactly, of the SQL for a decimal number as text ("-12.50") with at most
// 18 digits on either side of the point: nine digits each.
func DecimalParts(value string) []SumPart {
	const sign, zeros = "CASE WHEN %[1]s LIKE '-%%' THEN -1 ELSE 1 END * ", "000000000000000000"
	part := func(exponent int, digits string) SumPart {
		return SumPart{fmt.Sprintf(sign+digits, value, "ltrim("+value+", '-')"), exponent}
	}
	fraction := "CAST(substr(substr(%[2]s, instr(%[2]s || '.', '.') + 1) || '" + zeros + "', %[3]s, 9) AS integer)"

	return []SumPart{
		part(9, "(CAST(%[2]s AS integer) / 1000000000)"),
		part(0, "(CAST(%[2]s AS integer) %% 1000000000)"),
		part(-9, strings.ReplaceAll(fraction, "%[3]s", "1")),
		part(-18, strings.ReplaceAll(fraction, "%[3]s", "10")),
	}
}

// shown makes the answer of the groups that were read.
func (g Grouping) shown(rows []groupRow) (Groups, error) {
	answer := Groups{Data: make([]Group, len(rows)), Meta: GroupMeta{Groups: len(rows)}}
	for i, row := range rows {
		group := Group{Keys: make(map[string]any, len(g.keys)), Count: row.N}
		for j, text := range []*string{row.K0, row.K1}[:len(g.keys)] {
			value, err := g.keys[j].shown(text)
			if err != nil {
				return Groups{}, fmt.Errorf("list: group by %s: %w", g.keys[j].name, err)
			}
			group.Keys[g.keys[j].name] = value
		}
		var err error
		if group.Sums, err = g.added(row.Sums); err != nil {
			return Groups{}, err
		}
		answer.Data[i] = group
		answer.Meta.Total += row.N
	}
	slices.SortFunc(answer.Data, g.compare)

	return answer, nil
}

// shown returns the value of a group as answers have it: nil for none.
func (k groupKey) shown(text *string) (any, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // the value of the group is none
	}
	if k.unit != "" {
		n, err := strconv.Atoi(*text)
		if err != nil || n < 0 || n >= len(k.bounds)-1 {
			return nil, fmt.Errorf("unit %q of %d: %w", *text, len(k.bounds)-1, err)
		}

		return k.bounds[n].Format(time.DateOnly), nil
	}
	value := *text
	if k.Shown != nil {
		value = k.Shown(value)
	}
	switch k.Kind {
	case kind.Integer:
		return strconv.ParseInt(value, 10, 64)
	case kind.Boolean:
		return strings.HasPrefix(value, "t") || value == "1", nil
	case kind.Date: // it may be kept as a time
		value, _, _ = strings.Cut(value, " ")
	default:
	}

	return value, nil
}

// added puts the parts of sums together.
func (g Grouping) added(text string) (Sums, error) {
	if len(g.sums) == 0 {
		return nil, nil //nolint:nilnil // none are asked for
	}
	sums := Sums{}
	for i, parts := range strings.Split(text, ";") {
		f := g.sums[i]
		if parts == "" {
			sums[f.Name] = nil

			continue
		}
		total := new(big.Rat)
		for j, part := range strings.Split(parts, "/") {
			n, ok := new(big.Rat).SetString(part)
			if !ok {
				return nil, fmt.Errorf("list: sum of %s: %q is not a number", f.Name, part)
			}
			total.Add(total, n.Mul(n, f.SumParts[j].weight()))
		}
		sums[f.Name] = new(f.decimal(total))
	}

	return sums, nil
}

// weight is what the part counts.
func (p SumPart) weight() *big.Rat {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(p.Exponent, -p.Exponent))), nil)
	if p.Exponent < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), power)
	}

	return new(big.Rat).SetInt(power)
}

// decimal writes a sum with as many digits after the point as it has, and no fewer than the field's values have.
func (f Field) decimal(n *big.Rat) string {
	digits, _ := n.FloatPrec()

	return n.FloatString(max(digits, f.Scale))
}

// compare orders groups by their values, those without one last.
func (g Grouping) compare(a, b Group) int {
	for _, k := range g.keys {
		if order := compareValues(k, a.Keys[k.name], b.Keys[k.name]); order != 0 {
			return order
		}
	}

	return 0
}

func compareValues(k groupKey, a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	switch a := a.(type) {
	case int64:
		other, _ := b.(int64)

		return cmp.Compare(a, other)
	case bool:
		if a == b {
			return 0
		}
		if a {
			return 1
		}

		return -1
	}
	one, other := fmt.Sprint(a), fmt.Sprint(b)
	if k.Kind != kind.Decimal {
		return cmp.Compare(one, other)
	}
	first, ok := new(big.Rat).SetString(one)
	second, also := new(big.Rat).SetString(other)
	if !ok || !also {
		return cmp.Compare(one, other)
	}

	return first.Cmp(second)
}

// ServeGroups is the handler of an operation that takes nothing but what groups of a list take, and groups what read finds.
func ServeGroups(
	schema Schema, read func(context.Context, Grouping) (Groups, error),
) func(context.Context, *GroupInput) (*GroupOutput, error) {
	return func(ctx context.Context, in *GroupInput) (*GroupOutput, error) {
		g, err := in.Parse(ctx, schema)
		if err != nil {
			return nil, err
		}
		groups, err := read(ctx, g)

		return &GroupOutput{Body: groups}, err
	}
}

// GroupOutput is the answer of an operation that groups what a list has.
type GroupOutput struct{ Body Groups }
