package list

import (
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

func dialectOf(tx *gorm.DB) dialect { return dialect{postgres: tx.Name() == "postgres"} }

// Apply adds the conditions, the order and the limit of the page to a statement. The limit is
// larger than the page: NewPage takes off the row that shows that there are more, and the row at the
// cursor, which shows that there are some before. A page before a cursor is read backward. Find
// does all of that.
func (q Query) Apply(tx *gorm.DB) *gorm.DB {
	d := dialectOf(tx)
	tx = q.filter(tx, q.order, q.leads())
	q = q.led()
	for _, condition := range slices.Concat(d.segment(q), d.beyond(q), d.until(q)) {
		tx = tx.Where(condition)
	}

	return tx.Clauses(clause.OrderBy{Expression: d.by(q)}).Limit(q.limit())
}

// filter adds the conditions that rows of all pages meet, and the tables that these and some keys need.
func (q Query) filter(tx *gorm.DB, order []key, led bool) *gorm.DB {
	if q.within != nil {
		tx = q.within(tx, led)
	}
	tx = q.joined(tx, order)
	for _, condition := range dialectOf(tx).where(q) {
		tx = tx.Where(condition)
	}

	return tx
}

func (q Query) limit() int {
	if q.at != nil && !q.at.closed {
		return q.perPage + 2
	}

	return q.perPage + 1
}
