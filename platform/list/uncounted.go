package list

// Uncounted returns the query without its count=, and what that asked for: for a list that its area can
// count in a better way.
func (q Query) Uncounted() (Query, Count) {
	asked := q.count
	q.count = ""

	return q, asked
}
