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
	// MaxGroupKeys is how many keys group_by takes.
	MaxGroupKeys = 2
	// MaxSums is how many keys sum takes.
	MaxSums = 4
	// MaxGroups is how many groups an answer has at the most. More are refused: sums of a part would mislead.
	MaxGroups = 1000
	// MaxCursor is the length of a cursor, in characters. Rows whose sort values do not fit
	// cannot be paged by them.
	MaxCursor = 2048
	// MaxEstimated is up to where an estimated total is exact.
	MaxEstimated = 10_000
	// MaxPageBytes is up to how many bytes of rows a page goes on. The row that goes beyond is on the page.
	MaxPageBytes = 4 << 20
	// shownWeight is how many times its bytes a row takes while it is made an answer of.
	shownWeight = 4
)
