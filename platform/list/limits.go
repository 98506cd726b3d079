package list

// The limits of a request. What is over one is refused, naming it.
const (
	// DefaultPerPage is the size of a page that is not asked for.
	DefaultPerPage = 50
	// MaxPerPage is the largest page.
	MaxPerPage = 200
	// MaxConditions is how many conditions the filters of a request may have, groups included.
	MaxConditions = 20
	// MaxListed is how many values in and nin take.
	MaxListed = 100
	// MaxSortKeys is how many keys sort takes.
	MaxSortKeys = 4
	// MaxValue is the length of a value to compare with, in bytes; each of a list.
	MaxValue = 500
	// MaxSearch is the length of q, in bytes.
	MaxSearch = 200
	// MaxWords is how many words q may have.
	MaxWords = 8
	// MaxNames is how many names fields and expand take, each.
	MaxNames = 100
	// MaxCursor is the length of a cursor, in characters. Rows whose sort values do not fit
	// cannot be paged by them.
	MaxCursor = 2048
	// MaxEstimated is up to where an estimated total is exact.
	MaxEstimated = 10_000
)
