package formula

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/dispatchd/dispatchd/platform/naming"
)

// Bounds of a formula: they, and the budget of a record (see workPerRecord), keep the time and the memory
// that a write takes within bounds, whatever a company writes.
const (
	mostText  = 1_000
	mostNodes = 100
)

// Error says what is wrong with a formula, so that "The formula " may stand before it.
type Error string

// Error implements error.
func (e Error) Error() string { return string(e) }

// parse reads a formula in the syntax of expr-lang. Of that, what loops, and what makes functions,
// lists that are not written out, or variables, is refused when the formula is compiled.
func parse(text string) (ast.Node, error) {
	switch {
	case text == "":
		return nil, Error("is required.")
	case utf8.RuneCountInString(text) > mostText:
		return nil, Error(fmt.Sprintf("must not be longer than %d characters.", mostText))
	}
	tree, err := parser.ParseWithConfig(text, &conf.Config{MaxNodes: mostNodes})
	if wrong, ok := errors.AsType[*file.Error](err); ok {
		return nil, Error(fmt.Sprintf("cannot be read at character %d: %s.", wrong.Column+1, unreadable(wrong.Message)) + conditionHint(text))
	}
	if err != nil {
		return nil, Error("cannot be read." + conditionHint(text))
	}

	return tree.Node, nil
}

// unreadable is what the parser says, without the names of functions of Go.
func unreadable(message string) string {
	if strings.Contains(message, "strconv.") {
		return "a number has too many digits, or a wrong one"
	}

	return naming.ShortenText(message)
}

var conditionCall = regexp.MustCompile(`(?i)\b(if|iif|ifs|when|case|switch)\b`)

// conditionHint shows how a condition is written to who has tried it as in a spreadsheet or in SQL.
func conditionHint(text string) string {
	if !conditionCall.MatchString(text) {
		return ""
	}

	return ` A condition is written with ? and :, such as price > 100 ? "dear" : "cheap".`
}

// identifiers collects the names in a formula and where they stand, in characters.
type identifiers struct{ all []*ast.IdentifierNode }

// Visit implements ast.Visitor.
func (v *identifiers) Visit(node *ast.Node) {
	if name, ok := (*node).(*ast.IdentifierNode); ok {
		v.all = append(v.all, name)
	}
}

// NamesIn returns the names in a formula, each once; none of one that cannot be read.
func NamesIn(text string) []string {
	node, err := parse(text)
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

// Rename returns a formula with another name for a field.
func Rename(text, from, to string) string {
	node, err := parse(text)
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
