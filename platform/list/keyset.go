package list

import "slices"

// position is a place in the order: between rows, just beside where a row is or was.
type position struct {
	texts []*string // of the sort keys and the id; nil is no value
	binds []any
	// closed says that a row at the place belongs to the page.
	closed bool
}

// remainingKeys returns the keys that still order the part, and the position among them.
func (q Query) remainingKeys() ([]key, *position) {
	if q.part != tail {
		return q.order, q.at
	}
	if q.at == nil {
		return q.order[1:], nil
	}

	return q.order[1:], &position{texts: q.at.texts[1:], binds: q.at.binds[1:], closed: q.at.closed}
}

// nullable reports whether rows of the part may lack a value for the key of number i.
func (q Query) nullable(k key, i int) bool { return k.Nullable && (i > 0 || q.part != valued) }

// descends tells the direction in which the part is read for a key.
func (q Query) descends(k key) bool { return k.desc != q.backward }

// beyond returns the condition for the rows from the position on, a row at the position included:
// whether it is there tells whether the page has something before it.
func (d dialect) beyond(q Query) []statement {
	order, at := q.remainingKeys()
	if at == nil {
		return nil
	}
	if q.uniform(order) {
		return []statement{d.rowFrom(q, order, at)}
	}

	return d.stepwise(q, order, at)
}

// uniform reports whether a comparison of whole rows says it: one direction, and no nulls.
func (q Query) uniform(order []key) bool {
	for i, k := range order {
		if q.nullable(k, i) || k.desc != order[0].desc {
			return false
		}
	}

	return true
}

// rowFrom compares whole rows, which both databases turn into the range of an index.
func (d dialect) rowFrom(q Query, order []key, at *position) statement {
	if len(order) == 1 {
		return d.compare(order[0].Field, q.onwardOperator(order[0]), at.binds[0])
	}
	operands := make([]statement, len(order))
	values := make([]statement, len(order))
	for i, k := range order {
		operands[i] = statement{d.operand(k.Field)}
		values[i] = d.value(k.Field, at.binds[i])
	}

	return slices.Concat(joinStatements(operands, ", "), statement{" ", q.onwardOperator(order[0]), " "}, joinStatements(values, ", "))
}

// stepwise spells the comparison out: further on by the first key, or the same in it and further on
// by the second, and so on. What has to hold for the first key alone is said again in front, for an
// index to serve it.
func (d dialect) stepwise(q Query, order []key, at *position) []statement {
	var all, same, steps []statement
	for i, k := range order {
		if step := d.step(q, i, k, at); step != nil {
			steps = append(steps, joinStatements(append(slices.Clone(same), step), " AND "))
		}
		same = append(same, d.same(k, at, i))
	}
	if at.texts[0] != nil && !q.nullable(order[0], 0) {
		all = append(all, d.compare(order[0].Field, q.onwardOperator(order[0]), at.binds[0]))
	}

	return append(all, joinStatements(append(steps, joinStatements(same, " AND ")), " OR "))
}

func (d dialect) same(k key, at *position, i int) statement {
	if at.texts[i] == nil {
		return d.null(k.Field, true)
	}

	return d.compare(k.Field, "=", at.binds[i])
}

// step returns the condition for being further on by one key, nil if nothing can be. Rows without a
// value come last, so going backward they come first.
func (d dialect) step(q Query, i int, k key, at *position) statement {
	switch {
	case at.texts[i] == nil && q.backward:
		return d.null(k.Field, false)
	case at.texts[i] == nil:
		return nil
	}
	operator := " > "
	if q.descends(k) {
		operator = " < "
	}
	step := append(statement{d.operand(k.Field), operator}, d.value(k.Field, at.binds[i])...)
	if q.nullable(k, i) && !q.backward {
		return d.orNull(k.Field, step)
	}

	return step
}

// onwardOperator is the operator for a key's value at the position and further on.
func (q Query) onwardOperator(k key) string {
	if q.descends(k) {
		return "<="
	}

	return ">="
}

// by returns the ORDER BY of the part.
func (d dialect) by(q Query) statement {
	order, _ := q.remainingKeys()
	var all []statement
	for i, k := range order {
		all = append(all, statement{d.operand(k.Field), q.direction(k, i)})
	}
	joined := joinStatements(all, ", ")

	return joined[1 : len(joined)-1]
}

// direction names the place of the nulls only where there can be some: an index that both databases
// read in either direction has no such place.
func (q Query) direction(k key, i int) string {
	direction := ""
	if q.descends(k) {
		direction = " DESC"
	}
	switch {
	case !q.nullable(k, i):
		return direction
	case q.backward:
		return direction + " NULLS FIRST"
	default:
		return direction + " NULLS LAST"
	}
}
