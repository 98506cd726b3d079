package list

import (
	"strings"
	"unicode/utf8"
)

// where returns the conditions of the filters and the search, all of which hold.
func (d dialect) where(q Query) []statement {
	var all, groups []statement
	for i := 0; i < len(q.filters); {
		c := q.filters[i]
		if c.Group == noGroup {
			all = append(all, d.condition(c))
			i++

			continue
		}
		var group []statement
		for ; i < len(q.filters) && q.filters[i].Group == c.Group; i++ {
			group = append(group, d.condition(q.filters[i]))
		}
		groups = append(groups, joinStatements(group, " AND "))
	}
	if groups != nil {
		all = append(all, joinStatements(groups, " OR "))
	}

	return append(all, d.search(q)...)
}

func (d dialect) search(q Query) []statement {
	if len(q.search) == 0 {
		return nil
	}
	var all []statement
	for _, word := range q.words {
		var anywhere []statement
		for _, expr := range q.search {
			anywhere = append(anywhere, d.finds(expr, word))
		}
		all = append(all, joinStatements(anywhere, " OR "))
	}

	return all
}

func (d dialect) condition(c Condition) statement {
	if c.field.Held != nil {
		return d.held(c)
	}
	switch c.Operator {
	case Equal:
		return d.compare(c.field, "=", c.values[0])
	case NotEqual:
		return d.orNull(c.field, d.compare(c.field, "<>", c.values[0]))
	case Less:
		return d.compare(c.field, "<", c.values[0])
	case LessOrEqual:
		return d.compare(c.field, "<=", c.values[0])
	case Greater:
		return d.compare(c.field, ">", c.values[0])
	case GreaterOrEqual:
		return d.compare(c.field, ">=", c.values[0])
	case In:
		return d.in(c, " IN ")
	case NotIn:
		return d.orNull(c.field, d.in(c, " NOT IN "))
	case Like:
		return d.contains(c.field.Expr, c.part())
	case Starts:
		return d.starts(c.field, c.part())
	case Null:
		return d.null(c.field, c.values[0] == true)
	}

	return statement{"1 = 0"}
}

// orNull lets rows without a value match too: "is not red" is true of what has no colour.
func (d dialect) orNull(f Field, s statement) statement {
	if !f.Nullable {
		return s
	}

	return joinStatements([]statement{s, d.null(f, true)}, " OR ")
}

func (d dialect) null(f Field, is bool) statement {
	if is {
		return statement{d.operand(f), " IS NULL"}
	}

	return statement{d.operand(f), " IS NOT NULL"}
}

func (d dialect) in(c Condition, operator string) statement {
	values := make([]statement, len(c.values))
	for i, value := range c.values {
		values[i] = d.value(c.field, value)
	}

	return append(statement{d.operand(c.field), operator}, joinStatements(values, ", ")...)
}

// starts asks for the range of the texts with the prefix, which an index serves and LIKE would not.
func (d dialect) starts(f Field, prefix string) statement {
	from := d.compare(f, ">=", prefix)
	end, ok := prefixEnd(prefix)
	if !ok {
		return from
	}

	return joinStatements([]statement{from, d.compare(f, "<", end)}, " AND ")
}

// prefixEnd returns the least text greater than all texts with the prefix, byte by byte. UTF-8 orders
// as code points do, so the last one that has a successor is raised. Without ok there is none.
func prefixEnd(prefix string) (next string, ok bool) {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch last {
		case utf8.MaxRune:
			continue
		case 0xD7FF: // surrogates are no characters
			return prefix + "\uE000", true
		default:
			return prefix + string(last+1), true
		}
	}

	return "", false
}

// escapeLike makes the characters that LIKE knows stand for themselves.
func escapeLike(text string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text)
}
