package custommodules

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Bounds of a formula: they, and the budget of a record (see workPerRecord), keep the time and the memory
// that a write takes within bounds, whatever a company writes.
const (
	mostFormulaText  = 1_000
	mostFormulaNodes = 100
	mostFormulas     = 50
)

// formulaError says what is wrong with a formula, so that "The formula " may stand before it.
type formulaError string

// Error implements error.
func (e formulaError) Error() string { return string(e) }

// parseFormula reads a formula in the syntax of expr-lang. Of that, what loops, and what makes functions,
// lists that are not written out, or variables, is refused when the formula is compiled.
func parseFormula(text string) (ast.Node, error) {
	switch {
	case text == "":
		return nil, formulaError("is required.")
	case utf8.RuneCountInString(text) > mostFormulaText:
		return nil, formulaError(fmt.Sprintf("must not be longer than %d characters.", mostFormulaText))
	}
	tree, err := parser.ParseWithConfig(text, &conf.Config{MaxNodes: mostFormulaNodes})
	if wrong, ok := errors.AsType[*file.Error](err); ok {
		return nil, formulaError(fmt.Sprintf("cannot be read at character %d: %s.", wrong.Column+1, shortenText(wrong.Message)))
	}
	if err != nil {
		return nil, formulaError("cannot be read.")
	}

	return tree.Node, nil
}

// identifiers collects the names in a formula and where they stand, in characters.
type identifiers struct{ all []*ast.IdentifierNode }

// Visit implements ast.Visitor.
func (v *identifiers) Visit(node *ast.Node) {
	if name, ok := (*node).(*ast.IdentifierNode); ok {
		v.all = append(v.all, name)
	}
}

// namesIn returns the names in a formula, each once; none of one that cannot be read.
func namesIn(text string) []string {
	node, err := parseFormula(text)
	if err != nil {
		return nil
	}
	var found identifiers
	ast.Walk(&node, &found)
	var names []string
	for _, name := range found.all {
		names = append(names, name.Value)
	}
	slices.Sort(names)

	return slices.Compact(names)
}

// renamedIn returns a formula with another name for a field.
func renamedIn(text, from, to string) string {
	node, err := parseFormula(text)
	if err != nil {
		return text
	}
	var found identifiers
	ast.Walk(&node, &found)
	slices.SortFunc(found.all, func(a, b *ast.IdentifierNode) int { return b.Location().From - a.Location().From })
	runes := []rune(text)
	for _, name := range found.all {
		at := name.Location()
		if name.Value == from && at.To <= len(runes) && string(runes[at.From:at.To]) == from {
			runes = slices.Concat(runes[:at.From], []rune(to), runes[at.To:])
		}
	}

	return string(runes)
}
