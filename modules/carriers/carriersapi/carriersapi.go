// Package carriersapi is the contract of the carriers area: its id, and the one reading of the numbers by which the
// regulator (FMCSA) knows carriers.
package carriersapi

// Area is the id of the area.
const Area = "carriers"
