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
		return nil, Error(fmt.Sprintf("cannot be read at character %d: %s.", wrong.Column+1, parserMessage(wrong.Message)) + conditionHint(text))
	}
	if err != nil {
		return nil, Error("cannot be read." + conditionHint(text))
	}

	return tree.Node, nil
}

// parserMessage is what the parser says, without the names of functions of Go.
func parserMessage(message string) string {
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

// Own is what stands before the key of a field that a company has added to the rows of an area, as in custom.gate_code.
const Own = "custom."

// name is a name in a formula, and where it stands, in characters.
type name struct {
	text     string
	from, to int
}

// names collects the names in a formula.
type names struct{ all []name }

// Visit implements ast.Visitor.
func (v *names) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		v.all = append(v.all, name{n.Value, n.Location().From, n.Location().To})
	case *ast.MemberNode: // comes after its parts
		if one, is := ownName(n); is {
			v.all[len(v.all)-1] = one
		}
	}
}

// ownName is the name of an own field, false for another member of something.
func ownName(n *ast.MemberNode) (name, bool) {
	of, identifies := n.Node.(*ast.IdentifierNode)
	key, named := n.Property.(*ast.StringNode)
	if !identifies || !named || of.Value+"." != Own {
		return name{}, false
	}

	return name{Own + key.Value, of.Location().From, key.Location().To}, true
}

// NamesIn returns the names in a formula, each once; none of one that cannot be read.
func NamesIn(text string) []string {
	node, err := parse(text)
	if err != nil {
		return nil
	}
	var found names
	ast.Walk(&node, &found)
	var all []string
	for _, one := range found.all {
		all = append(all, one.text)
	}
	slices.Sort(all)

	return slices.Compact(all)
}

// Rename returns a formula with another name for a field.
func Rename(text, from, to string) string {
	node, err := parse(text)
	if err != nil {
		return text
	}
	var found names
	ast.Walk(&node, &found)
	slices.SortFunc(found.all, func(a, b name) int { return b.from - a.from })
	runes := []rune(text)
	for _, one := range found.all {
		if one.text == from && one.to <= len(runes) && string(runes[one.from:one.to]) == from {
			runes = slices.Concat(runes[:one.from], []rune(to), runes[one.to:])
		}
	}

	return string(runes)
}
