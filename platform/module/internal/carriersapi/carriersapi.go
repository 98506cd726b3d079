// Package carriersapi is the contract of an area, for tests.
package carriersapi

// Removing is the type of a contribution point.
type Removing struct{}
