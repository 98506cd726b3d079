package list

import (
	"slices"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// Operator is how a condition compares a field with the value of the request: the op of
// filter[field][op]=value. filter[field]=value is eq.
type Operator string

// The operators. Which of them a field understands depends on its Kind.
const (
	Equal          Operator = "eq"
	NotEqual       Operator = "ne" // is distinct from: rows without a value match
	Less           Operator = "lt"
	LessOrEqual    Operator = "lte"
	Greater        Operator = "gt"
	GreaterOrEqual Operator = "gte"
	In             Operator = "in"     // one of a comma separated list; \, is a comma in a value, \\ a backslash
	NotIn          Operator = "nin"    // none of the list: rows without a value match
	Like           Operator = "like"   // contains; the letters A to Z match in either case
	Starts         Operator = "starts" // begins with, case-sensitive: an index serves it
	Null           Operator = "null"   // true: has no value; false: has one
)

// Ordered are those of values that have an order but no parts.
var Ordered = []Operator{Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual, In, NotIn}

// operatorsOf are what the kinds can be compared by, without Null.
var operatorsOf = map[kind.Kind][]Operator{
	kind.Text:      append(slices.Clone(Ordered), Like, Starts),
	kind.Integer:   Ordered,
	kind.Decimal:   Ordered,
	kind.Boolean:   {Equal, NotEqual},
	kind.Date:      Ordered,
	kind.Time:      Ordered,
	kind.LocalTime: Ordered,
	kind.UUID:      {Equal, NotEqual, In, NotIn},
}
