package registry

// LookupQuery is the statement of a type-ahead.
func LookupQuery(state bool) string { return lookupQuery(state) }
