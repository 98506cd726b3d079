package formula

import (
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/expr-lang/expr/ast"
)

func (c compiler) binary(n *ast.BinaryNode) (Expr, error) {
	if n.Operator == "in" {
		return c.membership(n)
	}
	parts, err := c.parts(n.Left, n.Right)
	if err != nil {
		return Expr{}, err
	}
	left, right := parts[0], parts[1]
	kind, same := commonKind(parts)
	switch n.Operator {
	case "??":
		return firstOf(parts)
	case "and", "&&", "or", "||":
		if left.Kind == Boolean && right.Kind == Boolean {
			return logical(n.Operator, left, right), nil
		}
	case "==", "!=":
		if same {
			return equality(n.Operator == "==", left, right), nil
		}
	case "<", "<=", ">", ">=":
		if same && kind != Boolean && left.Kind == right.Kind && kind != Nil {
			return comparison(n.Operator, left, right), nil
		}
	case "contains", "startsWith", "endsWith":
		if left.Kind == Text && right.Kind == Text {
			return textTest(n.Operator, left, right), nil
		}
	case "+", "-", "*", "/", "%":
		if made, ok := arithmetic(n.Operator, left, right); ok {
			return made, nil
		}
	default:
		return Expr{}, Error("has the operator " + n.Operator + ", which formulas do not support.")
	}

	return Expr{}, Error(fmt.Sprintf("has %s between a %s and a %s.", n.Operator, left.Kind, right.Kind))
}

// membership asks whether a value is one of a list that is written out.
func (c compiler) membership(n *ast.BinaryNode) (Expr, error) {
	list, ok := n.Right.(*ast.ArrayNode)
	if !ok || len(list.Nodes) == 0 {
		return Expr{}, Error(`must have a list after in: ["a", "b"].`)
	}
	parts, err := c.parts(append([]ast.Node{n.Left}, list.Nodes...)...)
	if err != nil {
		return Expr{}, err
	}
	if kind, same := commonKind(parts); !same || kind == Nil {
		return Expr{}, Error("must have values of one kind before and after in.")
	}

	return Expr{Boolean, func(e *Evaluation) (any, error) {
		value, err := parts[0].Run(e)
		for _, other := range parts[1:] {
			if err != nil || value == nil {
				break
			}
			var one any
			if one, err = other.Run(e); err == nil && one != nil && order(value, one) == 0 {
				return true, e.addWork(textsIn([]any{one}))
			}
		}

		return false, err
	}}, nil
}

// logical is and or or. What is not there is false.
func logical(operator string, left, right Expr) Expr {
	decides := operator == "or" || operator == "||"

	return Expr{Boolean, func(e *Evaluation) (any, error) {
		first, err := left.Run(e)
		if err != nil || (first == true) == decides {
			return decides, err
		}
		second, err := right.Run(e)

		return second == true, err
	}}
}

// equality is always true or false: nothing is equal to nothing.
func equality(want bool, left, right Expr) Expr {
	return Expr{Boolean, func(e *Evaluation) (any, error) {
		a, err := left.Run(e)
		if err != nil {
			return nil, err
		}
		b, err := right.Run(e)
		if err != nil {
			return nil, err
		}
		if a == nil || b == nil {
			return (a == nil && b == nil) == want, nil
		}

		return (order(a, b) == 0) == want, e.addWork(textsIn([]any{a, b}))
	}}
}

func comparison(operator string, left, right Expr) Expr {
	return applyTo(Boolean, func(_ *Evaluation, v []any) (any, error) {
		sign := order(v[0], v[1])
		switch operator {
		case "<":
			return sign < 0, nil
		case "<=":
			return sign <= 0, nil
		case ">":
			return sign > 0, nil
		default:
			return sign >= 0, nil
		}
	}, left, right)
}

