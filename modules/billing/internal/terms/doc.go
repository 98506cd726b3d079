// Package terms decides what subscriptions cost and when: periods, proration, dunning and the arithmetic of invoices. Its functions depend
// on nothing but their arguments.
//
// Days are those of the company's time zone. A period begins on its first day and ends before the first day of the next one.
package terms
