package definition

import (
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// RolledUp is what a rollup comes to, while the records are gone through.
type RolledUp struct {
	rollup *Rollup
	// of and where are the fields of those records, nil for none; in are the keys that where may have.
	Of, Where *ModuleField
	in        []string

	count  int64
	sum    apd.Decimal
	best   any
	failed bool
}

// NewRolledUp begins a rollup over the records of a definition.
func NewRolledUp(r *Rollup, over *Definition) *RolledUp {
	u := &RolledUp{rollup: r}
	if r.Field != nil {
		u.Of = over.FieldByID(*r.Field)
		u.failed = u.Of == nil
	}
	if r.WhereField != nil {
		if u.Where = over.FieldByID(*r.WhereField); u.Where == nil {
			u.failed = true

			return u
		}
		for _, text := range r.WhereIn {
			if key, err := u.Where.Values.Comparable(text); err == nil {
				u.in = append(u.in, fmt.Sprint(key))
			}
		}
	}

	return u
}

// AddRecord adds a record, by the values of the two fields.
func (u *RolledUp) AddRecord(of, where []byte) {
	if u.failed || u.Where != nil && !u.counts(where) {
		return
	}
	if u.Of == nil {
		u.count++

		return
	}
	v := u.Of.FormulaValue(of)
	if v == nil {
		return
	}
	u.count++
	switch u.rollup.Function {
	case "sum", "average":
		if number, ok := v.(*apd.Decimal); ok {
			if _, err := formula.Arithmetic().Add(&u.sum, &u.sum, number); err != nil {
				u.failed = true
			}
		}
	case "latest":
		u.best = v
	case "min":
		u.keep(v, -1)
	case "max":
		u.keep(v, 1)
	}
}

func (u *RolledUp) counts(where []byte) bool {
	if len(rawjson.OrNothing(where)) == 0 {
		return false
	}

	return slices.Contains(u.in, fmt.Sprint(u.Where.Kept(where).Key))
}

func (u *RolledUp) keep(v any, sign int) {
	if u.best == nil || compareValues(v, u.best) == sign {
		u.best = v
	}
}

// compareValues orders two values of the same kind: numbers, days and moments.
func compareValues(a, b any) int {
	switch a := a.(type) {
	case *apd.Decimal:
		if b, ok := b.(*apd.Decimal); ok {
			return a.Cmp(b)
		}
	case time.Time:
		if b, ok := b.(time.Time); ok {
			return a.Compare(b)
		}
	case string:
		if b, ok := b.(string); ok {
			return momentOf(a).Compare(momentOf(b))
		}
	}

	return 0
}

// momentOf reads a date with a time, with a zone or without.
func momentOf(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, time.DateTime} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}

	return time.Time{}
}

// Value is what the rollup came to.
func (u *RolledUp) Value() field.Value {
	if u.failed {
		return field.Value{}
	}
	switch u.rollup.Function {
	case "count":
		return u.rollup.render(apd.New(u.count, 0))
	case "sum":
		return u.rollup.render(&u.sum)
	case "average":
		if u.count == 0 {
			return field.Value{}
		}
		var quotient apd.Decimal
		if _, err := formula.Arithmetic().Quo(&quotient, &u.sum, apd.New(u.count, 0)); err != nil {
			return field.Value{}
		}

		return u.rollup.render(&quotient)
	default:
		return u.rollup.render(u.best)
	}
}

// ofNothing is what a rollup comes to for a record to which none refers.
func (r *Rollup) ofNothing() field.Value {
	u := RolledUp{rollup: r}

	return u.Value()
}

// Rollups are the positions of the fields that are rollups by one of some references, of all with none.
func (d *Definition) Rollups(references ...uuid.UUID) []int {
	var at []int
	for i, f := range d.Fields {
		if r, ok := f.Values.(*Rollup); ok && (len(references) == 0 || slices.Contains(references, r.Reference)) {
			at = append(at, i)
		}
	}

	return at
}
