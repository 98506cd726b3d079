// Package naming brings the names that people and programs give into one form, checks them, and words what is said about them:
// what an answer repeats of bad input, and which of the known names was probably meant.
package naming
