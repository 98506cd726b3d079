package custommodules

import "github.com/dispatchd/dispatchd/platform/list"

// ordered are the operators of values that have an order but no parts.
func ordered() []list.Operator {
	return []list.Operator{
		list.Equal, list.NotEqual, list.Less, list.LessOrEqual, list.Greater, list.GreaterOrEqual, list.In, list.NotIn,
	}
}

// named are the operators of values that are names for something: their order says nothing.
func named() []list.Operator {
	return []list.Operator{list.Equal, list.NotEqual, list.In, list.NotIn}
}

// searched are those of names that people look for by a part.
func searched() []list.Operator { return append(named(), list.Like, list.Starts) }

// present are the operators of values that are there or not, and are not compared.
func present() []list.Operator { return []list.Operator{list.Null} }
