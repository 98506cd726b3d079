// Package moving has the references that follow an item which is replaced by another one: which are to move, and which moved.
package moving

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Moving selects references: those to the item From of a type change to the item To.
type Moving struct {
	Type     string
	From, To uuid.UUID
	// Only are the selected rows, as an earlier move returned them; nil is all.
	Only []Moved
}

// Moved are rows of which a reference has moved.
type Moved struct {
	// Of is the item type of the rows, or their table (Pointer), and By the reference: the key or the UUID of a field, or a column.
	Of   string      `json:"of"`
	By   string      `json:"by"`
	Rows []uuid.UUID `json:"rows"`
}

const (
	// Most bounds the rows of one reference that one move changes, which is one transaction.
	Most = 5_000
	// Together is the number of rows that are stored at once.
	Together = 250
)

// ErrTooMany reports that a transaction would become too large.
var ErrTooMany = errs.New(errs.Conflict, "resource.too_many_references",
	fmt.Sprintf("More than %d rows of one kind refer to the item that would be replaced. Keep that item, and replace the other one by it.", Most))

// ErrTaken reports that a unique field of one row would name the item that another row names already.
var ErrTaken = errs.New(errs.Conflict, "resource.reference_taken",
	"Two rows with the same unique field refer to the two items. Change the field of one of them, or delete it.")

// Among returns the rows of a reference that are to move; all is true for every row that has it.
func (m Moving) Among(of, by string) (ids []uuid.UUID, all bool) {
	for _, one := range m.Only {
		if one.Of == of && one.By == by {
			ids = append(ids, one.Rows...)
		}
	}

	return ids, m.Only == nil
}

// Pointer is a table whose rows name items of any type by two columns.
type Pointer struct{ Table, TypeColumn, IDColumn string }

// Move moves the references of the table, and returns their rows.
func (p Pointer) Move(ctx context.Context, db *database.DB, m Moving) (ids []uuid.UUID, err error) {
	only, all := m.Among(p.Table, p.IDColumn)
	if !all && len(only) == 0 {
		return nil, nil
	}
	where, args := "", []any{m.To, principal.CompanyOf(ctx), m.Type, m.From}
	if !all {
		among, value := db.Dialect().AmongIDs("id", only)
		where, args = " AND "+among, append(args, value)
	}
	err = db.Raw(ctx, "tables that areas have named; the company is bound").Raw("UPDATE "+p.Table+" SET "+p.IDColumn+" = ? WHERE company_id = ? AND "+
		p.TypeColumn+" = ? AND "+p.IDColumn+" = ?"+where+" RETURNING id", args...).Scan(&ids).Error

	return ids, database.Translate(err)
}