// order compares two values of one kind; false comes before true.
func order(a, b any) int {
	switch x := a.(type) {
	case *apd.Decimal:
		y, _ := b.(*apd.Decimal)

		return x.Cmp(y)
	case time.Time:
		y, _ := b.(time.Time)

		return x.Compare(y)
	case string:
		y, _ := b.(string)

		return strings.Compare(x, y)
	}
	if a == b {
		return 0
	}
	if a == true {
		return 1
	}

	return -1
}

func textTest(operator string, left, right Expr) Expr {
	return applyTo(Boolean, func(_ *Evaluation, v []any) (any, error) {
		text, of := v[0].(string), v[1].(string) //nolint:forcetypeassert // of their kind
		switch operator {
		case "contains":
			return strings.Contains(text, of), nil
		case "startsWith":
			return strings.HasPrefix(text, of), nil
		default:
			return strings.HasSuffix(text, of), nil
		}
	}, left, right)
}

// arithmetic is what + - * / and % do; false for kinds that they do not go between.
func arithmetic(operator string, left, right Expr) (Expr, bool) {
	switch {
	case left.Kind == Number && right.Kind == Number:
		return applyTo(Number, func(_ *Evaluation, v []any) (any, error) {
			return calculate(operator, v[0].(*apd.Decimal), v[1].(*apd.Decimal)) //nolint:forcetypeassert // of their kind
		}, left, right), true
	case operator == "+" && left.Kind == Text && right.Kind == Text:
		return applyTo(Text, func(_ *Evaluation, v []any) (any, error) {
			text := v[0].(string) + v[1].(string) //nolint:forcetypeassert // of their kind
			if len(text) > longestMade {
				return nil, Error("the text is too long")
			}

			return text, nil
		}, left, right), true
	case operator == "-" && left.Kind == Date && right.Kind == Date:
		return applyTo(Number, func(_ *Evaluation, v []any) (any, error) {
			days := v[0].(time.Time).Sub(v[1].(time.Time)) / (24 * time.Hour) //nolint:forcetypeassert // of their kind

			return apd.New(int64(days), 0), nil
		}, left, right), true
	case (operator == "+" || operator == "-") && left.Kind == Date && right.Kind == Number:
		return applyTo(Date, func(_ *Evaluation, v []any) (any, error) {
			return movedBy(operator, v[0].(time.Time), v[1].(*apd.Decimal)) //nolint:forcetypeassert // of their kind
		}, left, right), true
	default:
		return Expr{}, false
	}
}

// calculate does the arithmetic of two numbers.
func calculate(operator string, a, b *apd.Decimal) (any, error) {
	var made apd.Decimal
	var err error
	context := Arithmetic()
	switch operator {
	case "+":
		_, err = context.Add(&made, a, b)
	case "-":
		_, err = context.Sub(&made, a, b)
	case "*":
		_, err = context.Mul(&made, a, b)
	case "/", "%":
		if b.IsZero() {
			return nil, Error("a number is divided by zero")
		}
		if operator == "%" {
			_, err = context.Rem(&made, a, b)
		} else {
			err = divide(context, &made, a, b)
		}
	}
	if err != nil || !made.IsZero() && made.NumDigits()+int64(made.Exponent) > wholeDigits {
		return nil, Error("a number is too large")
	}

	return &made, nil
}

func divide(context *apd.Context, made, a, b *apd.Decimal) error {
	if _, err := context.Quo(made, a, b); err != nil {
		return err
	}
	if made.Exponent >= -quotientDigits {
		return nil
	}
	_, err := context.Quantize(made, made, -quotientDigits)

	return err
}

// farthest bounds how many days a formula adds to a date.
const farthest = 4_000_000

// movedBy moves a date by whole days.
func movedBy(operator string, day time.Time, days *apd.Decimal) (any, error) {
	count, err := days.Int64()
	if err != nil || count > farthest || count < -farthest {
		return nil, Error("the number of days to add to a date is not valid")
	}
	if operator == "-" {
		count = -count
	}
	day = day.AddDate(0, 0, int(count))
	if day.Year() < 1 || day.Year() > 9999 {
		return nil, Error("a date is out of bounds")
	}

	return day, nil
}
