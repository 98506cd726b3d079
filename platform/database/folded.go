package database

import (
	"database/sql/driver"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"
)

// FoldText returns a text as searches compare it: without case, accents and width.
func FoldText(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(text) // what follows comes to the same, a lot slower
	}

	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}

		return r
	}, cases.Fold().String(norm.NFKD.String(text)))
}

// FoldedColumn returns the SQL of what FoldText makes of the text that expr is. PostgreSQL lowers where FoldText folds:
// a few letters, such as the German ß, are found there only as they are written.
func (d Dialect) FoldedColumn(expr string) string {
	if d == Postgres {
		return `lower(regexp_replace(normalize(` + expr + `, NFKD), '[\u0300-\u036f]', '', 'g') COLLATE "default")`
	}

	return "folded(" + expr + ")"
}

// The driver keeps its functions for the whole program, and refuses one that is there already.
var registerFolded = sync.OnceValue(func() error {
	return sqlite.RegisterDeterministicScalarFunction("folded", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		if text, ok := args[0].(string); ok {
			return FoldText(text), nil
		}

		return args[0], nil
	})
})
