package custommodules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/expr-lang/expr/ast"
)

// part is a compiled part of a formula. run returns a value of the kind, or nil; its error is a
// formulaError.
type part struct {
	kind formulaKind
	run  func(e *evaluation) (any, error)
}

// names says what a name in a formula means: the kind of a field, and where its value is.
type names func(name string) (formulaKind, int, error)

// compiler makes parts of the nodes of a formula, of which source is the text.
type compiler struct {
	names  names
	source []rune
}

// compileFormula makes a formula ready, or says with a formulaError what is wrong with it.
func compileFormula(text string, n names) (part, error) {
	node, err := parseFormula(text)
	if err != nil {
		return part{}, err
	}

	return compiler{names: n, source: []rune(text)}.part(node)
}

func (c compiler) part(node ast.Node) (part, error) {
	switch n := node.(type) {
	case *ast.NilNode:
		return constant(nilKind, nil), nil
	case *ast.BoolNode:
		return constant(booleanKind, n.Value), nil
	case *ast.StringNode:
		return constant(textKind, n.Value), nil
	case *ast.IntegerNode, *ast.FloatNode:
		return c.number(node)
	case *ast.IdentifierNode:
		return c.name(n.Value)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
			return c.call(callee.Value, n.Arguments)
		}
	case *ast.BuiltinNode:
		return c.call(n.Name, n.Arguments)
	}

	return part{}, formulaError("has something that formulas do not have: " + shorten(node.String()) + ".")
}

func constant(kind formulaKind, value any) part {
	return part{kind, func(*evaluation) (any, error) { return value, nil }}
}

var formulaNumber = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// number takes the digits that were written: the parser has made a float of them.
func (c compiler) number(node ast.Node) (part, error) {
	at := node.Location()
	text := string(c.source[at.From:min(at.To, len(c.source))])
	number, _, err := apd.NewFromString(text)
	if err != nil || !formulaNumber.MatchString(text) || len(text) > integerDigits+fractionDigits {
		return part{}, formulaError("has the number " + shorten(text) + ", which should be like 12 or 12.50.")
	}

	return constant(numberKind, number), nil
}

func (c compiler) name(name string) (part, error) {
	kind, at, err := c.names(name)
	if err != nil {
		return part{}, err
	}

	return part{kind, func(e *evaluation) (any, error) { return e.values[at], e.spend(0) }}, nil
}

func (c compiler) unary(n *ast.UnaryNode) (part, error) {
	of, err := c.part(n.Node)
	if err != nil {
		return part{}, err
	}
	switch n.Operator {
	case "-", "+":
		if of.kind == numberKind {
			return applied(numberKind, func(_ *evaluation, v []any) (any, error) {
				number := v[0].(*apd.Decimal) //nolint:forcetypeassert // of its kind
				if n.Operator == "-" {
					number = new(apd.Decimal).Neg(number)
				}

				return number, nil
			}, of), nil
		}
	case "!", "not":
		if of.kind == booleanKind {
			return applied(booleanKind, func(_ *evaluation, v []any) (any, error) { return v[0] != true, nil }, of), nil
		}
	}

	return part{}, formulaError(fmt.Sprintf("has %s before a %s.", n.Operator, of.kind))
}

// applied is a part that is nothing if one of its operands is, and else made of them.
func applied(kind formulaKind, of func(e *evaluation, v []any) (any, error), operands ...part) part {
	return part{kind, func(e *evaluation) (any, error) {
		values := make([]any, len(operands))
		for i, operand := range operands {
			value, err := operand.run(e)
			if err != nil || value == nil {
				return nil, err
			}
			values[i] = value
		}
		if err := e.spend(textsIn(values)); err != nil {
			return nil, err
		}

		return of(e, values)
	}}
}

// textsIn is how many bytes of text there are to work on.
func textsIn(values []any) (size int) {
	for _, value := range values {
		if text, ok := value.(string); ok {
			size += len(text)
		}
	}

	return size
}

func (c compiler) conditional(n *ast.ConditionalNode) (part, error) {
	parts, err := c.parts(n.Cond, n.Exp1, n.Exp2)
	if err != nil {
		return part{}, err
	}
	if parts[0].kind != booleanKind {
		return part{}, formulaError("asks for a condition, and has a " + string(parts[0].kind) + ".")
	}
	kind, ok := common(parts[1:])
	if !ok {
		return part{}, formulaError(fmt.Sprintf("is a %s or a %s: it must be one of them.", parts[1].kind, parts[2].kind))
	}

	return part{kind, func(e *evaluation) (any, error) {
		holds, err := parts[0].run(e)
		if err != nil {
			return nil, err
		}
		if holds == true {
			return parts[1].run(e)
		}

		return parts[2].run(e)
	}}, nil
}

func (c compiler) parts(nodes ...ast.Node) ([]part, error) {
	parts := make([]part, len(nodes))
	for i, node := range nodes {
		var err error
		if parts[i], err = c.part(node); err != nil {
			return nil, err
		}
	}

	return parts, nil
}

// common returns the kind that parts have in common; nil goes with every kind.
func common(parts []part) (formulaKind, bool) {
	kind := nilKind
	for _, p := range parts {
		switch {
		case p.kind == nilKind:
		case kind == nilKind:
			kind = p.kind
		case kind != p.kind:
			return "", false
		}
	}

	return kind, true
}

// call compiles the call of a function.
func (c compiler) call(name string, arguments []ast.Node) (part, error) {
	parts, err := c.parts(arguments...)
	if err != nil {
		return part{}, err
	}
	if name == "coalesce" {
		return firstOf(parts)
	}
	var known []string
	for _, f := range formulaFunctions() {
		if f.name == name && f.takes(parts) {
			return applied(f.gives, f.run, parts...), nil
		}
		if f.name == name {
			return part{}, formulaError(fmt.Sprintf("must call %s.", f.usage()))
		}
		known = append(known, f.name)
	}
	slices.Sort(known)

	return part{}, formulaError("calls " + shorten(name) + ", which is no function. There are coalesce, " +
		strings.Join(slices.Compact(known), ", ") + ".")
}

// firstOf is the first of some values that is there.
func firstOf(parts []part) (part, error) {
	kind, ok := common(parts)
	if !ok || len(parts) == 0 {
		return part{}, formulaError("must give coalesce, or ??, values of one kind.")
	}

	return part{kind, func(e *evaluation) (any, error) {
		for _, p := range parts {
			if value, err := p.run(e); err != nil || value != nil {
				return value, err
			}
		}

		return nil, nil //nolint:nilnil // no value
	}}, nil
}
