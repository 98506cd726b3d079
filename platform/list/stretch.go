package list

// Stretch bounds a walk in the order of the ids: from the row with an id on (nil for the first one), in the given
// direction, it returns the id of the last row that may be looked at, nil for all that there are.
type Stretch func(from any, descending bool) (to any, err error)

// WalkTail returns the query with a bound on the rows that Find looks at for those without a value for the first
// sort key, which no index on the key holds. A page that comes to the bound ends there, with fewer rows or none, and
// its cursor goes on behind it. Where the tail has an order of its own, there is no bound.
func (q Query) WalkTail(s Stretch) Query {
	q.stretch = s

	return q
}

// bounded returns the query with its part cut off where the walk through the tail ends.
func (q Query) bounded() (Query, error) {
	order, at := q.remainingKeys()
	if q.stretch == nil || !q.InTail() || len(order) > 1 {
		return q, nil
	}
	var from any
	if at != nil {
		from = at.binds[0]
	}
	var err error
	q.last, err = q.stretch(from, q.descends(order[0]))

	return q, err
}

// until returns the condition for the rows up to the end of the walk.
func (d dialect) until(q Query) []statement {
	if q.last == nil {
		return nil
	}
	order, _ := q.remainingKeys()
	operator := "<="
	if q.descends(order[0]) {
		operator = ">="
	}

	return []statement{d.compare(order[0].Field, operator, q.last)}
}

// walkEnd is the place at which a walk ended, nil if it did not.
func (q Query) walkEnd() ([]*string, error) {
	if q.last == nil {
		return nil, nil
	}

	return q.texts([]any{nil, q.last})
}
