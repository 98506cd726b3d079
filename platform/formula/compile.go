package formula

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/expr-lang/expr/ast"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// Expr is a compiled part of a formula. run returns a value of the kind, or nil; its error is a
// Error.
type Expr struct {
	Kind Kind
	Run  func(e *Evaluation) (any, error)
}

// Names says what a name in a formula means: the kind of a field, and where its value is.
type Names func(name string) (Kind, int, error)

// compiler makes parts of the nodes of a formula, of which source is the text.
type compiler struct {
	names  Names
	source []rune
}

// Compile makes a formula ready, or says with an Error what is wrong with it.
func Compile(text string, n Names) (Expr, error) {
	node, err := parse(text)
	if err != nil {
		return Expr{}, err
	}

	return compiler{names: n, source: []rune(text)}.part(node)
}

func (c compiler) part(node ast.Node) (Expr, error) {
	switch n := node.(type) {
	case *ast.NilNode:
		return constant(Nil, nil), nil
	case *ast.BoolNode:
		return constant(Boolean, n.Value), nil
	case *ast.StringNode:
		return constant(Text, n.Value), nil
	case *ast.IntegerNode, *ast.FloatNode:
		return c.number(node)
	case *ast.IdentifierNode:
		return c.name(n.Value)
	case *ast.MemberNode:
		if own, is := ownName(n); is && own.to <= len(c.source) && string(c.source[own.from:own.to]) == own.text {
			return c.name(own.text)
		}
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

	return Expr{}, Error("has an expression that formulas do not support: " + naming.Shorten(node.String()) + ".")
}

func constant(kind Kind, value any) Expr {
	return Expr{kind, func(*Evaluation) (any, error) { return value, nil }}
}

var numberPattern = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// number takes the digits that were written: the parser has made a float of them.
func (c compiler) number(node ast.Node) (Expr, error) {
	at := node.Location()
	text := string(c.source[at.From:min(at.To, len(c.source))])
	number, _, err := apd.NewFromString(text)
	if err != nil || !numberPattern.MatchString(text) || len(text) > field.IntegerDigits+field.FractionDigits {
		return Expr{}, Error("has the number " + naming.Shorten(text) + ", which should be like 12 or 12.50.")
	}

	return constant(Number, number), nil
}

func (c compiler) name(name string) (Expr, error) {
	kind, at, err := c.names(name)
	if err != nil {
		return Expr{}, err
	}

	return Expr{kind, func(e *Evaluation) (any, error) { return e.Values[at], e.addWork(0) }}, nil
}

func (c compiler) unary(n *ast.UnaryNode) (Expr, error) {
	of, err := c.part(n.Node)
	if err != nil {
		return Expr{}, err
	}
	switch n.Operator {
	case "-", "+":
		if of.Kind == Number {
			return applyTo(Number, func(_ *Evaluation, v []any) (any, error) {
				number := v[0].(*apd.Decimal) //nolint:forcetypeassert // of its kind
				if n.Operator == "-" {
					number = new(apd.Decimal).Neg(number)
				}

				return number, nil
			}, of), nil
		}
	case "!", "not":
		if of.Kind == Boolean {
			return applyTo(Boolean, func(_ *Evaluation, v []any) (any, error) { return v[0] != true, nil }, of), nil
		}
	}

	return Expr{}, Error(fmt.Sprintf("has %s before a %s.", n.Operator, of.Kind))
}

// applyTo is a part that is nothing if one of its operands is, and else made of them.
func applyTo(kind Kind, of func(e *Evaluation, v []any) (any, error), operands ...Expr) Expr {
	return Expr{kind, func(e *Evaluation) (any, error) {
		values := make([]any, len(operands))
		for i, operand := range operands {
			value, err := operand.Run(e)
			if err != nil || value == nil {
				return nil, err
			}
			values[i] = value
		}
		if err := e.addWork(textsIn(values)); err != nil {
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

func (c compiler) conditional(n *ast.ConditionalNode) (Expr, error) {
	parts, err := c.parts(n.Cond, n.Exp1, n.Exp2)
	if err != nil {
		return Expr{}, err
	}
	if parts[0].Kind != Boolean {
		return Expr{}, Error("must have a condition, not a " + string(parts[0].Kind) + ".")
	}
	kind, ok := commonKind(parts[1:])
	if !ok {
		return Expr{}, Error(fmt.Sprintf("is a %s or a %s: it must be one of them.", parts[1].Kind, parts[2].Kind))
	}

	return Expr{kind, func(e *Evaluation) (any, error) {
		holds, err := parts[0].Run(e)
		if err != nil {
			return nil, err
		}
		if holds == true {
			return parts[1].Run(e)
		}

		return parts[2].Run(e)
	}}, nil
}

func (c compiler) parts(nodes ...ast.Node) ([]Expr, error) {
	parts := make([]Expr, len(nodes))
	for i, node := range nodes {
		var err error
		if parts[i], err = c.part(node); err != nil {
			return nil, err
		}
	}

	return parts, nil
}

// commonKind returns the kind that parts have in common; nil goes with every kind.
func commonKind(parts []Expr) (Kind, bool) {
	kind := Nil
	for _, p := range parts {
		switch {
		case p.Kind == Nil:
		case kind == Nil:
			kind = p.Kind
		case kind != p.Kind:
			return "", false
		}
	}

	return kind, true
}

// call compiles the call of a function.
func (c compiler) call(name string, arguments []ast.Node) (Expr, error) {
	parts, err := c.parts(arguments...)
	if err != nil {
		return Expr{}, err
	}
	if name == "coalesce" {
		return firstOf(parts)
	}
	var known []string
	for _, f := range functions() {
		if f.name == name && f.accepts(parts) {
			return applyTo(f.gives, f.run, parts...), nil
		}
		if f.name == name {
			return Expr{}, Error(fmt.Sprintf("must call %s.", f.usage()))
		}
		known = append(known, f.name)
	}
	slices.Sort(known)

	return Expr{}, Error("calls " + naming.Shorten(name) + ", which is no function. There are coalesce, " +
		strings.Join(slices.Compact(known), ", ") + "." + conditionHint(name))
}

// firstOf is the first of some values that is there.
func firstOf(parts []Expr) (Expr, error) {
	kind, ok := commonKind(parts)
	if !ok || len(parts) == 0 {
		return Expr{}, Error("must give coalesce, or ??, values of one kind.")
	}

	return Expr{kind, func(e *Evaluation) (any, error) {
		for _, p := range parts {
			if value, err := p.Run(e); err != nil || value != nil {
				return value, err
			}
		}

		return nil, nil //nolint:nilnil // no value
	}}, nil
}
