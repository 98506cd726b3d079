// Package verdict says whether a carrier may take a load: its rules are data, conditions in the language of platform/formula
// over facts of the regulator, of the company's own papers and of the load.
//
// A condition that does not hold, but reads a fact that is not known, is neither true nor false: it is unknown, and the rule
// says what that counts as.
package verdict
