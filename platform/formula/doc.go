// Package formula computes values of other fields: exact and bounded expressions in the syntax of expr-lang, such as
// `price * quantity`, without loops, and with a budget of work for all formulas of a record.
//
// [Compile] asks a [Names] what each name means, so a formula sees the fields of whatever it belongs to, and nothing else. What
// [Expr.Run] returns, [Options.Render] makes a value of the field type formula of.
package formula
