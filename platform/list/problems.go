package list

import (
	"fmt"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of lists, all 422.
var (
	// ErrInvalidQuery is a query that a list does not understand; its fields are the query keys.
	ErrInvalidQuery = errs.New(errs.Invalid, "list.invalid_query", "The query is not valid for this list.")
	// ErrCursorInvalid is a cursor that no page gave out.
	ErrCursorInvalid = errs.New(errs.Invalid, "list.cursor_invalid",
		"The cursor is not valid. Use next_cursor or prev_cursor from the meta of a page, unchanged.")
	// ErrCursorMismatch is a cursor of another list, filter, sort or search.
	ErrCursorMismatch = errs.New(errs.Invalid, "list.cursor_mismatch",
		"The cursor belongs to a list with another filter, sort or search. Start again without a cursor.")
	// ErrKeyTooLong is a sort by values too long for a cursor.
	ErrKeyTooLong = errs.New(errs.Invalid, "list.key_too_long",
		"The rows cannot be paged in this order: values to sort by are too long.")
)

// ErrTooManyGroups is a key of which there are more values than one answer has.
var ErrTooManyGroups = errs.New(errs.Invalid, "list.too_many_groups", "There are too many groups for one answer.")

// ErrMixedCurrencies is a sum of amounts in several currencies.
var ErrMixedCurrencies = errs.New(errs.Invalid, "list.mixed_currencies", "Amounts in several currencies cannot be added up.")

// GroupErrors returns the failures of an operation that answers with groups, for its declaration.
var GroupErrors = []*errs.Error{ErrInvalidQuery, ErrTooManyGroups, ErrMixedCurrencies}

// Errors returns the failures of an operation that answers with a list, for its declaration.
var Errors = []*errs.Error{ErrInvalidQuery, ErrCursorInvalid, ErrCursorMismatch, ErrKeyTooLong}

// problems collects what is wrong with a query, so that it is said all at once.
type problems struct {
	found *errs.Error
}

// add notes what is wrong about a query key.
func (p *problems) add(key, format string, args ...any) {
	if p.found == nil {
		p.found = ErrInvalidQuery
	}
	p.found = p.found.WithField(key, fmt.Sprintf(format, args...))
}

func (p *problems) err() error {
	if p.found == nil {
		return nil
	}

	return p.found
}
