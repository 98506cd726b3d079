package list

import (
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// TotalKind says how a total is meant.
type TotalKind string

// The kinds of totals.
const (
	TotalExact    TotalKind = "exact"
	TotalEstimate TotalKind = "estimate" // the planner's guess
	TotalAtLeast  TotalKind = "at_least" // there are more
)

var errNoPlan = errors.New("list: the database returned no plan")

// total fills in the total that the request asks for.
func (q Query) total(tx *gorm.DB, meta *Meta) error {
	var n int64
	var err error
	switch q.count {
	case CountExact:
		meta.TotalKind = TotalExact
		n, err = q.Count(tx)
	case CountEstimate:
		n, meta.TotalKind, err = q.Estimate(tx)
	default:
		return nil
	}
	meta.Total = &n

	return err
}

// Count counts the rows of all pages. The statement has its model (gorm.DB.Model); what it selects
// does not matter.
func (q Query) Count(tx *gorm.DB) (int64, error) {
	var n int64

	return n, q.filter(tx, nil, false).Select("count(*)").Find(&n).Error
}

// Estimate tells about how many rows all pages have. It counts, but no further than MaxEstimated;
// beyond, it is PostgreSQL's planner that guesses, and on SQLite the answer is TotalAtLeast. The
// statement has its model (gorm.DB.Model).
func (q Query) Estimate(tx *gorm.DB) (int64, TotalKind, error) {
	tx = tx.Session(&gorm.Session{})
	var n int64
	bounded := q.filter(tx, nil, false).Select("1").Limit(MaxEstimated + 1).Clauses(
		around{before: statement{"SELECT count(*) FROM ("}, after: statement{") AS bounded"}})
	if err := bounded.Find(&n).Error; err != nil || n <= MaxEstimated {
		return n, TotalExact, err
	}
	if !dialectOf(tx).postgres {
		return MaxEstimated, TotalAtLeast, nil
	}
	guess, err := q.planned(tx)

	return max(guess, MaxEstimated), TotalEstimate, err
}

// planned returns how many rows PostgreSQL's planner expects.
func (q Query) planned(tx *gorm.DB) (int64, error) {
	var text string
	explain := around{before: statement{"EXPLAIN (FORMAT JSON)"}}
	if err := q.filter(tx, nil, false).Select("1").Clauses(explain).Find(&text).Error; err != nil {
		return 0, err
	}
	var plans []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
		} `json:"Plan"`
	}
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		return 0, fmt.Errorf("list: plan: %w", err)
	}
	if len(plans) == 0 {
		return 0, errNoPlan
	}

	return int64(plans[0].Plan.Rows), nil
}

// around puts SQL before and after a SELECT. It goes through GORM's own query, so that what the
// database package adds to every statement is added to this one.
type around struct{ before, after statement }

// Build implements clause.Expression, as gorm.DB.Clauses asks; ModifyStatement does the work.
func (around) Build(clause.Builder) {}

// ModifyStatement implements gorm.StatementModifier. The FOR clause is the last of a SELECT.
func (a around) ModifyStatement(s *gorm.Statement) {
	head := s.Clauses["SELECT"]
	head.BeforeExpression = a.before
	s.Clauses["SELECT"] = head
	if a.after != nil {
		s.Clauses["FOR"] = clause.Clause{Expression: a.after}
	}
}
