package list

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// Condition is one condition of the filters.
type Condition struct {
	// Field is the name of the field.
	Field    string
	Operator Operator
	// Group is the number in filter[or][number], -1 outside of the groups.
	Group int

	field  Field
	values []any // what is bound; a bool for Null
}

const noGroup = -1

var (
	filterKey   = regexp.MustCompile(`^filter((?:\[[^\[\]]+\])+)$`)
	groupNumber = regexp.MustCompile(`^(?:0|[1-9][0-9]{0,2})$`)
)

// filters reads filter[…], in the order of the keys, so that one query is one statement.
func (p *parser) filters() []Condition {
	var all []Condition
	for _, queryKey := range slices.Sorted(maps.Keys(p.values)) {
		if queryKey != "filter" && !strings.HasPrefix(queryKey, "filter[") {
			continue
		}
		for _, value := range p.values[queryKey] {
			if len(all) == MaxConditions {
				p.add("filter", "filter takes at most %d conditions.", MaxConditions)

				return nil
			}
			condition, problem := p.condition(queryKey, value)
			if problem != "" {
				p.add(shorten(queryKey), "%s", problem)
			}
			all = append(all, condition)
		}
	}
	slices.SortStableFunc(all, func(a, b Condition) int { return cmp.Compare(a.Group, b.Group) })

	return all
}

// condition reads one filter, or says what is wrong with it.
func (p *parser) condition(queryKey, value string) (Condition, string) {
	c := Condition{Group: noGroup, Operator: Equal}
	path := c.path(queryKey)
	switch len(path) {
	case 1:
	case 2:
		c.Operator = Operator(path[1])
	default:
		return c, "A filter is filter[field], filter[field][op] or filter[or][0][field]."
	}
	c.Field = path[0]
	field, known := p.fields.field(c.Field)
	if !known || !field.Filterable {
		return c, p.schema.unknownField("filter", c.Field, p.schema.filterable())
	}
	c.field = *field
	if allowed := c.field.operators(); !slices.Contains(allowed, c.Operator) {
		return c, unknownMessage(fmt.Sprintf("filter[%s]", c.Field), string(c.Operator), allowed)
	}

	return c, c.bind(value, &p.caller)
}

// MatchesNull reports whether a row without a value for the field matches.
func (c Condition) MatchesNull() bool {
	return c.Operator == NotEqual || c.Operator == NotIn || (c.Operator == Null && c.values[0] == true)
}

// part is the text that Like and Starts look for.
func (c Condition) part() string {
	text, ok := c.values[0].(string)
	if !ok {
		return ""
	}

	return text
}

// path returns what stands in the brackets, without that of a group.
func (c *Condition) path(queryKey string) []string {
	match := filterKey.FindStringSubmatch(queryKey)
	if match == nil {
		return nil
	}
	path := strings.Split(strings.Trim(match[1], "[]"), "][")
	if len(path) == 1 || path[0] != "or" || !groupNumber.MatchString(path[1]) {
		return path
	}
	number, err := strconv.Atoi(path[1])
	if err != nil {
		return nil
	}
	c.Group = number

	return path[2:]
}

// bind reads the value, or says what is wrong with it.
func (c *Condition) bind(text string, by *caller) string {
	switch c.Operator {
	case Null:
		return c.bindOne(Field{Kind: kind.Boolean}, text, by)
	case Like, Starts:
		if text == "" {
			return fmt.Sprintf("%s needs text to search for.", c.Operator)
		}

		return c.bindOne(c.field.part(), text, by)
	case In, NotIn:
		return c.bindList(splitList(text), by)
	case Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual:
		return c.bindOne(c.field, text, by)
	}

	return fmt.Sprintf("%q is not an operator.", c.Operator)
}

func (c *Condition) bindList(texts []string, by *caller) string {
	if len(texts) > MaxListed {
		return fmt.Sprintf("%s takes at most %d values.", c.Operator, MaxListed)
	}
	for _, text := range texts {
		if problem := c.bindOne(c.field, text, by); problem != "" {
			return problem
		}
	}

	return ""
}

func (c *Condition) bindOne(field Field, text string, by *caller) string {
	if len(text) > MaxValue {
		return fmt.Sprintf("A value has at most %d bytes.", MaxValue)
	}
	text, problem := by.filterValue(field, c.Operator, text)
	if problem != "" {
		return problem
	}
	value, err := field.encode(text)
	switch {
	case len(field.Words) > 0 && text != "" && !slices.Contains(field.Words, text):
		return fmt.Sprintf("%q must be one of: %s.", shorten(text), joinNames(field.Words))
	case err != nil && field.Encode != nil:
		return fmt.Sprintf("%q %s.", shorten(text), strings.TrimSuffix(err.Error(), "."))
	case err != nil:
		return fmt.Sprintf("%q is not %s.%s", shorten(text), field.Kind.Describe(), plusSignHint(field.Kind, text))
	}
	c.values = append(c.values, value)

	return ""
}

// plusSignHint points at the mistake that is made most: a plus sign in a query is a blank.
func plusSignHint(of kind.Kind, text string) string {
	if of == kind.Time && strings.Contains(text, " ") {
		return " A plus sign in a query is written %2B."
	}

	return ""
}

// splitList splits at commas; \, is a comma in a value and \\ a backslash. It goes by bytes, so that
// it leaves text that is not UTF-8 for the kinds to refuse.
func splitList(text string) []string {
	var values []string
	var value []byte
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			value = append(value, text[i])
		case text[i] == ',':
			values = append(values, string(value))
			value = value[:0]
		default:
			value = append(value, text[i])
		}
	}

	return append(values, string(value))
}
